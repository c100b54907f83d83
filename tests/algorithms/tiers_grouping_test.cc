// What clusters are made of, where clients differ in several things at once: digits under three concepts
// (labels go round by 0, 3 or 6), seen through three cameras or turned, with skewed labels. Three seeds here;
// bench/configs/planted-concepts.toml and planted-turned-concepts.toml have ten.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "clustering/agreement.h"
#include "run/session.h"

namespace coterie::tiers_grouping_test {
namespace {

// Each pair of a concept and a camera (or turn) deals all digits to its clients; how many they are follows.
const char* const kConcepts = R"(
[data]
source = "digits"
[[shift]]
kind = "permute-labels"
rule = "add"
offsets = [0, 3, 6]
[model]
kind = "mlp"
hidden = [32]
[local]
batch = 16
rate = 0.5
[rounds]
count = 40
[clients]
reuse = "per-cluster"
samples = 240
partition = "dirichlet"
rule = "client"
alpha = 10.0
minimum = 30
)";
const char* const kCameras = R"(count = 27
[[shift]]
kind = "corrupt"
types = ["none", "rotation", "contrast"]
severities = [3]
truth = true
)";
const char* const kTurns = R"(count = 24
[[shift]]
kind = "rotate"
angles = [0, 90]
)";

// Groupings of the same clients.
struct Groupings {
  std::vector<std::uint32_t> found, concepts, others, labels;
  std::vector<std::uint32_t> both;  // concept and other shift

  double agreement(const std::vector<std::uint32_t>& with) const {
    return adjusted_rand_index(contingency(found, with));
  }
  std::size_t clusters() const {
    std::vector<std::uint32_t> some = found;
    std::sort(some.begin(), some.end());
    return static_cast<std::size_t>(std::unique(some.begin(), some.end()) - some.begin());
  }
  // The share of clients that are of the commonest kind in their cluster.
  double purity(const std::vector<std::uint32_t>& kinds) const {
    const Contingency table = contingency(found, kinds);
    double sum = 0;
    for (std::size_t f = 0; f < table.found; ++f) {
      double most = 0;
      for (std::size_t t = 0; t < table.truth; ++t) most = std::max(most, table(f, t));
      sum += most;
    }
    return sum / static_cast<double>(found.size());
  }
};

// The commonest label of a client.
std::uint32_t main_label(const Federation& federation, ClientId client) {
  const auto samples = federation.samples(client, Part::train, 0);
  std::vector<int> counts(federation.shape().classes, 0);
  for (std::size_t j = 0; j < samples->size(); ++j) ++counts[samples->label(j)];
  return static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

Groupings groupings(const Federation& federation, const Evaluation& evaluation) {
  Groupings all;
  std::map<std::string, std::uint32_t> numbers[3];
  const auto number = [&](std::size_t of, const std::string& name) {
    return numbers[of].emplace(name, static_cast<std::uint32_t>(numbers[of].size())).first->second;
  };
  for (const ClientScore& score : evaluation.scores) {
    if (score.role != Role::train) continue;
    const std::vector<std::string> shifts = federation.shifts(score.client);
    all.found.push_back(score.cluster);
    all.concepts.push_back(number(0, shifts.at(0)));
    all.others.push_back(number(1, shifts.at(1)));
    all.both.push_back(number(2, shifts[0] + shifts[1]));
    all.labels.push_back(main_label(federation, score.client));
  }
  return all;
}

Groupings play(const std::string& text, std::uint64_t seed) {
  Problems problems;
  Config config =
      read_config(parse_toml("seed = " + std::to_string(seed) + "\n" + text, "test"), "test", problems);
  problems.raise_if_any();
  Session session(config, "", 2, "");
  session.start();
  for (std::uint32_t t = 1; t <= 40; ++t) session.round(t);
  return groupings(session.federation(), session.evaluate(40, false));
}

void expect_concepts_alone(const Groupings& groups, std::uint64_t seed) {
  EXPECT_EQ(groups.clusters(), 3u) << seed;
  EXPECT_GT(groups.agreement(groups.concepts), 0.9) << seed;
  EXPECT_LT(groups.agreement(groups.others), 0.05) << seed;
  EXPECT_LT(groups.agreement(groups.labels), 0.15) << seed;
}

TEST(TierGrouping, FedRcGroupsByConceptAndNotByCameraOrLabels) {
  const std::string method =
      "[clusters]\ncount = 3\ninit = \"random\"\n[algorithm]\nkind = \"fedrc\"\n"
      "[algorithm.fedrc]\nrule = \"paper\"\nextractor = false\n";
  for (const std::uint64_t seed : {1, 2, 3}) {
    expect_concepts_alone(play(kConcepts + std::string(kCameras) + method, seed), seed);
  }
}

// From one cluster, without being told how many there are.
const std::string kPlus = "[clusters]\ncount = 1\ninit = \"random\"\n[algorithm]\nkind = \"hcfl-plus\"\n";

TEST(TierGrouping, HcflPlusWithClassPrototypesGroupsByConceptAndNotByCameraOrLabels) {
  const std::string method = kPlus + "[algorithm.hcfl-plus]\nrho = 0.2\nleast_samples = 10\n";
  for (const std::uint64_t seed : {1, 2, 3}) {
    expect_concepts_alone(play(kConcepts + std::string(kCameras) + method, seed), seed);
  }
}

TEST(TierGrouping, HcflPlusWithAllPrototypesHasClustersPureInConceptAndTurn) {
  const std::string method = kPlus +
                             "[algorithm.hcfl-plus]\nrho = 0.15\nleast_samples = 10\n"
                             "[tiers]\ndistance = \"prototype-ascp\"\n";
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Groupings groups = play(kConcepts + std::string(kTurns) + method, seed);
    EXPECT_EQ(groups.purity(groups.both), 1) << seed;
    EXPECT_GE(groups.clusters(), 6u) << seed;
    EXPECT_LE(groups.clusters(), 8u) << seed << ": not merely small";
  }
}

}  // namespace
}  // namespace coterie::tiers_grouping_test
