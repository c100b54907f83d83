#include "coterie/methods/sharing.h"

#include <gtest/gtest.h>

#include "support/plugins.h"

namespace coterie::sharing_test {
namespace {

// Two weights that are shared and two intercepts that are not; parts are put together once and kept.
TEST(Sharing, JoinsEveryPartWithTheCommonOneOfItsShelf) {
  const std::unique_ptr<Model> model = make_plugin<Model>("softmax");
  model->bind({Task::classification, 1, 2, 0, 0, 0}, 1);
  const Sharing sharing(*model, {model->layers()[0].name}, "shared");
  const Shared own(Vec{5, 6}, Precision::f64);
  for (const Vec& common : {Vec{1, 2}, Vec{3, 4}}) {
    Shelf shelf;
    shelf.add(own);
    shelf.add(Shared(common, Precision::f64));
    EXPECT_EQ(sharing.join(shelf, Precision::f64)[0].values(), (Vec{common[0], common[1], 5, 6}));
  }
}

}  // namespace
}  // namespace coterie::sharing_test
