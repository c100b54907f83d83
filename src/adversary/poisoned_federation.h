// A federation in which liars train on poisoned samples (coterie/attack.h). Everything else, and what anybody
// is scored on, is as it was.
#pragma once

#include <mutex>
#include <unordered_map>

#include "coterie/attack.h"
#include "coterie/federation.h"

namespace coterie {

class PoisonedFederation : public Federation {
 public:
  // `liars`: who they are, ascending.
  PoisonedFederation(const Federation& honest, const AttackOptions& options, std::vector<ClientId> liars);

  // Whether the rounds to come are those in which first models are made.
  void starting(bool starting) { starting_ = starting; }

  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override;
  const Shape& shape() const override { return honest_.shape(); }
  std::size_t size() const override { return honest_.size(); }
  std::size_t training() const override { return honest_.training(); }
  ClientInfo info(ClientId client) const override { return honest_.info(client); }
  const Truth& truth() const override { return honest_.truth(); }
  std::string name(ClientId client) const override { return honest_.name(client); }
  std::vector<std::string> shifts(ClientId client) const override { return honest_.shifts(client); }
  std::vector<std::string> notes() const override { return honest_.notes(); }
  const TableSchema* table() const override { return honest_.table(); }

 private:
  struct Poisoned {
    std::weak_ptr<const Samples> from;
    std::shared_ptr<const Samples> samples;
  };

  const Federation& honest_;
  const AttackOptions& options_;
  std::vector<ClientId> liars_;
  bool starting_ = false;
  mutable std::mutex mutex_;
  mutable std::unordered_map<ClientId, Poisoned> kept_;
  static constexpr std::size_t kFewKept = 16;
  mutable std::size_t most_kept_ = kFewKept;  // so many, and those whose honest samples are gone are let go
};

}  // namespace coterie
