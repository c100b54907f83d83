// The end of a vector that is not stepped: every solver leaves it to the model.
#include <gtest/gtest.h>

#include <cmath>

#include "coterie/solver.h"
#include "models/bound_model.h"
#include "support/plugins.h"
#include "support/toy_model.h"

namespace coterie {
namespace {

struct Trained {
  Vec w, momentum;
};

// From weights of 1 and a buffer of `buffer`, with everything that could move it.
Trained train(const std::string& solver, const std::string& toml, double buffer, bool dropout = false,
              std::uint64_t seed = 3) {
  ToyModel model(dropout);
  model.bind(regression(2), 1);
  const Rows<double> rows(regression(2), 8);
  const Vec start = {1, 1, 1, buffer}, centre = {5, 5, 5, 5};
  Trained out{Vec(4), Vec(4, 0.0)};
  Stream stream(seed, {Purpose::test});
  LocalJob<double> job{.model = model,
                       .data = rows.batch(),
                       .w = out.w,
                       .prox = 0.5,
                       .centre = centre,
                       .momentum = out.momentum,
                       .round = 1,
                       .stream = stream,
                       .start = start};
  make_plugin<Solver>(solver, toml)->train(job);
  return out;
}

double mean_of_first() {
  const Rows<double> rows(regression(2), 8);
  double mean = 0;
  for (std::size_t i = 0; i < 8; ++i) mean += rows.x[2 * i] / 8;
  return mean;
}

TEST(Buffers, AreWhatTheGradientMakesOfThemAndNothingElse) {
  const std::string all = "rate = 0.1\nmomentum = 0.5\nmomentum_survives = true\nweight_decay = 0.3\n";
  const Trained one = train("gd", all + "steps = 1", 2);
  EXPECT_NEAR(one.w[3], (2 + mean_of_first()) / 2, 1e-15);
  EXPECT_EQ(one.momentum[3], 0) << "nothing is remembered for a buffer";
  EXPECT_NE(one.w[0], 1);
  const Trained three = train("gd", all + "steps = 3", 2);
  EXPECT_NEAR(three.w[3], 2.0 / 8 + mean_of_first() * 7 / 8, 1e-15);
  const Trained batches = train("sgd", all + "batch = 4", 2);
  EXPECT_GT(std::fabs(batches.w[3] - 2), 1e-3);
  EXPECT_EQ(batches.momentum[3], 0);
}

// An exact minimum is of the objective, whose buffers are constants.
TEST(Buffers, StayInAnExactStep) {
  const Trained found = train("proximal", "rate = 0.5", 2);
  EXPECT_EQ(found.w[3], 2);
  EXPECT_NE(found.w[0], 1);
}

TEST(Dropout, RepeatsWithTheClientsStream) {
  for (const std::string toml : {"rate = 0.1\nsteps = 3", "rate = 0.1\nbatch = 3\nepochs = 2"}) {
    const std::string solver = toml.find("batch") == std::string::npos ? "gd" : "sgd";
    EXPECT_EQ(train(solver, toml, 0, true).w, train(solver, toml, 0, true).w);
    EXPECT_NE(train(solver, toml, 0, true).w, train(solver, toml, 0, true, 4).w);
    EXPECT_NE(train(solver, toml, 0, true).w, train(solver, toml, 0, false).w);
  }
}

}  // namespace
}  // namespace coterie
