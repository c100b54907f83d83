#include <gtest/gtest.h>

#include <cmath>

#include "metrics/evaluations.h"

namespace coterie::log_loss_test {
namespace {

TEST(LogLoss, SumsBySamples) {
  Evaluation e;
  tell(e, "log_loss", 2, {std::log(2.0) + std::log(4.0)});
  tell(e, "log_loss", 6, {6 * std::log(8.0)});
  const Record r = measure("log-loss", e);
  EXPECT_DOUBLE_EQ(r.number("log_loss"), 21 * std::log(2.0) / 8);
  EXPECT_DOUBLE_EQ(r.number("log_loss_worst"), 3 * std::log(2.0)) << "the highest is the worst";
}

TEST(LogLoss, AClientWhoseModelDivergedLeavesNoMean) {
  Evaluation e;
  tell(e, "log_loss", 2, {1});
  tell(e, "log_loss", 2, {});
  const Record r = measure("log-loss", e);
  EXPECT_TRUE(std::isnan(r.number("log_loss")));
  EXPECT_DOUBLE_EQ(r.number("log_loss_worst"), 0.5) << "of those that have one";
}

}  // namespace
}  // namespace coterie::log_loss_test
