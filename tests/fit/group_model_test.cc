#include "fit/group_model.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "coterie/methods/newton.h"
#include "models/bound_model.h"
#include "support/given_federation.h"
#include "support/tiny_federation.h"

namespace coterie::group_model_test {
namespace {

// Five clients of one or two rows, fewer than there are columns; the third column is always 0.
const std::vector<TinyFederation::Client> kFew = {{{{1, 0, 0}}, {2}, 0},
                                                  {{{0, 1, 0}, {1, 1, 0}}, {1, 2}, 0},
                                                  {{{2, 1, 0}}, {5}, 0},
                                                  {{{1, -1, 0}}, {0}, 0},
                                                  {{{3, 5, 0}}, {100}, 0}};

TEST(GroupModel, IsLeastSquaresOverAllRowsWithErrorsByClient) {
  TinyRun run(kFew, {});
  const Lent lent(*run.program, curved_job());
  run.fleet->begin_round(1);
  const GroupModel group = fit_group(*run.fleet, *run.setting, {0, 1, 2, 3});
  EXPECT_EQ(group.clients, 4u);
  Eigen::Matrix<double, 5, 2> x;
  x << 1, 0, 0, 1, 1, 1, 2, 1, 1, -1;
  Eigen::Matrix<double, 5, 1> y;
  y << 2, 1, 2, 5, 0;
  const Eigen::Matrix2d inverse = Eigen::Matrix2d(x.transpose() * x).inverse();
  const Eigen::Vector2d b = inverse * Eigen::Vector2d(x.transpose() * y);
  const Eigen::Matrix<double, 5, 1> e = x * b - y;
  // The second and third row are of one client.
  Eigen::Matrix<double, 4, 2> scores;
  scores << e[0] * x.row(0), e[1] * x.row(1) + e[2] * x.row(2), e[3] * x.row(3), e[4] * x.row(4);
  const Eigen::Matrix2d squares = scores.transpose() * scores;
  const Eigen::Matrix2d covariance = 4.0 / 3 * inverse * squares * inverse;
  for (Eigen::Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(group.model[i], b[i], 1e-9);
    for (Eigen::Index j = 0; j < 2; ++j) EXPECT_NEAR(group.covariance(i, j), covariance(i, j), 1e-8);
  }
}

TEST(GroupModel, LeavesOutWhatItsRowsTellNothingOf) {
  TinyRun run(kFew, {});
  const Lent lent(*run.program, curved_job());
  run.fleet->begin_round(1);
  const GroupModel group = fit_group(*run.fleet, *run.setting, {0, 1, 2, 3});
  EXPECT_EQ(group.model[2], 0);
  EXPECT_EQ(group.covariance(2, 2), 0);
  const Eigen::MatrixXd untold = untold_directions(group.curvature, Precision::f64);
  ASSERT_EQ(untold.cols(), 1);
  EXPECT_NEAR(std::abs(untold(2, 0)), 1, 1e-9);
  // Of one client with one row, two directions are.
  EXPECT_EQ(untold_directions(fit_group(*run.fleet, *run.setting, {0}).curvature, Precision::f64).cols(), 2);
  EXPECT_EQ(fit_group(*run.fleet, *run.setting, {}).clients, 0u);
}

// An L2 term bends every weight, but tells nothing: of two classes, the weights of the third column, the two
// classes' common weights of the others, and their common intercept.
TEST(GroupModel, IsToldNothingByAnL2Term) {
  std::vector<Samples> data;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Stream stream(5, {Purpose::test, 0, 0, i});
    Samples samples;
    samples.shape = classification(3, 2);
    std::vector<double> features;
    for (int j = 0; j < 40; ++j) {
      features.insert(features.end(), {stream.normal(), stream.normal(), 0.0});
      samples.targets.push_back(features[features.size() - 2] + stream.normal() > 0 ? 1 : 0);
    }
    samples.features = std::move(features);
    data.push_back(std::move(samples));
  }
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    MethodRun<GivenFederation> run(
        data, {.model = "softmax", .model_toml = "intercept = true\nl2 = 0.003", .precision = precision});
    const Lent lent(*run.program, curved_job());
    run.fleet->begin_round(1);
    const GroupModel group = fit_group(*run.fleet, *run.setting, {0, 1, 2});
    EXPECT_EQ(untold_directions(group.told_by, precision).cols(), 2 + 2 + 1);
  }
}

}  // namespace
}  // namespace coterie::group_model_test
