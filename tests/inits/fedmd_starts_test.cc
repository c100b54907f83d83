// Two-phase FedMD from random and adversarially bad starts, in whole runs of a small size.
#include <gtest/gtest.h>

#include "run/light.h"

namespace coterie::fedmd_starts_test {
namespace {

// The distance to the true parameters after Phase 2.
double error_of(const std::string& start, int seed) {
  const std::string text = "seed = " + std::to_string(seed) + R"(
[data]
source = "mixed-linear"
clusters = 2
dimension = 8
noise = 0.2
test_samples = 1
[clients]
partition = "quantity"
sizes = ["50x10", "10x40"]
parts = { train = 1.0, validation = 0.0, test = 0.0 }
[model]
kind = "linear"
intercept = false
[algorithm]
kind = "ifca"
[algorithm.ifca]
average = "changes"
divisor = "cohort"
[local]
solver = "gd"
steps = 5
rate = 0.3
[rounds]
count = 20
[clusters]
count = 2
)" + start;
  Problems problems;
  const Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  LightRunner runner("", 1);
  return runner.run(config).metrics.number("parameter_error");
}

TEST(FedMdStarts, FortyFiveOfFiftyReachTheOraclesError) {
  const std::string fedmd = "init = \"fedmd\"\n[clusters.fedmd]\niterations = 4\n";
  const std::string starts[] = {"", "start = \"zero\"", "scale = 300.0\nrounds = 40",
                                "start = \"truth\"\nstart_cluster = 0",
                                "start = \"truth\"\nstart_cluster = 1"};
  int good = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    const double oracle = error_of("init = \"near-truth\"\n[clusters.near-truth]\ndistance = 0.0\n", seed);
    EXPECT_LT(oracle, 0.2);
    for (const std::string& start : starts) good += error_of(fedmd + start, seed) <= 1.1 * oracle ? 1 : 0;
  }
  EXPECT_GE(good, 45);
}

}  // namespace
}  // namespace coterie::fedmd_starts_test
