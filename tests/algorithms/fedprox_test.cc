#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::fedprox_test {
namespace {

const std::vector<TinyFederation::Client> kTwo = {{{{1}}, {2}, 0}, {{{1}}, {4}, 0}};

// Three steps on (w - y)^2 / 2 + mu/2 (w - w0)^2, written out.
double three_steps(double y, double mu) {
  double w = 1;
  for (int s = 0; s < 3; ++s) w -= 0.1 * ((w - y) + mu * (w - 1));
  return w;
}

TEST(FedProx, HoldsClientsNearTheGlobalModel) {
  TinyRun run(kTwo,
              {.algorithm = "fedprox", .algorithm_toml = "mu = 0.5", .solver_toml = "rate = 0.1\nsteps = 3"});
  run.start({{1.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], (three_steps(2, 0.5) + three_steps(4, 0.5)) / 2, 1e-14);
}

TEST(FedProx, WithoutTheTermIsFedAvg) {
  TinyRun prox(kTwo,
               {.algorithm = "fedprox", .algorithm_toml = "mu = 0", .solver_toml = "rate = 0.1\nsteps = 3"});
  TinyRun avg(kTwo, {.solver_toml = "rate = 0.1\nsteps = 3"});
  prox.start({{1.0}});
  avg.start({{1.0}});
  prox.round({0, 1});
  avg.round({0, 1});
  EXPECT_EQ(prox.models(), avg.models());
}

}  // namespace
}  // namespace coterie::fedprox_test
