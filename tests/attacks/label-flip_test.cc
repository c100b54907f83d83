#include <gtest/gtest.h>

#include "coterie/attack.h"
#include "support/plugins.h"

namespace coterie::label_flip_test {
namespace {

TEST(LabelFlip, CountsClassesFromTheOtherEnd) {
  Samples samples;
  samples.shape = {Task::classification, 1, 10, 0, 0, 0};
  samples.features = std::vector<float>{1, 2, 3};
  samples.targets = {0, 1, 9};
  make_plugin<Attack>("label-flip")->poison(samples);
  EXPECT_EQ(samples.targets, (std::vector<double>{9, 8, 0}));
  EXPECT_EQ(std::get<std::vector<float>>(samples.features), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace coterie::label_flip_test
