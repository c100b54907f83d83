// Splits without a threshold that has units, on matrices worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "algorithms/tier_states.h"
#include "algorithms/tiers/gap_rule.h"
#include "algorithms/tiers/prototypes.h"
#include "support/tiny_federation.h"

namespace coterie::tiers_gap_rule_test {
namespace {

using Labels = std::vector<std::uint32_t>;
const double kUnknown = std::nan("");

// A symmetric matrix from the distances below its diagonal, row by row.
Vec square(const Vec& below) {
  std::size_t count = 1;
  while (count * (count - 1) / 2 < below.size()) ++count;
  Vec all(count * count, 0.0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) all[i * count + j] = all[j * count + i] = below[next++];
  }
  return all;
}

TEST(MaskedParts, AreTwoByAverageLinkage) {
  const MaskedParts got = masked_parts(square({0.1, 1, 1.2, 1, 1.2, 0.3}), 4);
  EXPECT_EQ(got.parts, (Labels{0, 0, 1, 1}));
  EXPECT_NEAR(got.within, (0.1 + 0.3) / 2, 1e-15);
  EXPECT_NEAR(got.across, (1 + 1.2 + 1 + 1.2) / 4, 1e-15);
}

// Clients 0 and 2 have no class in common. As a distance of 0 that would join them first.
TEST(MaskedParts, LeaveUnknownPairsOut) {
  const MaskedParts got = masked_parts(square({0.1, kUnknown, 1.2, 1, 1.2, 0.3}), 4);
  EXPECT_EQ(got.parts, (Labels{0, 0, 1, 1}));
  EXPECT_NEAR(got.across, (1.2 + 1 + 1.2) / 3, 1e-15);
  EXPECT_NE(masked_parts(square({0.1, 0, 1.2, 1, 1.2, 0.3}), 4).parts, (Labels{0, 0, 1, 1}));
}

// Client 4 is far from everybody, and nearest to the second pair: by itself it would be the first part.
TEST(MaskedParts, HaveTwoClientsOrMore) {
  const MaskedParts got = masked_parts(square({0.1, 1, 1, 1, 1, 0.1, 9, 9, 8, 8}), 5);
  EXPECT_EQ(got.parts, (Labels{0, 0, 1, 1, 1}));
  EXPECT_TRUE(masked_parts(square({0.1, 5, 5}), 3).parts.empty()) << "two and one";
  EXPECT_TRUE(masked_parts(Vec{0}, 1).parts.empty());
}

// A distance that tells nothing but that it is no cosine of one vector.
class Plain : public TierDistance {
 public:
  Source source() const override { return Source::told; }
  Vec matrix(std::span<const Told* const>, std::size_t, std::span<const Vec>) const override { return {}; }
};

TEST(GapRule, AcceptsPartsFarApartForTheirWidth) {
  Stream stream(1, {Purpose::server, 1, 0, 0});
  TierOptions options;
  for (const double unit : {1.0, 1000.0, 1e-9}) {
    const auto parts = [&](double across) {
      Vec distances = square({0.5, across, across, across, across, 0.5});
      for (double& value : distances) value *= unit;
      return gap_split(options, Plain(), distances, 4, stream).parts;
    };
    EXPECT_EQ(parts(0.91), (Labels{0, 0, 1, 1})) << unit;
    EXPECT_TRUE(parts(0.89).empty()) << unit;
  }
  options.least_ratio = 3;
  EXPECT_TRUE(gap_split(options, Plain(), square({0.5, 1, 1, 1, 1, 0.5}), 4, stream).parts.empty());
}

TEST(GapRule, PrototypesWithoutACommonClassAreUnknown) {
  const Prototypes a{{3, 0}, {1, 0, 0, 0, 1, 0}}, b{{0, 3}, {0, 0, 1, 0, 1, 0}};
  EXPECT_EQ(prototype_distance(a, b, {}), 0);
  EXPECT_TRUE(std::isnan(prototype_distance(a, b, {.unknown = kUnknown})));
  EXPECT_NEAR(prototype_distance(a, a, {.unknown = kUnknown}), 0, 1e-15);
}

// A client whose best model is (a, b): a step of size 2 takes it there from anywhere.
TinyFederation::Client at_angle(double degrees, double length) {
  const double angle = degrees * std::numbers::pi / 180;
  return {{{1, 0}, {0, 1}}, {length * std::cos(angle), length * std::sin(angle)}, 0};
}
std::vector<TinyFederation::Client> three_ways(double unit) {
  std::vector<TinyFederation::Client> all;
  for (const double angle : {0.0, 120.0, 240.0}) {
    for (const double length : {1.0, 1.0, 1.0}) all.push_back(at_angle(angle, unit * length));
  }
  return all;
}
TinyRun::Choices choices(const std::string& method, const std::string& toml) {
  TinyRun::Choices out;
  out.algorithm = method;
  out.algorithm_toml = toml;
  out.solver_toml = "rate = 2.0\nsteps = 1";
  return out;
}
// ICFL's bar is high from the first round on.
std::string way(const std::string& method, int every) {
  return (method == "icfl" ? "rule = \"gap\"\nalpha = 0.01\n" : "") +
         std::string("anchor_rounds = 1\nlook_every = ") + std::to_string(every);
}
const std::vector<ClientId> kNine = {0, 1, 2, 3, 4, 5, 6, 7, 8};

TEST(GapRule, ClustersSplitIntoAllTheirGroupsAtALook) {
  for (const std::string method : {"cfl", "icfl", "stocfl"}) {
    for (const double unit : {0.5, 500.0}) {  // whatever the unit of the updates
      TinyRun run(three_ways(unit), choices(method, way(method, 2)));
      run.start({{0, 0}});
      run.round(kNine);
      EXPECT_EQ(run.models().size(), 1u) << method << ": no look yet";
      run.round(kNine);
      EXPECT_EQ(run.models().size(), 3u) << method << unit;
      for (ClientId i = 0; i < 9; ++i) {
        std::size_t shared = 0;
        for (ClientId j = 0; j < 9; ++j) {
          shared += clusters(run).home(i) == clusters(run).home(j) ? 1 : 0;
          EXPECT_EQ(clusters(run).home(i) == clusters(run).home(j), i / 3 == j / 3) << method << i << j;
        }
        EXPECT_EQ(shared, 3u);
      }
      run.round(kNine);
      run.round(kNine);
      EXPECT_EQ(run.models().size(), 3u) << method << ": clients of a cluster are alike";
    }
  }
}

TEST(GapRule, OneWayToPullIsOneCluster) {
  for (const std::string method : {"cfl", "icfl", "stocfl"}) {
    std::vector<TinyFederation::Client> all;
    for (int i = 0; i < 9; ++i) all.push_back(at_angle(10 * (i % 3), 100));
    TinyRun run(all, choices(method, way(method, 1)));
    run.start({{0, 0}});
    run.round(kNine);
    EXPECT_EQ(run.models().size(), 1u) << method;
    EXPECT_EQ(of_kind(*run.fleet, "whole").size(), 1u) << "and says what it found";
  }
}

// Two halves as far apart as asked.
class Halves : public Plain {
 public:
  Vec matrix(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    Vec all;
    for (const Told* a : who) {
      for (const Told* b : who) all.push_back(a == b ? 0 : a->client / 4 == b->client / 4 ? 1 : apart);
    }
    return all;
  }
  double apart = 1;
};

// Cluster 1 is nobody's first: it goes in round 1. A split that clients did not follow is not tried again at
// once.
TEST(GapRule, AfterARemovalNothingSplitsForThreeLooks) {
  TinyRun run(three_ways(1), choices("cfl", ""));
  TierOptions options;
  options.gap = true;
  options.look_every = 1;
  const auto adapt = Registry<TierAdapt>::instance().make("split-remove");
  adapt->prepare(options, *run.setting, TierWeights(TierWeights::Rule::sample_soft));
  Clusters clusters;
  clusters.start({{0, 0}, {0, 0}}, {}, 8);
  std::vector<Told> told(8);
  const auto look = [&](std::uint32_t round, const Halves& distance) {
    for (ClientId i = 0; i < 8; ++i) {
      told[i].client = i;
      told[i].weights.assign(clusters.count(), 0.0);
      told[i].weights[0] = 1;
      told[i].trained.assign(clusters.count(), {1, 1});
      clusters.weights[i] = told[i].weights;
    }
    clusters.sent = clusters.models;
    adapt->adapt(clusters, told, distance, *run.fleet, {round, 10, {}});
    return clusters.count();
  };
  Halves distance;
  EXPECT_EQ(look(1, distance), 1u) << "removed";
  distance.apart = 5;
  EXPECT_EQ(look(2, distance), 1u) << "barred";
  EXPECT_EQ(look(3, distance), 1u) << "barred";
  EXPECT_EQ(look(4, distance), 2u);
}

TEST(GapRule, OneThresholdOfThePaperAsksForItsRule) {
  TierOptions options;
  for (const char* adapt : {"split-cfl", "split-icfl", "split-remove", "merge"})
    EXPECT_TRUE(options.by_gap(adapt));
  EXPECT_FALSE(options.by_gap("fixed"));
  options.eps2 = 1;
  options.slope = 4;
  options.rho = 0.1;
  options.tau = 0.4;
  for (const char* adapt : {"split-cfl", "split-icfl", "split-remove", "merge"})
    EXPECT_FALSE(options.by_gap(adapt));
  options.rule = "gap";
  EXPECT_TRUE(options.by_gap("split-cfl"));
  options = TierOptions();
  options.rule = "paper";
  EXPECT_FALSE(options.by_gap("split-remove"));
}

}  // namespace
}  // namespace coterie::tiers_gap_rule_test
