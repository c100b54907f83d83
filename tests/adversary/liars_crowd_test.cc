// Among how many clients liars take themselves to be when they agree: inner-product sends minus 2 (n - f) / f
// times the mean of the honest changes of f liars among n clients.
#include <gtest/gtest.h>

#include "algorithms/personal_models.h"
#include "support/attacked_run.h"

namespace coterie::liars_crowd_test {
namespace {

// Members, liars and what they would honestly send in all, for each of some groups.
struct Share {
  double members = 0, liars = 0, honest = 0, lied = 0;
  void add(bool lies, double change) {
    members += 1;
    liars += lies ? 1 : 0;
    (lies ? lied : honest) += change;
  }
  // The mean of what is sent when the liars take themselves to be among so many.
  double mean(double among) const { return (honest - 2 * (among - liars) / liars * lied) / members; }
};

TinyRun::Choices choices(const std::string& algorithm, const std::string& toml, std::size_t clusters) {
  TinyRun::Choices choices;
  choices.algorithm = algorithm;
  choices.algorithm_toml = toml;
  choices.clusters = clusters;
  choices.solver_toml = "rate = 1.0\nsteps = 1";
  return choices;
}

// In balls that hold everybody a group of federated-clustering steps along the mean of what is sent.
TEST(LiarsCrowd, IsTheGroupOfFederatedClustering) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(wants(i * i));
  AttackedRun it(clients, choices("federated-clustering", "rule = \"fixed\"\nradius = 1e6\ngroups = 3", 1),
                 "inner-product", "", 0.4);
  it.run.aggregate.limit = 1e9;
  it.run.start({{5.0}});
  it.run.round(it.everyone);
  const std::vector<std::uint32_t> groups = it.run.algorithm->found_clusters();
  std::vector<Share> shares(3);
  for (const ClientId i : it.everyone) shares.at(groups[i]).add(it.lies(i), 5.0 - i * i);
  EXPECT_NE(shares[0].liars, shares[1].liars) << "else the share of liars is the same everywhere";
  for (const ClientId i : it.everyone) {
    if (it.lies(i) || shares[groups[i]].liars == 0) continue;
    EXPECT_NEAR(model_of(it.run, i), 5 - shares[groups[i]].mean(4), 1e-9) << "client " << i;
  }
}

// Where a model is sent to the members of a cluster only, the crowd is the cluster.
TEST(LiarsCrowd, IsWhoWasSentTheModel) {
  std::vector<TinyFederation::Client> clients;
  for (ClientId i = 0; i < 12; ++i) clients.push_back(wants(45.0 + i, i < 8 ? 0 : 1));
  AttackedRun it(clients, choices("oracle", "", 2), "inner-product", "", 0.4);
  it.run.start({{50.0}, {50.0}});
  it.run.round(it.everyone);
  std::vector<Share> shares(2);
  for (const ClientId i : it.everyone) shares[i < 8 ? 0 : 1].add(it.lies(i), i - 5.0);
  for (std::size_t k : {0, 1}) {
    ASSERT_GT(shares[k].liars, 0);
    EXPECT_NEAR(it.run.models()[k][0], 50 + shares[k].mean(shares[k].members), 1e-9) << k;
  }
  EXPECT_NE(shares[0].liars / 8, shares[1].liars / 4);
}

// All are sent all models: liars know of those who chose theirs no more than how many liars did.
TEST(LiarsCrowd, IsTheSameShareOfEverybodyWhereClientsChoose) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(wants(i < 8 ? 11 + i : -21 - i));
  AttackedRun it(clients, choices("ifca", "", 2), "inner-product", "", 0.5);
  it.run.start({{10.0}, {-20.0}});
  it.run.round(it.everyone);
  std::vector<Share> shares(2);
  for (const ClientId i : it.everyone) {
    const double change = i < 8 ? 1.0 + i : -1.0 - i;
    shares[i < 8 ? 0 : 1].add(it.lies(i), change);
  }
  for (std::size_t k : {0, 1}) {
    ASSERT_GT(shares[k].liars, 0);
    EXPECT_NEAR(it.run.models()[k][0], (k == 0 ? 10 : -20) + shares[k].mean(2 * shares[k].liars), 1e-9) << k;
  }
}

}  // namespace
}  // namespace coterie::liars_crowd_test
