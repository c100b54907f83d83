#include "data/federation/cache.h"

namespace coterie {
namespace {

// What an entry costs besides its numbers: the object, its control block, the map's node.
constexpr std::uint64_t kOverhead = sizeof(Samples) + 96;

std::uint64_t bytes_of(const Samples& samples) {
  const std::uint64_t features =
      std::visit([](const auto& stored) { return stored.size() * sizeof(stored.front()); }, samples.features);
  return kOverhead + features + (samples.targets.size() + samples.weights.size()) * sizeof(double) +
         (samples.kin.size() + samples.places.size()) * sizeof(std::uint32_t);
}

}  // namespace

bool SampleCache::reserve(std::uint64_t bytes) {
  if (used_.fetch_add(bytes) + bytes <= budget_) return true;
  used_ -= bytes;
  return false;
}

std::shared_ptr<const Samples> SampleCache::get(std::uint64_t key, std::uint32_t epoch,
                                                const std::function<Samples()>& make) {
  Stripe& own = stripe(key);
  {
    const std::lock_guard lock(own.mutex);
    const auto found = own.entries.find(key);
    if (found != own.entries.end() && found->second.epoch == epoch) return found->second.samples;
  }
  auto made = std::make_shared<const Samples>(make());

  const std::lock_guard lock(own.mutex);
  const auto found = own.entries.find(key);
  if (found != own.entries.end()) {
    if (found->second.epoch == epoch) return found->second.samples;
    used_ -= bytes_of(*found->second.samples);
    own.entries.erase(found);
  }
  if (reserve(bytes_of(*made))) own.entries.emplace(key, Entry{epoch, made});
  return made;
}

}  // namespace coterie
