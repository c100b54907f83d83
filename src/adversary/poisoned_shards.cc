#include "adversary/poisoned_shards.h"

#include <algorithm>

namespace coterie {

PoisonedShards::PoisonedShards(const Shards& honest, const AttackOptions& options,
                               std::vector<ClientId> liars)
    : honest_(honest), options_(options), liars_(std::move(liars)) {}

std::shared_ptr<const Samples> PoisonedShards::samples(ClientId client, Part part,
                                                       std::uint32_t round) const {
  std::shared_ptr<const Samples> honest = honest_.samples(client, part, round);
  const bool liar = std::binary_search(liars_.begin(), liars_.end(), client);
  if (!liar || part != Part::train || !options_.strikes(round, starting_)) return honest;
  // The same samples again and again, so that what is made of them can be kept; as long as the honest ones
  // are.
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= most_kept_) {
    std::erase_if(kept_, [](const auto& one) { return one.second.from.expired(); });
    most_kept_ = 2 * kept_.size() + kFewKept;
  }
  Poisoned& kept = kept_[client];
  if (kept.from.lock() != honest) {
    auto poisoned = std::make_shared<Samples>(*honest);
    options_.attack->poison(*poisoned);
    kept = {honest, std::move(poisoned)};
  }
  return kept.samples;
}

}  // namespace coterie
