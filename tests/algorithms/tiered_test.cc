// The program of the tiers against the methods that it contains, and combinations that it refuses.
#include <gtest/gtest.h>

#include "run/session.h"

namespace coterie::tiered_test {
namespace {

std::string config_text(const std::string& algorithm, const std::string& clusters, const std::string& more) {
  return R"(
seed = 5
[data]
source = "digits"
[[shift]]
kind = "rotate"
angles = [0, 180]
[clients]
count = 24
partition = "dirichlet"
alpha = 5
minimum = 8
[model]
kind = "mlp"
hidden = [8]
[local]
batch = 8
rate = 0.1
momentum = 0.5
momentum_survives = true
[rounds]
count = 6
participation = 0.5
[clusters]
init = "random"
count = )" +
         clusters + "\n[algorithm]\nkind = \"" + algorithm + "\"\n" + more;
}

Config config_of(const std::string& text) {
  Problems problems;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  return config;
}

std::vector<Vec> models_after(const std::string& text) {
  Config config = config_of(text);
  Session session(config, "", 2, "");
  session.start();
  for (std::uint32_t t = 1; t <= 6; ++t) session.round(t);
  return session.algorithm().offer().models;
}

TEST(Tiered, LowestLossWithAFixedNumberIsIfcaToTheBit) {
  const std::vector<Vec> ifca = models_after(config_text("ifca", "3", ""));
  EXPECT_EQ(models_after(config_text("tiered", "3", "")), ifca);
  EXPECT_EQ(models_after(config_text("fedem", "3", "[tiers]\nweights = \"lowest-loss\"\n")), ifca);
}

TEST(Tiered, OneClusterIsFedAvgToTheBitWhateverTheWeights) {
  const std::vector<Vec> fedavg = models_after(config_text("fedavg", "1", ""));
  for (const char* weights : {"lowest-loss", "nearest-parameters", "membership", "em", "sample-soft"}) {
    const std::string tiers = std::string("[tiers]\nweights = \"") + weights + "\"\n";
    EXPECT_EQ(models_after(config_text("tiered", "1", tiers)), fedavg) << weights;
    EXPECT_EQ(models_after(config_text("tiered", "1", "[algorithm.tiered]\nextractor = true\n" + tiers)),
              fedavg)
        << weights;
  }
}

TEST(Tiered, LossCountsWithoutProxIsFedSoftToTheBit) {
  const std::string counts = "[tiers]\nweights = \"loss-counts\"\n";
  const std::vector<Vec> fedsoft = models_after(config_text("fedsoft", "3", ""));
  EXPECT_EQ(models_after(config_text("tiered", "3", counts)), fedsoft);
  EXPECT_EQ(models_after(config_text("fedem", "3", counts)), fedsoft);
  EXPECT_NE(models_after(config_text("tiered", "3", "[algorithm.tiered]\nprox = 0.0\n" + counts)), fedsoft);
}

std::string error_of(const std::string& text) {
  try {
    config_of(text);  // what makes no sense is said before anything runs
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Tiered, RefusesWhatMakesNoSenseWithTheReason) {
  auto error = [](const std::string& algorithm, const std::string& more) {
    return error_of(config_text(algorithm, "2", more));
  };
  EXPECT_TRUE(says(error("fedem", "[tiers]\ndistance = \"prototype-cscp\"\n"), "fixed looks at no distance"));
  EXPECT_TRUE(says(error("hcfl-plus", "[tiers]\ndistance = \"none\"\n"), "needs a distance"));
  EXPECT_EQ(error("ifca", "[tiers]\nweights = \"em\"\n"), "") << "a note, no error";
  EXPECT_TRUE(says(error("fedrc", "[tiers]\nweights = \"lowest-loss\"\n"), "responsibilities"));
  EXPECT_TRUE(says(error("fedsoft", "[algorithm.fedsoft]\nextractor = true\n"), "whole model"));
  EXPECT_TRUE(
      says(error("fedsoft", "[algorithm.fedsoft]\nprox_to = \"all\"\n"), "prox_to = \"all\" does nothing"));
  EXPECT_TRUE(says(error("stocfl", "[tiers]\nweights = \"loss-counts\"\n"), "use prox_to = \"own\""));
  EXPECT_TRUE(says(error("fedem", "[tiers]\nadapt = \"splt-remove\"\n"), "did you mean \"split-remove\""));
}

TEST(Tiered, AReplacedPartBringsItsDistance) {
  EXPECT_EQ(error_of(config_text("fedem", "2", "[tiers]\nadapt = \"split-remove\"\n")), "");
  EXPECT_EQ(error_of(config_text("hcfl-plus", "2", "[tiers]\nadapt = \"fixed\"\n")), "");
}

TEST(Tiered, SaysWhatItIsMadeOfAndWhichOptionsNothingReads) {
  Config config = config_of(config_text("hcfl-plus", "2",
                                        "[algorithm.hcfl-plus]\nbackbone = \"fedem\"\nrho = 0.1\nmu = 0.1\n"
                                        "eps1 = 0.3\nridge = 0.01\n[tiers]\nweights = \"em\"\n"));
  Session session(config, "", 1, "");
  session.report_notes();
  session.start();
  const std::vector<std::string> warnings = session.algorithm().warnings(session.fleet());
  ASSERT_EQ(warnings.size(), 2u) << "ridge has its default";
  EXPECT_EQ(warnings[0], "algorithm.hcfl-plus.mu does nothing here: it is for sample-soft");
  EXPECT_EQ(warnings[1], "algorithm.hcfl-plus.eps1 does nothing here: it is for split-cfl");
  const std::vector<Event> events = session.fleet().take_events();
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].kind, "parts");
  EXPECT_TRUE(
      says(events[0].text, "objective = \"conditional\", weights = \"em\", adapt = \"split-remove\""));
}

TEST(Tiered, WarnsWhereNothingPullsLossCounts) {
  const auto warnings = [](const std::string& more) {
    Config config = config_of(config_text("fedsoft", "2", more));
    Session session(config, "", 1, "");
    return session.algorithm().warnings(session.fleet());
  };
  EXPECT_TRUE(warnings("").empty());
  const std::vector<std::string> alone = warnings("[algorithm.fedsoft]\nprox = 0.0\n");
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_TRUE(says(alone[0], "every client trains alone"));
  EXPECT_TRUE(warnings("[algorithm.fedsoft]\nprox = 0.0\n[tiers]\nweights = \"em\"\n").empty());
}

TEST(Tiered, AResolvedConfigKeepsItsTiers) {
  const std::string text = config_text("hcfl-plus", "2",
                                       "[algorithm.hcfl-plus]\nbackbone = \"fedsoft\"\nprox = 0.5\n"
                                       "[tiers]\nadapt = \"fixed\"\n");
  const Table resolved = config_of(text).resolved();
  EXPECT_EQ(std::get<std::string>(find_path(resolved, "tiers.adapt")->data), "fixed");
  EXPECT_EQ(find_path(resolved, "tiers.weights"), nullptr);
  EXPECT_EQ(std::get<double>(find_path(resolved, "algorithm.hcfl-plus.prox")->data), 0.5);
  Problems problems;
  EXPECT_EQ(write_toml(read_config(resolved, "test", problems).resolved()), write_toml(resolved));
}

}  // namespace
}  // namespace coterie::tiered_test
