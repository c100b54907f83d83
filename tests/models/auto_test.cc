#include <gtest/gtest.h>

#include "models/bound_model.h"

namespace coterie::auto_test {
namespace {

// Losses, gradient and predictions for some rows, one after the other.
Vec all_of(const Model& model, const Vec& w) {
  const Rows<double> rows(model.shape(), 7);
  Vec losses(7), gradient(model.size()), out(7 * model.outputs());
  model.losses(w, rows.batch(), losses);
  model.gradient(w, rows.batch(), gradient);
  model.predict(w, rows.batch(), out);
  losses.insert(losses.end(), gradient.begin(), gradient.end());
  losses.insert(losses.end(), out.begin(), out.end());
  return losses;
}

void expect_same(const Model& one, const Model& other) {
  ASSERT_EQ(one.size(), other.size());
  const Vec w = start_of<double>(one);
  EXPECT_EQ(all_of(one, w), all_of(other, w));
  EXPECT_EQ(one.loss_kind(), other.loss_kind());
  EXPECT_EQ(one.loss_factor(), other.loss_factor());
}

TEST(Auto, IsSoftmaxForClasses) {
  const Shape shape = classification(4, 3);
  const auto model = bound_model("auto", "", shape), softmax = bound_model("softmax", "", shape);
  expect_same(*model, *softmax);
  EXPECT_EQ(start_of<double>(*model), start_of<double>(*softmax));
}

TEST(Auto, IsLinearForNumbers) {
  expect_same(*bound_model("auto", "l2 = 0.1", regression(4)),
              *bound_model("linear", "intercept = true\nl2 = 0.1", regression(4)));
}

TEST(Auto, RefusesASingleClass) { EXPECT_THROW(bound_model("auto", "", classification(2, 1)), Error); }

}  // namespace
}  // namespace coterie::auto_test
