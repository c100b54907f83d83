// Every registered rule inside every registered algorithm.
#include <gtest/gtest.h>

#include "support/small_session.h"

namespace coterie::every_algorithm_test {
namespace {

// Why a method does not read [aggregate] kind; "": it does.
std::string why_not(const std::string& algorithm) {
  if (algorithm == "local" || algorithm == "local-erm") return "nobody's vectors are combined";
  if (algorithm == "cluster-oracle") return "it minimises over all rows of a cluster at once";
  if (algorithm == "federated-clustering" || algorithm == "momentum-clustering") {
    return "threshold clustering combines what clients send";
  }
  return "";
}

std::string toml(const std::string& rule) { return "[aggregate]\nkind = \"" + rule + "\"\n"; }

// The mean loss of honest clients when everybody is asked, and two of twelve lie.
double loss(SmallChoice choice, const std::string& attack) {
  choice.more += "[attack]\nkind = \"" + attack + "\"\nfraction = 0.17\n";
  choice.participation = "1.0";
  return small_run(choice, nullptr).loss();
}

class EveryAlgorithmAggregates : public EveryAlgorithm {
 protected:
  static SmallChoice by(const std::string& rule) { return {GetParam(), toml(rule)}; }
};

TEST_P(EveryAlgorithmAggregates, ByTheRuleThatIsAskedFor) {
  const SmallEnd mean = small_run({GetParam()}, federation);
  for (const std::string& rule : Registry<Aggregator>::instance().names()) {
    if (rule == "mean") continue;
    const SmallEnd end = small_run(by(rule), federation);
    const std::string reason = why_not(GetParam());
    EXPECT_EQ(end.same_for_all(mean), !reason.empty()) << rule << ": " << reason;
    EXPECT_TRUE(end.finite()) << rule;
  }
}

TEST_P(EveryAlgorithmAggregates, GivesTheSameBitsWhateverTheFleetAndWhenResumed) {
  for (const std::string& rule : Registry<Aggregator>::instance().names()) expect_same_bits(by(rule), rule);
}

class AlgorithmThatCombines : public EveryAlgorithmAggregates {};

// Two of twelve send a thousand everywhere. Where clients' vectors are grouped by what they are, a liar is by
// itself, and the mean does no worse.
TEST_P(AlgorithmThatCombines, TheMedianHoldsWhereTheMeanDoesNot) {
  const bool liars_apart = GetParam() == "odcl" || GetParam() == "one-shot" || GetParam() == "myopic";
  EXPECT_LT(loss(by("median"), "huge"), loss(by("median"), "none") + 0.15);
  EXPECT_EQ(loss(by("mean"), "huge") > 5, !liars_apart);
}

// Every client of StoCFL alone: what liars train is theirs, but all training is pulled towards what clusters
// have in common.
TEST(RulesInStocfl, AClusterOfLiarsDoesNotReachTheOthers) {
  auto alone = [](const std::string& rule) {
    SmallChoice choice{"stocfl", toml(rule)};
    choice.options = "tau = 0.9\n";
    return choice;
  };
  EXPECT_GT(loss(alone("mean"), "huge"), loss(alone("mean"), "none") + 0.3);
  for (const char* rule : {"median", "geometric-median", "multi-krum", "centered-clipping", "threshold"}) {
    EXPECT_LT(loss(alone(rule), "huge"), loss(alone(rule), "none") + 0.05) << rule;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithmAggregates, every_algorithm(), test_name);

std::vector<std::string> those_that_combine() {
  std::vector<std::string> names = Registry<Algorithm>::instance().names();
  std::erase_if(names, [](const std::string& name) { return !why_not(name).empty(); });
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, AlgorithmThatCombines, testing::ValuesIn(those_that_combine()), test_name);

}  // namespace
}  // namespace coterie::every_algorithm_test
