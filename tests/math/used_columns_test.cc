#include "math/used_columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "coterie/random.h"

namespace coterie::used_columns_test {
namespace {

template <class Real>
class UsedColumns : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(UsedColumns, Reals);

// Rows of 1 to 6, as they lie and column after column; -0 is a zero, the smallest number is none.
TYPED_TEST(UsedColumns, AreThoseWithANumberThatIsNotZero) {
  using Real = TypeParam;
  const bool has_wide = use_wide_registers(true);
  Stream stream(3, {Purpose::test});
  for (const std::size_t rows : {1u, 4u, 6u}) {
    for (const std::size_t columns : {1u, 7u, 8u, 16u, 17u, 100u, 255u, 256u}) {
      std::vector<Real> numbers(rows * columns, Real(0));
      std::vector<std::uint16_t> across, down;
      for (Real& number : numbers) {
        if (stream.uniform() < 0.2) number = std::numeric_limits<Real>::denorm_min();
        if (stream.uniform() < 0.2) number = -Real(0);
      }
      for (std::size_t k = 0; k < columns; ++k) {
        bool used_across = false, used_down = false;
        for (std::size_t r = 0; r < rows; ++r) {
          used_across |= numbers[r * columns + k] != 0;
          used_down |= numbers[k * rows + r] != 0;
        }
        if (used_across) across.push_back(static_cast<std::uint16_t>(k));
        if (used_down) down.push_back(static_cast<std::uint16_t>(k));
      }
      for (const bool wide : {false, has_wide}) {
        std::vector<std::uint16_t> list(columns + kListRoom);
        const Matrix<const Real> as_they_lie(numbers.data(), rows, columns);
        list.resize(used_columns(as_they_lie, list.data(), wide));
        EXPECT_EQ(list, across) << rows << " x " << columns;
        list.assign(columns + kListRoom, 0);
        const Matrix<const Real> turned(numbers.data(), rows, columns, 1, rows);
        list.resize(used_columns(turned, list.data(), wide));
        EXPECT_EQ(list, down) << rows << " x " << columns;
      }
    }
  }
}

}  // namespace
}  // namespace coterie::used_columns_test
