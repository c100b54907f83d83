// The inner products of a client's rows, kept from round to round up to a budget. What does not fit is made
// again each time, with the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "coterie/data.h"

namespace coterie {

// Thread-safe. First come, first kept; an entry is replaced when the client's samples are others than before.
class GramCache {
 public:
  explicit GramCache(double gigabytes) : budget_(static_cast<std::uint64_t>(gigabytes * 1e9)) {}

  template <class Real>
  using Made = std::shared_ptr<const std::vector<Real>>;

  // The matrix of these samples; `make` runs outside any lock.
  template <class Real>
  Made<Real> get(ClientId client, const std::shared_ptr<const Samples>& samples,
                 const std::function<std::vector<Real>()>& make) {
    if (auto kept = find(client, samples)) return std::static_pointer_cast<const std::vector<Real>>(kept);
    auto made = std::make_shared<const std::vector<Real>>(make());
    keep(client, samples, made, made->size() * sizeof(Real));
    return made;
  }

 private:
  struct Entry {
    std::weak_ptr<const Samples> samples;
    std::shared_ptr<const void> matrix;
    std::uint64_t bytes = 0;
  };
  std::shared_ptr<const void> find(ClientId client, const std::shared_ptr<const Samples>& samples);
  void keep(ClientId client, const std::shared_ptr<const Samples>& samples,
            std::shared_ptr<const void> matrix, std::uint64_t bytes);

  std::mutex mutex_;
  const std::uint64_t budget_;
  std::uint64_t used_ = 0;
  std::unordered_map<ClientId, Entry> entries_;
};

}  // namespace coterie
