#include "fleet/gram_cache.h"

namespace coterie {

std::shared_ptr<const void> GramCache::find(ClientId client, const std::shared_ptr<const Samples>& samples) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(client);
  if (found == entries_.end() || found->second.samples.lock() != samples) return nullptr;
  return found->second.matrix;
}

void GramCache::keep(ClientId client, const std::shared_ptr<const Samples>& samples,
                     std::shared_ptr<const void> matrix, std::uint64_t bytes) {
  // Samples that nobody else holds are made anew for each ask: their matrix would not be found again.
  if (samples.use_count() <= 1) return;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(client);
  if (found != entries_.end()) {
    used_ -= found->second.bytes;
    entries_.erase(found);
  }
  if (used_ + bytes > budget_) return;
  used_ += bytes;
  entries_.emplace(client, Entry{samples, std::move(matrix), bytes});
}

}  // namespace coterie
