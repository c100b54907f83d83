// Skipping is exact: whatever is not evaluated, or not even sent, the choices and the models are the same to
// the bit.
#include <gtest/gtest.h>

#include "run/session.h"

namespace coterie::ifca_skip_test {
namespace {

struct Case {
  std::string name;
  std::string text;
  int rounds;
};

const std::vector<Case> kCases = {
    {"linear", R"(
[data]
source = "mixed-linear"
dimension = 20
clusters = 3
[clients]
count = 30
samples = 25
[model]
kind = "linear"
intercept = false
[local]
solver = "gd"
rate = 0.2
[clusters]
count = 3
init = "random"
[rounds]
count = 200
participation = 0.7
)",
     200},
    {"large_numbers", R"(
[data]
source = "mixed-linear"
dimension = 20
clusters = 3
radius = 20000.0
noise = 3.0
[clients]
count = 30
samples = 25
[model]
kind = "linear"
intercept = false
[local]
solver = "gd"
rate = 0.2
[aggregate]
limit = 1e6
[clusters]
count = 3
init = "random"
[rounds]
count = 200
)",
     200},
    {"logistic", R"(
[data]
source = "mixed-logistic"
dimension = 10
clusters = 2
[clients]
count = 20
samples = 40
[model]
kind = "logistic"
intercept = true
[local]
solver = "gd"
rate = 0.5
[clusters]
count = 2
init = "random"
[rounds]
count = 200
)",
     200},
    {"softmax", R"(
[data]
source = "digits"
[[shift]]
kind = "rotate"
angles = [0, 90, 180]
[clients]
count = 30
[model]
kind = "softmax"
[local]
solver = "gd"
rate = 0.5
steps = 3
[clusters]
count = 3
init = "random"
[rounds]
count = 200
)",
     200},
    {"mlp", R"(
[data]
source = "digits"
[[shift]]
kind = "permute-labels"
[clients]
count = 24
[model]
kind = "mlp"
hidden = [12]
[local]
solver = "gd"
rate = 0.3
steps = 2
[clusters]
count = 3
init = "random"
[rounds]
count = 200
participation = 0.6
)",
     200},
    {"linear_with_l2", R"(
[data]
source = "mixed-linear"
dimension = 20
clusters = 3
[clients]
count = 30
samples = 25
[model]
kind = "linear"
intercept = false
l2 = 0.3
[local]
solver = "gd"
rate = 0.2
[clusters]
count = 3
init = "random"
[rounds]
count = 200
participation = 0.7
)",
     100},
    {"mlp_with_l2", R"(
[data]
source = "digits"
[[shift]]
kind = "permute-labels"
[clients]
count = 24
[model]
kind = "mlp"
hidden = [12]
l2 = 0.01
[local]
solver = "gd"
rate = 0.3
steps = 2
[clusters]
count = 3
init = "random"
[rounds]
count = 200
)",
     60},
};

struct Played {
  Played(const Case& c, const std::string& skip, const std::string& more = "")
      : config(config_of(c.text + "[algorithm]\nkind = 'ifca'\n[algorithm.ifca]\nskip = '" + skip + "'\n" +
                         more)),
        session(config, "", 1, "") {
    session.start();
  }
  static Config config_of(const std::string& text) {
    Problems problems;
    Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    return config;
  }
  Config config;
  Session session;
};

class IfcaSkip : public testing::TestWithParam<Case> {};

TEST_P(IfcaSkip, ChoicesAndModelsAreThoseOfEvaluatingEverything) {
  const Case& c = GetParam();
  Played all(c, "none"), partial(c, "partial"), bounds(c, "bounds");
  for (int t = 1; t <= c.rounds; ++t) {
    for (Played* played : {&all, &partial, &bounds}) played->session.round(static_cast<std::uint32_t>(t));
    const std::vector<Vec> models = all.session.algorithm().offer().models;
    ASSERT_EQ(partial.session.algorithm().offer().models, models) << "round " << t;
    ASSERT_EQ(bounds.session.algorithm().offer().models, models) << "round " << t;
  }
  EXPECT_EQ(partial.session.fleet().traffic().down, all.session.fleet().traffic().down);
  EXPECT_LT(bounds.session.fleet().traffic().down, all.session.fleet().traffic().down);
}

TEST_P(IfcaSkip, BoundsSurviveACheckpoint) {
  const Case& c = GetParam();
  Played whole(c, "bounds"), first(c, "bounds"), second(c, "bounds");
  for (std::uint32_t t = 1; t <= 12; ++t) whole.session.round(t);
  for (std::uint32_t t = 1; t <= 6; ++t) first.session.round(t);
  Archive out = Archive::writer(Precision::f64);
  first.session.save(out);
  const Bytes bytes = out.take();
  Archive in = Archive::reader(bytes, Precision::f64);
  second.session.load(in);
  for (std::uint32_t t = 7; t <= 12; ++t) second.session.round(t);
  EXPECT_EQ(second.session.algorithm().offer().models, whole.session.algorithm().offer().models);
  EXPECT_EQ(second.session.fleet().traffic().down, whole.session.fleet().traffic().down);
}

INSTANTIATE_TEST_SUITE_P(All, IfcaSkip, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(IfcaSkip, BoundsAreRefusedWhereTheyAreNotKnownOrDataChanges) {
  Case deep = kCases[4];
  deep.text.replace(deep.text.find("[12]"), 4, "[6, 6]");
  EXPECT_THROW(Played(deep, "bounds"), Error);
  Case redealt = kCases[0];
  redealt.text.replace(redealt.text.find("dimension = 20"), 14, "dimension = 20\nredeal = 'epoch'");
  EXPECT_THROW(Played(redealt, "bounds"), Error);
  EXPECT_THROW(Played(kCases[0], "bounds", "resample = true\n"), Error);
}

}  // namespace
}  // namespace coterie::ifca_skip_test
