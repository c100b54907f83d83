#include "math/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "coterie/error.h"

namespace coterie::softmax_test {
namespace {

template <class Real>
class Softmax : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Softmax, Reals);

// Scores that are logarithms of 1, 2, 5: probabilities 1/8, 2/8, 5/8.
TYPED_TEST(Softmax, TurnsScoresIntoProbabilities) {
  using Real = TypeParam;
  const auto log2 = static_cast<Real>(std::log(2.0)), log5 = static_cast<Real>(std::log(5.0));
  std::vector<Real> scores = {0, log2, log5, 100 + log5, 100, 100 + log2};
  const Real near = 10 * 100 * std::numeric_limits<Real>::epsilon();
  softmax_rows(scores, 3);
  const Real expected[] = {0.125, 0.25, 0.625, 0.625, 0.125, 0.25};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(scores[i], expected[i], near);
}

TYPED_TEST(Softmax, CrossEntropyIsMinusTheLogOfTheLabelsProbability) {
  using Real = TypeParam;
  const auto log2 = static_cast<Real>(std::log(2.0)), log5 = static_cast<Real>(std::log(5.0));
  std::vector<Real> scores = {0, log2, log5, log5, 0, log2};
  std::vector<double> losses(2);
  cross_entropy_rows(scores, 3, std::vector<double>{1, 0}, losses);
  const double near = 10 * std::numeric_limits<Real>::epsilon();
  EXPECT_NEAR(losses[0], std::log(4.0), near);
  EXPECT_NEAR(losses[1], std::log(1.6), near);
  EXPECT_NEAR(scores[2], 0.625, near);
}

TYPED_TEST(Softmax, SurvivesScoresThatOverflow) {
  using Real = TypeParam;
  std::vector<Real> scores = {30000, -30000, -30000, 30000};
  std::vector<double> losses(2);
  cross_entropy_rows(scores, 2, std::vector<double>{0, 0}, losses);
  EXPECT_EQ(losses[0], 0);
  EXPECT_EQ(losses[1], 60000);
  EXPECT_EQ(scores, (std::vector<Real>{1, 0, 0, 1}));
}

TYPED_TEST(Softmax, RefusesALabelThatIsNotAClass) {
  std::vector<TypeParam> scores(2);
  std::vector<double> losses(1);
  EXPECT_THROW(cross_entropy_rows(scores, 2, std::vector<double>{2}, losses), Bug);
  EXPECT_THROW(cross_entropy_rows(scores, 2, std::vector<double>{-1}, losses), Bug);
}

}  // namespace
}  // namespace coterie::softmax_test
