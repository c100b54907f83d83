// With full batches and small steps the likelihood of mixtures never falls: expectation and maximisation at
// work.
#include <gtest/gtest.h>

#include "support/class_run.h"

namespace coterie::tiers_likelihood_test {
namespace {

struct Case {
  const char* name;
  const char* algorithm;
  const char* options;
  int held = 0;  // rounds in which P(y) is still learnt
};

// Unequal clients of two rules.
GivenFederation unequal() { return mixture({Task::classification, 3, 3, 0, 0, 0}, {12, 5, 20, 9}, 2, 4); }

class Likelihood : public testing::TestWithParam<Case> {};

TEST_P(Likelihood, NeverFalls) {
  for (const char* model : {"softmax", "mlp"}) {
    ClassRun::Choices choices;
    choices.algorithm = GetParam().algorithm;
    choices.algorithm_toml = GetParam().options;
    choices.tiers_toml = "adapt = \"fixed\"";
    choices.model = model;
    choices.model_toml = std::string(model) == "mlp" ? "hidden = [5]" : "";
    ClassRun run(unequal(), choices);
    run.start();
    const std::vector<ClientId> all = {0, 1, 2, 3};
    double before = -1e9, first = 0;
    for (int t = 0; t < 40; ++t) {
      run.round(all);
      ASSERT_EQ(run.algorithm->own_metrics(all).size(), 1u);
      const double value = run.algorithm->own_metrics(all)[0].second;
      if (t == GetParam().held) first = value;
      if (t > GetParam().held) {
        EXPECT_GE(value, before - 1e-12) << GetParam().name << " " << model << " " << t;
      }
      before = value;
    }
    EXPECT_GT(before, first + 0.01) << GetParam().name << ": it learns";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Likelihood,
    testing::Values(Case{"FedEm", "fedem", ""}, Case{"Plus0", "hcfl-plus", "backbone = \"fedem\"\nmu = 0"},
                    Case{"Plus1", "hcfl-plus", "backbone = \"fedem\"\nmu = 1"},
                    Case{"FedRcHeld", "fedrc", "rule = \"paper\"\nextractor = false\nhold_after = 2", 2},
                    Case{"Plus0RcHeld", "hcfl-plus", "backbone = \"fedrc\"\nmu = 0\nhold_after = 2", 2},
                    Case{"Plus1RcHeld", "hcfl-plus", "backbone = \"fedrc\"\nmu = 1\nhold_after = 2", 2}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace coterie::tiers_likelihood_test
