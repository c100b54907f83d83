// Every combination of the four tiers either runs, or is refused with a reason.
#include <gtest/gtest.h>

#include <cmath>

#include "coterie/methods/tiers.h"
#include "run/session.h"

namespace coterie::tiers_grid_test {
namespace {

// Few digits at few clients, under two concepts.
const char* kConfig = R"(
seed = 3
[data]
source = "digits"
[[shift]]
kind = "permute-labels"
rule = "rotate-first"
beta = 0.4
concepts = 2
[clients]
count = 6
samples = 24
[model]
kind = "mlp"
hidden = [6]
[local]
batch = 8
rate = 0.2
[clusters]
count = 2
init = "random"
[rounds]
count = 5
participation = 0.7
[algorithm]
kind = "tiered"
[algorithm.tiered]
rho = 0.05
eps1 = 10.0
eps2 = 0.01
)";

struct Tally {
  int ran = 0;
  int refused = 0;
};

// Runs one combination, or says why not.
void play(const std::string& parts, const std::shared_ptr<const Federation>& federation, Tally& tally) {
  Config config;
  std::unique_ptr<Session> session;
  try {
    Problems problems;
    config = read_config(parse_toml(std::string(kConfig) + parts, "test"), "test", problems);
    problems.raise_if_any();
    session = std::make_unique<Session>(config, "", 1, "", federation);
  } catch (const BadConfig& e) {
    EXPECT_NE(std::string(e.what()).find("tiers.objective"), std::string::npos) << parts << e.what();
    ++tally.refused;
    return;
  }
  session->start();
  for (std::uint32_t t = 1; t <= 5; ++t) session->round(t);
  for (const ClientScore& score : session->evaluate(5, true).scores) {
    double sum = 0;
    for (double w : score.weights) sum += w;
    EXPECT_NEAR(sum, 1, 1e-5) << parts;
    EXPECT_TRUE(std::isfinite(score.loss)) << parts;
  }
  for (const Event& event : session->fleet().take_events()) {
    EXPECT_NE(event.kind, "rejected") << parts << event.text;
    const bool change = event.kind == "split" || event.kind == "merged" || event.kind == "removed";
    EXPECT_TRUE(!change || event.numbers.size() > 1) << parts << event.text;
  }
  ++tally.ran;
}

// All combinations, with these options of the method.
Tally play_all(const std::string& options) {
  Problems problems;
  Config config = read_config(parse_toml(kConfig, "test"), "test", problems);
  problems.raise_if_any();
  const std::shared_ptr<const Federation> federation = build_federation(config.federation, {"", 3, ""}, 3);
  Tally tally;
  for (const std::string& objective : Registry<TierObjective>::instance().names()) {
    for (const std::string& weights : Registry<TierWeights>::instance().names()) {
      for (const std::string& adapt : Registry<TierAdapt>::instance().names()) {
        for (const std::string& distance : Registry<TierDistance>::instance().names()) {
          const std::string parts = options + "[tiers]\nobjective = \"" + objective + "\"\nweights = \"" +
                                    weights + "\"\nadapt = \"" + adapt + "\"\ndistance = \"" + distance +
                                    "\"\n";
          EXPECT_NO_THROW(play(parts, federation, tally)) << parts;
        }
      }
    }
  }
  return tally;
}

TEST(TierGrid, EveryMeaningfulCombinationRuns) {
  const Tally tally = play_all("");
  EXPECT_GT(tally.ran, 200);
  EXPECT_GT(tally.refused, 100);
}

// But for loss-counts, which keeps whole models.
TEST(TierGrid, AndWithASharedExtractor) {
  const Tally tally = play_all("extractor = true\n");
  EXPECT_GT(tally.ran, 170);
  EXPECT_GT(tally.refused, 100);
}

}  // namespace
}  // namespace coterie::tiers_grid_test
