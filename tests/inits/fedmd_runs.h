// Small federations for tests of FedMD's first phase, and what it makes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "math/kernels.h"
#include "support/tiny_federation.h"

namespace coterie {

using Clients = std::vector<TinyFederation::Client>;

// Clients of two clusters with parameters (2, 1, 0) and (-1, 0, 2), without noise: `many` of each, with so
// many samples.
inline Clients two_clusters(std::size_t many, std::size_t samples) {
  const Vec truth[2] = {{2, 1, 0}, {-1, 0, 2}};
  Clients clients;
  for (std::size_t i = 0; i < 2 * many; ++i) {
    Stream stream(4, {Purpose::test, 0, 0, static_cast<std::uint32_t>(i)});
    TinyFederation::Client client;
    client.truth = i % 2;
    for (std::size_t j = 0; j < samples; ++j) {
      Vec x(3);
      stream.normals(x);
      client.y.push_back(x[0] * truth[i % 2][0] + x[1] * truth[i % 2][1] + x[2] * truth[i % 2][2]);
      client.x.push_back(x);
    }
    clients.push_back(client);
  }
  return clients;
}

struct Made {
  explicit Made(const Clients& clients, const std::string& toml = "", TinyRun::Choices choices = {})
      : run(clients, with_ifca(choices)) {
    start =
        make_plugin<Init>("fedmd", toml)->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) {
                                                  ++logged;
                                                }});
    events = run.fleet->take_events();
  }
  static TinyRun::Choices with_ifca(TinyRun::Choices choices) {
    choices.algorithm = "ifca";
    choices.init = "fedmd";
    if (choices.clusters == 1) choices.clusters = 2;
    return choices;
  }
  std::vector<Event> of_kind(const std::string& kind) const {
    std::vector<Event> some;
    for (const Event& event : events) {
      if (event.kind == kind) some.push_back(event);
    }
    return some;
  }
  // How far the farther truth is from its nearest model.
  double error() const {
    double worst = 0;
    for (const Vec& truth : {Vec{2, 1, 0}, Vec{-1, 0, 2}}) {
      double nearest = 1e300;
      for (const Vec& model : start.models) nearest = std::min(nearest, squared_distance(model, truth));
      worst = std::max(worst, std::sqrt(nearest));
    }
    return worst;
  }
  TinyRun run;
  Start start;
  std::vector<Event> events;
  int logged = 0;
};

}  // namespace coterie
