// Client data kept up to a budget. What does not fit is made again at every request, with the same bits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "coterie/data.h"

namespace coterie {

// Thread-safe. First come, first kept: an entry stays until the same key is asked for in another epoch.
class SampleCache {
 public:
  explicit SampleCache(double gigabytes) : budget_(static_cast<std::uint64_t>(gigabytes * 1e9)) {}

  // `make` runs outside any lock; when two threads make the same entry at once, one of the two equal results
  // is kept.
  std::shared_ptr<const Samples> get(std::uint64_t key, std::uint32_t epoch,
                                     const std::function<Samples()>& make);

  std::uint64_t bytes() const { return used_; }

 private:
  struct Entry {
    std::uint32_t epoch = 0;
    std::shared_ptr<const Samples> samples;
  };
  // Locks are shared by keys that fall into the same stripe, so threads seldom meet.
  struct Stripe {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Entry> entries;
  };
  Stripe& stripe(std::uint64_t key) { return stripes_[key % stripes_.size()]; }
  bool reserve(std::uint64_t bytes);

  const std::uint64_t budget_;
  std::atomic<std::uint64_t> used_ = 0;
  std::array<Stripe, 61> stripes_;
};

}  // namespace coterie
