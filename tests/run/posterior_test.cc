#include "run/posterior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/random.h"

namespace coterie::posterior_test {
namespace {

TEST(Posterior, IsSizeTimesLikelihood) {
  // (3 + 1/2) e^-1 against (1 + 1/2) e^0.
  const Vec shares = posterior(Vec{2, 0}, Vec{3, 1}, 2);
  EXPECT_NEAR(shares[0], 3.5 * std::exp(-1.0) / (3.5 * std::exp(-1.0) + 1.5), 1e-15);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-15);
}

TEST(Posterior, LeavesOutWhatIsNotFinite) {
  const double nan = std::nan("");
  EXPECT_EQ(posterior(Vec{nan, 5}, Vec{3, 1}, 1), (Vec{0, 1}));
  const Vec none = posterior(Vec{nan, nan}, Vec{2, 1}, 1);
  EXPECT_NEAR(none[0], 2.5 / 4, 1e-15);
}

TEST(Posterior, HoldsForLossesOfAnySize) {
  const Vec shares = posterior(Vec{1e9, 1e9 + 1}, Vec{1, 1}, 1);
  EXPECT_NEAR(shares[0] / shares[1], std::exp(1.0), 1e-6);
}

TEST(Temperature, OfARegressionIsTwiceTheMeanLoss) {
  const std::vector<HeldOut> clients = {{0, 4, {2, 9}}, {1, 2, {9, 4}}};
  EXPECT_DOUBLE_EQ(natural_temperature(Task::regression, clients), 2.0 * 6 / 6);
  EXPECT_EQ(natural_temperature(Task::classification, clients), 1);
  EXPECT_EQ(natural_temperature(Task::regression, {}), 1);
}

// Clients whose log odds are `scale` times what their losses say.
std::vector<HeldOut> drawn(double scale, std::size_t count) {
  Stream stream(5, {Purpose::test, 0, 0, 0});
  std::vector<HeldOut> clients;
  for (std::size_t i = 0; i < count; ++i) {
    const double odds = 2 * stream.normal();  // true log odds of cluster 0
    const bool first = stream.uniform() < 1 / (1 + std::exp(-odds));
    clients.push_back({first ? 0u : 1u, 10, {0, odds * scale}});
  }
  return clients;
}

TEST(Temperature, IsFoundFromClients) {
  for (const double scale : {0.5, 1.0, 4.0}) {
    const std::vector<HeldOut> clients = drawn(scale, 3000);
    EXPECT_NEAR(std::log(fit_temperature(clients, Vec{1, 1}, 1)), std::log(scale), 0.15) << scale;
  }
}

TEST(Temperature, OfFewClientsThatAreAllToldApartStaysNearTheNaturalOne) {
  std::vector<HeldOut> clients;
  for (std::uint32_t i = 0; i < 6; ++i) clients.push_back({i % 2, 5, i % 2 == 0 ? Vec{0, 30} : Vec{30, 0}});
  EXPECT_NEAR(fit_temperature(clients, Vec{3, 3}, 1), 1, 0.01);
  EXPECT_NEAR(fit_temperature(clients, Vec{3, 3}, 20), 20, 15) << "units of the losses do not matter much";
  EXPECT_NEAR(fit_temperature({}, Vec{3, 3}, 7), 7, 1e-6);
}

}  // namespace
}  // namespace coterie::posterior_test
