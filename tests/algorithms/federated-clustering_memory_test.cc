// How many groups of federated-clustering are worked on at once: as many as fit into memory, and whatever the
// number, the same bits.
#include <gtest/gtest.h>

#include "algorithms/federated-clustering/circles.h"
#include "algorithms/personal_models.h"
#include "support/attacked_run.h"

namespace coterie::federated_clustering_memory_test {
namespace {

TinyRun::Choices choices(const std::string& toml) {
  return {.algorithm = "federated-clustering", .algorithm_toml = toml};
}

// A group of four takes 4 x (4 gradients + a model) of one number, 192 bytes, and 256 with what lists take;
// three of them at once would be refused.
TEST(FederatedClusteringMemory, AsManyGroupsAreAskedAtOnceAsTheFleetsMemoryAllows) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(wants(i));
  TinyRun::Choices small = choices("group_size = 4\nrule = \"fixed\"\nradius = 100");
  small.fleet.options.memory = 300e-9;
  TinyRun run(clients, small);
  run.start({{0.0}});
  run.round(run.fleet->everyone());
  EXPECT_EQ(run.algorithm->own_metrics(run.fleet->everyone()).at(0),
            std::pair(std::string("neighbours"), 4.0));
  small.fleet.options.memory = 200e-9;
  TinyRun none(clients, small);
  none.start({{0.0}});
  EXPECT_THROW(none.round(none.fleet->everyone()), Error) << "not even one group";
}

TEST(FederatedClusteringMemory, RefusesARoundThatDoesNotFitIntoMemoryBeforeItBegins) {
  TinyRun::Choices small = choices("");
  small.fleet.options.memory = 1e-7;  // 100 bytes
  TinyRun run({wants(0), wants(1), wants(10)}, small);
  run.start({{0.0}});
  EXPECT_THROW(run.round({0, 1, 2}), Error);
  for (const auto& touched : run.federation.touched) EXPECT_EQ(touched, 0);
}

// What a run of groups of four ends with: models, events, and all that the server keeps. In the first round
// some of each group have a model of their own and some have not.
struct Ending {
  Vec models;
  std::vector<std::string> events;
  Bytes server;
  bool operator==(const Ending&) const = default;
};
Ending ending(const std::string& attack, const std::string& toml) {
  std::vector<TinyFederation::Client> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(wants(i % 3 * 5 + 0.1 * i, i % 3));
  AttackedRun it(clients, choices("group_size = 4\n" + toml), attack, "", 0.4);
  it.run.start({{0.0}});
  it.run.round({0, 1, 2, 3, 4, 5});
  for (int t = 0; t < 6; ++t) it.run.round(it.everyone);
  Ending end;
  for (const ClientId i : it.everyone) end.models.push_back(model_of(it.run, i));
  for (const Event& event : it.run.fleet->take_events()) end.events.push_back(event.text);
  Archive a = Archive::writer(Precision::f64);
  it.run.algorithm->fields(a);
  end.server = a.take();
  return end;
}

// With the five liars of `nan` most members of a group are left out in some round, but never most of all.
TEST(FederatedClusteringMemory, HowManyGroupsAreAskedAtOnceChangesNothing) {
  AttackOptions options{.fraction = 0.4, .attack = make_plugin<Attack>("nan")};
  const std::vector<ClientId> liars = options.choose(12, 1), all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::ptrdiff_t most = 0;
  for (std::uint32_t t = 2; t <= 7; ++t) {
    Stream stream(1, {Purpose::server, t, 0, 0});
    for (const Circle& circle : cut_circles(all, 3, stream)) {
      most = std::max(most, std::count_if(circle.members.begin(), circle.members.end(), [&](ClientId i) {
                        return std::binary_search(liars.begin(), liars.end(), i);
                      }));
    }
  }
  ASSERT_GE(most, 3) << "of four";
  for (const std::string toml : {"quantile = 0.5\n", "neighbours = \"truth\"\n"}) {
    const Ending honest = ending("none", toml);
    EXPECT_EQ(ending("none", toml + "memory = 1e-9"), honest);
    for (const char* attack : {"gaussian", "alie", "inner-product", "edge-of-radius", "nan"}) {
      const Ending together = ending(attack, toml), one_by_one = ending(attack, toml + "memory = 1e-9");
      EXPECT_NE(together.models, honest.models) << attack;
      EXPECT_EQ(one_by_one.models, together.models) << attack;
      EXPECT_EQ(one_by_one.events, together.events) << attack;
      EXPECT_EQ(one_by_one.server, together.server) << attack;
    }
  }
}

}  // namespace
}  // namespace coterie::federated_clustering_memory_test
