#include <gtest/gtest.h>

#include "support/class_run.h"

namespace coterie::pretrained_test {
namespace {

const std::vector<LabelledRow> kRows = {{{1, 0.5}, 0}, {{-0.5, 2}, 1}, {{0.3, -1}, 2}};
const std::vector<LabelledRow> kOthers = {{{2, 0.1}, 1}, {{-1, -1}, 0}, {{0.2, 1}, 2}};

struct Made {
  explicit Made(const std::string& toml, const std::string& model = "mlp")
      : run(GivenFederation({samples_of(kRows, 3), samples_of(kOthers, 3)}),
            {.algorithm = "ifca", .model = model, .model_toml = model == "mlp" ? "hidden = [4]" : ""}) {
    const auto init = make_plugin<Init>("pretrained", toml);
    start = init->make({*run.fleet, *run.setting, *run.algorithm, [&](std::uint32_t) { ++logged; }});
  }
  ClassRun run;
  Start start;
  int logged = 0;
};

// The extractor after so many rounds of FedAvg from the first random model.
Vec averaged(int rounds) {
  ClassRun run(GivenFederation({samples_of(kRows, 3), samples_of(kOthers, 3)}),
               {.algorithm = "fedavg", .model = "mlp", .model_toml = "hidden = [4]", .clusters = 1});
  run.start();
  for (int t = 0; t < rounds; ++t) run.round({0, 1});
  return run.models()[0];
}

TEST(Pretrained, HasTheExtractorThatFedAvgTrainsAndHeadsAsTheyWereDrawn) {
  const Made made("rounds = 7");
  const Vec common = averaged(7);
  const std::vector<Vec> drawn = random_models(*made.run.setting, 2, 0);
  ASSERT_EQ(made.start.models.size(), 2u);
  EXPECT_EQ(made.logged, 7);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < common.size(); ++j) {
      if (j < made.run.model->head()) {
        EXPECT_NEAR(made.start.models[k][j], common[j], 1e-14);
        EXPECT_NE(made.start.models[k][j], drawn[k][j]);
      } else {
        EXPECT_EQ(made.start.models[k][j], drawn[k][j]);
      }
    }
  }
}

TEST(Pretrained, AsksAsManyClientsAsItIsTold) {
  const Made all("rounds = 4"), one("rounds = 4\nclients = 1"), more("rounds = 4\nclients = 9");
  EXPECT_EQ(2 * one.run.fleet->traffic().up, all.run.fleet->traffic().up);
  EXPECT_EQ(more.start.models, all.start.models);
  EXPECT_NE(one.start.models, all.start.models);
}

TEST(Pretrained, IsRandomWhereThereIsNothingBeforeTheHead) {
  const Made made("rounds = 4", "softmax");
  EXPECT_EQ(made.start.models, random_models(*made.run.setting, 2, 0));
  EXPECT_EQ(made.run.fleet->traffic().up, 0u);
}

}  // namespace
}  // namespace coterie::pretrained_test
