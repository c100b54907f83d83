// A method on a tiny federation some of whose clients lie.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "adversary/attacked_fleet.h"
#include "support/tiny_federation.h"

namespace coterie {

struct AttackedRun {
  AttackedRun(const std::vector<TinyFederation::Client>& clients, const TinyRun::Choices& choices,
              const std::string& kind, const std::string& toml, double fraction)
      : run(clients, choices), everyone(run.fleet->everyone()) {
    options.kind = kind;
    options.fraction = fraction;
    options.attack = make_plugin<Attack>(kind, toml);
    auto some = std::make_unique<Liars>(options, clients.size(), 1);
    liars = some.get();
    run.fleet = std::make_unique<AttackedFleet>(std::move(run.fleet), std::move(some));
  }
  bool lies(ClientId i) const { return std::binary_search(liars->all().begin(), liars->all().end(), i); }

  AttackOptions options;
  TinyRun run;
  Liars* liars;
  std::vector<ClientId> everyone;
};

}  // namespace coterie
