#include <gtest/gtest.h>

#include "support/class_run.h"

namespace coterie::pytorch_test {
namespace {

std::vector<Vec> made(const std::string& toml) {
  const Samples samples = samples_of({{{1, 0, 0}, 0}, {{0, 1, 0}, 1}}, 2);
  ClassRun run(GivenFederation({samples}),
               {.algorithm = "ifca", .model = "mlp", .model_toml = "hidden = [2]"});
  return make_plugin<Init>("pytorch", toml)->make({*run.fleet, *run.setting, *run.algorithm, nullptr}).models;
}

// What PyTorch 1.13 printed after torch.manual_seed(3), for Linear(3, 2), Linear(2, 2) and the same again;
// weights turned from outputs x inputs into inputs x outputs.
TEST(PyTorch, DrawsTheSameFloats) {
  const std::vector<Vec> models = made("seed = 3");
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0],
            (Vec{-0.5724271535873413, -0.5462254881858826, -0.45544925332069397, -0.032776910811662674,
                 -0.2472877949476242, -0.5079339742660522, 0.3139236271381378, 0.28139978647232056,
                 0.13353174924850464, -0.06925216317176819, 0.5485121607780457, 0.42354369163513184,
                 -0.4951997399330139, -0.13934414088726044}));
  EXPECT_EQ(models[1][0], -0.5147921442985535);
  EXPECT_EQ(models[1][13], 0.14099520444869995);
}

TEST(PyTorch, TakesTheSeedOfTheRunUnlessTold) {
  EXPECT_EQ(made(""), made("seed = 1"));  // the run's
  EXPECT_NE(made(""), made("seed = 2"));
}

}  // namespace
}  // namespace coterie::pytorch_test
