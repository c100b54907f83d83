// What a round of Federated-Clustering met at its clients' models, and the figures that are made of it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/fleet.h"

namespace coterie {

// At one client's model.
struct Met {
  ClientId client = 0;
  double inside = 0;                      // gradients in the ball
  std::optional<double> within, between;  // how assumptions (7) and (8) fare, where the truth is known
  void fields(Archive& a) { a(client, inside, within, between); }
};

// What a look at a group found (looks.h).
struct LookFound {
  std::size_t groups = 1;
  double gap = 0, apart = 0, together = 0;
};

// What a round found: everything by client, whatever the order in which groups were worked on.
struct Findings {
  std::vector<Met> met;
  std::vector<std::pair<ClientId, ClientId>> inside;  // (owner, neighbour in its ball)
  std::map<ClientId, std::size_t> unusable;           // gradients at others' models, by who sent them
  std::vector<ClientId> unusable_at;                  // and the clients at whose models they were taken
  std::vector<LookFound> looks;

  void sort();
};

// The event that says whose gradients could not be used, of which there are some, and at whose models: a
// false model makes honest gradients large.
Event unusable_event(const Findings& findings);

// The event of a round that had looks, each of so many rounds of training.
Event look_event(const Findings& findings, std::int64_t rounds);

// Over the models of these clients (ascending); `truth`: the assumptions too.
std::vector<std::pair<std::string, double>> figures_of(std::span<const Met> all,
                                                       std::span<const ClientId> clients, bool truth);

}  // namespace coterie
