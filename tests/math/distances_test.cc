#include "math/distances.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::distances_test {
namespace {

// Far from the origin, and some nearly equal: the worst for |x|^2 - 2 x.y + |y|^2.
TEST(Distances, HaveNineDigitsAndAreSymmetric) {
  const std::size_t count = 1500, width = 7;
  Stream stream(1, {Purpose::test, 0, 0, 0});
  Vec values(count * width);
  stream.normals(values);
  for (double& value : values) value += 1000;
  for (std::size_t c = 0; c < width; ++c) values[c] = values[3 * width + c] + 1e-9;
  const Points points{values, count, width};
  Vec all;
  for_each_distance_row(points, [&](std::size_t i, std::span<const double> row) {
    ASSERT_EQ(i * count, all.size());
    ASSERT_EQ(row.size(), count);
    all.insert(all.end(), row.begin(), row.end());
  });
  ASSERT_EQ(all.size(), count * count);
  for (std::size_t i = 0; i < count; i += 3) {
    EXPECT_EQ(all[i * count + i], 0);
    for (std::size_t j = 0; j < count; ++j) {
      long double expected = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const long double difference =
            static_cast<long double>(values[i * width + c]) - values[j * width + c];
        expected += difference * difference;
      }
      const auto exact = static_cast<double>(expected);
      ASSERT_NEAR(all[i * count + j], exact, 1e-9 * exact) << i << " " << j;
      ASSERT_EQ(all[i * count + j], all[j * count + i]);
    }
  }
}

TEST(Distances, RefuseWhatIsNotFinite) {
  for (double bad : {std::nan(""), HUGE_VAL, 1e200}) {
    Vec values = {1, bad, 2};
    EXPECT_THROW(require_finite({values, 3, 1}, "test"), Error) << bad;
  }
}

}  // namespace
}  // namespace coterie::distances_test
