// HCFL+ by its rules: which cluster splits, what its parts are made of, and who follows an edit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/tier_states.h"

namespace coterie::hcfl_plus_rules_test {
namespace {

ClassRun::Choices plus(const std::string& toml, std::size_t clusters) {
  ClassRun::Choices choices;
  choices.algorithm = "hcfl-plus";
  choices.algorithm_toml = toml;
  choices.clusters = clusters;
  return choices;
}

// One row of class 0 in this direction: its features, and so its prototypes, are the row.
Samples pointing(double x, double y) { return samples_of({{{x, y}, 0}}, 2); }

// --- rule (8) --------------------------------------------------------------------------------------------
// Hard clusters {0, 1} and {2, 3}: their largest distances are 1 - 0.8 and 1, the means of D half of that, so
// that both exceed rho. The models are so far apart that nobody moves.
ClassRun two_pairs(const std::string& rho) {
  ClassRun run(GivenFederation({pointing(1, 0), pointing(0.8, 0.6), pointing(1, 0), pointing(0, 1)}),
               plus("backbone = \"fesem\"\nrho = " + rho, 2));
  run.algorithm->start(*run.fleet, {{Vec(6, 0.0), Vec(6, 9.0)}, {0, 0, 1, 1}});
  return run;
}

TEST(HcflPlusRules, TheClusterOfTheLargestDistanceSplitsAndNoOtherInThatRound) {
  ClassRun run = two_pairs("0.05");
  for (const auto& [cluster, largest] : {std::pair(1, 1.0), std::pair(0, 0.2)}) {
    run.round({0, 1, 2, 3});
    const std::vector<Event> events = of_kind(*run.fleet, "split");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(number(events[0], "cluster"), cluster);
    EXPECT_NEAR(number(events[0], "largest"), largest, 1e-12);
    EXPECT_NEAR(number(events[0], "mean"), largest / 2, 1e-12);
  }
  EXPECT_EQ(run.models().size(), 4u);
}

TEST(HcflPlusRules, OfEquallyWideClustersTheFirstSplits) {
  ClassRun run(GivenFederation({pointing(1, 0), pointing(0, 1), pointing(1, 0), pointing(0, 1)}),
               plus("backbone = \"fesem\"\nrho = 0.1", 2));
  run.algorithm->start(*run.fleet, {{Vec(6, 0.0), Vec(6, 9.0)}, {0, 0, 1, 1}});
  run.round({0, 1, 2, 3});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "cluster"), 0);
}

// At right angles numbers are exact: 1 - 1/2 is rho.
TEST(HcflPlusRules, SplitsWhereTheExcessIsRho) {
  ClassRun at = two_pairs("0.5"), above = two_pairs("0.5000001");
  at.round({0, 1, 2, 3});
  above.round({0, 1, 2, 3});
  EXPECT_EQ(at.models().size(), 3u);
  EXPECT_EQ(above.models().size(), 2u);
}

// --- what parts are made of ------------------------------------------------------------------------------
// What a client makes of a model in one step of gradient descent.
Vec stepped(const ClassRun& run, const Vec& model, ClientId client) {
  const auto samples = run.federation.samples(client, Part::train, 0);
  const auto& x = std::get<std::vector<double>>(samples->features);
  Vec gradient(model.size()), out = model;
  run.model->gradient(model, Batch<double>{samples->size(), 2, x, samples->targets, {}}, gradient);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] -= 0.1 * gradient[j];
  return out;
}

TEST(HcflPlusRules, PartsAndExtractorAreMeansBySamples) {
  ClassRun::Choices choices = plus("rho = 0.01", 1);
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  ClassRun run(mixture({Task::classification, 2, 2, 0, 0, 0}, {3, 9, 5, 14}, 2, 7), choices);
  run.start();
  const Vec before = run.models()[0];
  const std::vector<ClientId> all = {0, 1, 2, 3};
  run.round(all);
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  const std::vector<ClientId>& gone = events[0].clients;
  ASSERT_TRUE(gone.size() == 1 || gone.size() == 2) << "one part has two clients or more, of unequal sizes";
  const auto mean = [&](const std::function<bool(ClientId)>& counts, std::size_t j) {
    double sum = 0, total = 0;
    for (const ClientId i : all) {
      if (!counts(i)) continue;
      const auto n = static_cast<double>(run.federation.info(i).train);
      sum += n * stepped(run, before, i)[j];
      total += n;
    }
    return sum / total;
  };
  const auto goes = [&](ClientId i) { return std::count(gone.begin(), gone.end(), i) > 0; };
  for (std::size_t j = 0; j < before.size(); ++j) {
    const bool head = j >= run.model->head();
    EXPECT_NEAR(run.models()[0][j], mean([&](ClientId i) { return !head || !goes(i); }, j), 1e-13) << j;
    EXPECT_NEAR(run.models()[1][j], mean([&](ClientId i) { return !head || goes(i); }, j), 1e-13) << j;
  }
}

// --- who follows -----------------------------------------------------------------------------------------
// Nobody is in the second of three clusters: it goes, and the third is the second then, also for client 3,
// which was not asked.
TEST(HcflPlusRules, ARemovalMovesHardClustersUp) {
  ClassRun run(GivenFederation({pointing(1, 0), pointing(0, 1), pointing(1, 0), pointing(0, 1)}),
               plus("backbone = \"fesem\"\nrho = 10", 3));
  const std::vector<Vec> models = {Vec(6, 0.0), Vec(6, 50.0), {9, 0, 9, 0, 9, 0}};
  run.algorithm->start(*run.fleet, {models, {0, 0, 2, 2}});
  run.round({0, 1, 2});
  const std::vector<Event> events = of_kind(*run.fleet, "removed");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(number(events[0], "cluster"), 1);
  ASSERT_EQ(run.models().size(), 2u);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(run.models()[0][j], (stepped(run, models[0], 0)[j] + stepped(run, models[0], 1)[j]) / 2,
                1e-13);
    EXPECT_NEAR(run.models()[1][j], stepped(run, models[2], 2)[j], 1e-13);
  }
  for (const ClientId i : {0u, 1u}) EXPECT_EQ(clusters(run).weights[i], (Vec{1, 0})) << i;
  for (const ClientId i : {2u, 3u}) EXPECT_EQ(clusters(run).weights[i], (Vec{0, 1})) << i;
  const Vec second = run.models()[1];
  run.round({3});
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(run.models()[1][j], stepped(run, second, 3)[j], 1e-13);
}

// Client 3 answers in the first round; in the second, when client 2 splits their cluster, its numbers are not
// finite. It is left out, and its weights of the first round follow the split.
TEST(HcflPlusRules, AnEditReachesAClientWhoseReplyWasRefused) {
  ClassRun run(GivenFederation({pointing(1, 0), pointing(1, 0), pointing(0, 1), pointing(1, 0)}),
               plus("rho = 0.5\nmu = 0.4", 1));
  run.start({Vec(6, 0.0)});
  run.round({0, 1, 3});
  EXPECT_EQ(run.models().size(), 1u);
  run.federation.give(3, pointing(std::nan(""), 0));
  run.round({0, 1, 2, 3});
  std::size_t refused = 0, splits = 0;
  for (const Event& event : run.fleet->take_events()) {
    refused += event.kind == "rejected" && event.client == ClientId{3} ? 1 : 0;
    splits += event.kind == "split" ? 1 : 0;
  }
  EXPECT_EQ(refused, 1u);
  ASSERT_EQ(splits, 1u);
  for (const ClientId i : {0u, 3u}) {
    EXPECT_EQ(clusters(run).weights[i], (Vec{0.5, 0.5})) << i;
    EXPECT_EQ(kept_by(run, i).weights, (Vec{0.5, 0.5})) << i;
    EXPECT_EQ(kept_by(run, i).rows, (Vec{0.5, 0.5})) << i;
  }
  for (const Vec& model : run.models()) EXPECT_TRUE(std::isfinite(model[0]));

  run.federation.give(3, pointing(1, 0));
  run.round({0, 1, 2, 3});
  const Vec weights = clusters(run).weights[3];
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
}

}  // namespace
}  // namespace coterie::hcfl_plus_rules_test
