// The skeletons of docs/skeletons compile and do what they say.
#include <gtest/gtest.h>

#include "../../docs/skeletons/algorithm.cc"
#include "../../docs/skeletons/fleet.cc"
#include "../../docs/skeletons/model.cc"
#include "support/tiny_federation.h"

namespace coterie::skeletons_test {
namespace {

// Three clients with one row each, x = 1.
std::vector<TinyFederation::Client> three() {
  return {{{{1.0}}, {4.0}, 0}, {{{1.0}}, {1.0}, 0}, {{{1.0}}, {2.0}, 0}};
}

// At 0 the losses are 8, 0.5 and 2: the second client's step of a tenth leads to 0.1.
TEST(Skeletons, TheAlgorithmKeepsTheModelOfTheLowestLoss) {
  TinyRun run(three(), {.algorithm = "skeleton"});
  run.start({{0.0}});
  run.round({0, 1, 2});
  EXPECT_NEAR(run.models()[0][0], 0.1, 1e-12);
}

TEST(Skeletons, TheModelIsLinear) {
  const auto train = [](const std::string& model, const std::string& toml) {
    MethodRun<TinyFederation> run(three(), {.model = model, .model_toml = toml});
    run.start({{0.0}});
    for (int t = 0; t < 5; ++t) run.round({0, 1, 2});
    return run.models()[0][0];
  };
  EXPECT_NEAR(train("skeleton", ""), train("linear", ""), 1e-12);
}

TEST(Skeletons, TheFleetGivesTheBitsOfThreads) {
  const auto train = [](const std::string& fleet) {
    TinyRun run(three(), {.algorithm = "ifca", .clusters = 2, .fleet = {.kind = fleet}});
    run.start({{0.0}, {3.0}});
    for (int t = 0; t < 5; ++t) run.round({0, 1, 2});
    return run.models();
  };
  EXPECT_EQ(train("skeleton"), train("threads"));
}

}  // namespace
}  // namespace coterie::skeletons_test
