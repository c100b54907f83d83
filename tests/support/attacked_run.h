// A method on a tiny federation some of whose clients lie.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "adversary/liars.h"
#include "support/tiny_federation.h"

namespace coterie {

struct AttackedRun {
  AttackedRun(const std::vector<TinyFederation::Client>& clients, const TinyRun::Choices& choices,
              const std::string& kind, const std::string& toml, double fraction)
      : run(clients, choices), everyone(run.fleet->everyone()) {
    options.kind = kind;
    options.fraction = fraction;
    options.attack = make_plugin<Attack>(kind, toml);
    liars = std::make_unique<Liars>(options, clients.size(), 1);
    run.fleet->infiltrate(*liars);
  }
  bool lies(ClientId i) const { return std::binary_search(liars->all().begin(), liars->all().end(), i); }

  AttackOptions options;
  TinyRun run;
  std::unique_ptr<Liars> liars;
  std::vector<ClientId> everyone;
};

}  // namespace coterie
