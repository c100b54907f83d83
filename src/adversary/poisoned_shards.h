// Shards of which liars train on poisoned samples (coterie/attack.h). Everything else, and what anybody is
// scored on, is as it was.
#pragma once

#include <mutex>
#include <unordered_map>

#include "coterie/attack.h"
#include "coterie/source.h"

namespace coterie {

class PoisonedShards : public Shards {
 public:
  // `liars`: who they are, ascending.
  PoisonedShards(const Shards& honest, const AttackOptions& options, std::vector<ClientId> liars);

  // Whether the rounds to come are those in which first models are made.
  void starting(bool starting) { starting_ = starting; }

  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override;

 private:
  struct Poisoned {
    std::weak_ptr<const Samples> from;
    std::shared_ptr<const Samples> samples;
  };

  const Shards& honest_;
  const AttackOptions& options_;
  std::vector<ClientId> liars_;
  bool starting_ = false;
  mutable std::mutex mutex_;
  mutable std::unordered_map<ClientId, Poisoned> kept_;
  static constexpr std::size_t kFewKept = 16;
  mutable std::size_t most_kept_ = kFewKept;  // so many, and those whose honest samples are gone are let go
};

}  // namespace coterie
