#include <gtest/gtest.h>

#include "algorithms/federated-clustering/looks.h"
#include "algorithms/personal_models.h"

namespace coterie::federated_clustering_looks_test {
namespace {

using Labels = std::vector<std::uint32_t>;

TEST(Looks, ClientsOfOnePartOfOneLookAreAlike) {
  Looks looks(5);
  EXPECT_TRUE(looks.alike(2, 2));
  EXPECT_FALSE(looks.alike(0, 1)) << "nobody was asked yet";
  looks.found(std::vector<ClientId>{0, 1, 2, 3}, std::vector<ClientId>{0, 1, 2}, Labels{0, 1, 0}, 1, 0);
  EXPECT_TRUE(looks.alike(0, 2));
  EXPECT_FALSE(looks.alike(0, 1));
  EXPECT_FALSE(looks.alike(0, 3)) << "client 3 did not answer";
  looks.found(std::vector<ClientId>{2, 4}, std::vector<ClientId>{2, 4}, Labels{0, 0}, 1, 1);
  EXPECT_FALSE(looks.alike(0, 2)) << "parts of different looks say nothing of each other";
  EXPECT_TRUE(looks.alike(2, 4));
}

TEST(Looks, AreDueAfterSomeRoundsAndForThoseWhoWereNotTogether) {
  Looks looks(4);
  const std::vector<ClientId> some = {0, 1, 2};
  EXPECT_TRUE(looks.due(some, 1, 10));
  looks.found(some, std::vector<ClientId>{0, 1}, Labels{0, 0}, 1, 0);
  EXPECT_FALSE(looks.due(some, 2, 10)) << "who did not answer is not asked at once";
  EXPECT_FALSE(looks.due(some, 10, 10));
  EXPECT_TRUE(looks.due(some, 11, 10));
  EXPECT_TRUE(looks.due(std::vector<ClientId>{0, 3}, 2, 10));
  looks.found(std::vector<ClientId>{2, 3}, std::vector<ClientId>{2, 3}, Labels{0, 0}, 1, 1);
  EXPECT_TRUE(looks.due(some, 2, 10));
}

// Two directions of three clients each, of whatever length; the last number is not trained.
TEST(Looks, PartsGoByDirectionsOfWhatIsTrained) {
  std::vector<Numbers> changes;
  for (const double length : {1.0, 100.0, 0.01}) {
    changes.emplace_back(Vec{length, 0.1 * length, 7});
    changes.emplace_back(Vec{-length, 0.1 * length, 7});
  }
  std::vector<const Numbers*> all;
  for (const Numbers& one : changes) all.push_back(&one);
  Stream stream(1, {Purpose::server, 1, 0, 0});
  EXPECT_EQ(parts_of_changes(all, 2, stream).labels, (Labels{0, 1, 0, 1, 0, 1}));
}

TinyRun::Choices choices(const std::string& toml) {
  return {.algorithm = "federated-clustering", .algorithm_toml = toml};
}
std::vector<double> groups_by_look(TinyRun& run) {
  std::vector<double> counts;
  for (const Event& event : run.fleet->take_events()) {
    if (event.kind == "look") counts.push_back(event.numbers[0].second);
  }
  return counts;
}
const std::vector<TinyFederation::Client> kSix = {wants(0),     wants(10, 1), wants(1),
                                                  wants(11, 1), wants(2),     wants(12, 1)};

// From -5 everybody pulls the same way, and gradients are as near as they will ever be. The common model
// comes between the groups, and there they pull apart.
TEST(FederatedClustering, FindsGroupsWhereTheCommonModelStandsBetweenThem) {
  TinyRun run(kSix, choices(""));
  run.start({{-5.0}});
  for (int t = 0; t < 10; ++t) run.round(run.fleet->everyone());
  EXPECT_EQ(run.algorithm->found_clusters(), (Labels{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(groups_by_look(run), (std::vector<double>{1}));
  for (int t = 0; t < 70; ++t) run.round(run.fleet->everyone());
  EXPECT_EQ(run.algorithm->found_clusters(), (Labels{0, 1, 0, 1, 0, 1}));
  EXPECT_NEAR(model_of(run, 0), 1, 0.1);
  EXPECT_NEAR(model_of(run, 1), 11, 0.1);
}

TEST(FederatedClustering, LooksAnewWhenOthersAreAsked) {
  std::vector<TinyFederation::Client> seven = kSix;
  seven.push_back(wants(1));
  TinyRun run(seven, choices(""));
  run.start({{6.0}});
  for (int t = 0; t < 3; ++t) run.round({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(groups_by_look(run), (std::vector<double>{2}));
  run.round({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(groups_by_look(run), (std::vector<double>{2}));
  EXPECT_EQ(run.algorithm->found_clusters()[6], run.algorithm->found_clusters()[2]);
}

TEST(FederatedClustering, WarnsOnceWhereLooksFindNoGroups) {
  TinyRun run(std::vector<TinyFederation::Client>(6, wants(1000)), choices("look_every = 2"));
  run.start({{0.0}});
  for (int t = 0; t < 9; ++t) run.round(run.fleet->everyone());
  std::size_t warnings = 0;
  for (const Event& event : run.fleet->take_events()) {
    warnings += event.kind == "warning" && event.text.find("no groups") != std::string::npos;
  }
  EXPECT_EQ(warnings, 1u);
}

// By a radius nobody is asked for more than gradients, and groups of fewer than six have no parts.
TEST(FederatedClustering, LooksOnlyWhereGroupsCanBeFound) {
  TinyRun fixed(kSix, choices("rule = \"fixed\"\nradius = 3"));
  TinyRun small(kSix, choices("groups = 2"));
  for (TinyRun* run : {&fixed, &small}) {
    run->start({{6.0}});
    run->round(run->fleet->everyone());
    EXPECT_TRUE(groups_by_look(*run).empty());
    EXPECT_EQ(run->fleet->traffic().up, (run == &fixed ? 6u * 6 : 2u * 3 * 3) * 8) << "gradients alone";
  }
}

}  // namespace
}  // namespace coterie::federated_clustering_looks_test
