#include "run/light.h"

#include <gtest/gtest.h>

namespace coterie::light_test {
namespace {

Config config_of(const std::string& more, const std::string& algorithm = "ifca") {
  std::string text = R"(seed = 5
precision = "double"
[data]
source = "mixed-linear"
dimension = 3
seed = 2
[clients]
count = 6
samples = 20
[model]
kind = "linear"
intercept = false
[clusters]
count = 2
init = "random"
[rounds]
count = 4
[algorithm]
kind = ")" + algorithm +
                     "\"\n" + more;
  Problems problems;
  Config config = read_config(parse_toml(text, "x.toml"), "x.toml", problems);
  problems.raise_if_any();
  return config;
}

const std::string kGd = "[local]\nsolver = \"gd\"\nrate = 0.1\n";

TEST(LightRun, GivesTheFiguresOfAFullRunsLastRound) {
  Config config = config_of(kGd);
  LightRun light = LightRunner("", 1).run(config);
  Session session(config, "", 1, "");
  session.start();
  for (std::uint32_t t = 1; t <= 4; ++t) session.round(t);
  Record full = measure(session.evaluate(4, true));
  EXPECT_EQ(light.error, "");
  EXPECT_EQ(light.metrics.number("parameter_error"), full.number("parameter_error"));
  EXPECT_EQ(light.metrics.number("loss"), full.number("loss"));
}

TEST(LightRun, ARunnerThatKeepsItsDataGivesTheSameBits) {
  LightRunner kept("", 1);
  kept.run(config_of(kGd));
  Config other = config_of("[local]\nsolver = \"gd\"\nrate = 0.2\n");
  EXPECT_EQ(kept.run(other).metrics.number("loss"), LightRunner("", 1).run(other).metrics.number("loss"));
  Config more_data = config_of(kGd);
  more_data.federation.data.seed = 3;
  EXPECT_EQ(kept.run(more_data).metrics.number("loss"),
            LightRunner("", 1).run(more_data).metrics.number("loss"));
}

// Without a seed of its own the data takes the run's.
TEST(LightRun, ARunnerDoesNotKeepTheDataOfAnotherSeed) {
  LightRunner kept("", 1);
  Config first = config_of(kGd);
  first.federation.data.seed.reset();
  Config second = config_of(kGd);
  second.federation.data.seed.reset();
  second.seed = 6;
  kept.run(first);
  EXPECT_EQ(kept.run(second).metrics.number("loss"), LightRunner("", 1).run(second).metrics.number("loss"));
}

// Every client sends its own model once; three further rounds would have it sent again.
TEST(LightRun, EndsWhenTheMethodIsFinished) {
  Config config = config_of("", "naive-average");
  const LightRun light = LightRunner("", 1).run(config);
  Session session(config, "", 1, "");
  session.start();
  session.round(1);
  ASSERT_TRUE(session.algorithm().finished());
  EXPECT_EQ(light.metrics.number("bytes_up"), measure(session.evaluate(1, true)).number("bytes_up"));
}

TEST(LightRun, ADivergedRunTellsWhyAndHasNoFigures) {
  LightRun run = LightRunner("", 1).run(config_of("[local]\nsolver = \"gd\"\nrate = 1e200\nsteps = 5\n"));
  EXPECT_NE(run.error, "");
  EXPECT_TRUE(run.metrics.metrics.empty());
}

}  // namespace
}  // namespace coterie::light_test
