#include "math/gemv.h"

#include <gtest/gtest.h>

#include <vector>

#include "coterie/random.h"
#include "math/kernels.h"

namespace coterie::gemv_test {
namespace {

// Whatever else is computed beside them: one vector or several, an odd row, a rest of columns.
template <class Real>
void dots_do_not_depend_on_their_neighbours(double tolerance) {
  Stream stream(3, {Purpose::test});
  const std::size_t rows = 7, columns = 77, most = 6;
  std::vector<double> drawn(rows * columns + most * columns);
  stream.normals(drawn);
  const std::vector<Real> numbers(drawn.begin(), drawn.end());
  const Real* m = numbers.data();
  const Real* v = m + rows * columns;
  for (std::size_t count = 1; count <= most; ++count) {
    std::vector<const Real*> vectors;
    for (std::size_t k = 0; k < count; ++k) vectors.push_back(v + k * columns);
    std::vector<Real> out(count * rows);
    dots(Matrix<const Real>(m, rows, columns), vectors, out.data());
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < rows; ++i) {
        const Real* row = m + i * columns;
        Real alone = 1;
        dots(Matrix<const Real>(row, 1, columns), vectors[k], &alone, Into::add);
        EXPECT_EQ(1 + out[k * rows + i], alone);
        EXPECT_NEAR(out[k * rows + i], dot(std::span(row, columns), std::span(vectors[k], columns)),
                    tolerance);
      }
    }
  }
}

TEST(Gemv, DotsDoNotDependOnTheirNeighbours) {
  dots_do_not_depend_on_their_neighbours<double>(1e-12);
  dots_do_not_depend_on_their_neighbours<float>(1e-4);
}

TEST(Gemv, CombinesRows) {
  const std::vector<float> m = {1, 2, 3, 10, 20, 30};
  const std::vector<float> factors = {2, 0, 3, 0};
  std::vector<float> out = {1, 1, 1};
  combine_rows(factors.data(), 2, Matrix<const float>(m.data(), 2, 3), out.data(), Into::add);
  EXPECT_EQ(out, (std::vector<float>{33, 65, 97}));
  combine_rows(factors.data(), 2, Matrix<const float>(m.data(), 2, 3), out.data(), Into::set);
  EXPECT_EQ(out, (std::vector<float>{32, 64, 96}));
}

// 1 + 2^-24 is 1 in float: one running sum would never leave it, block sums do.
TEST(Gemv, LongSumsAreCutIntoBlocks) {
  const std::size_t count = 40 * kSumBlock;
  std::vector<float> column(count, 0x1p-24f), ones(count, 1.0f);
  column[0] = 1;
  float sum = 0;
  combine_rows(ones.data(), 1, Matrix<const float>(column.data(), count, 1), &sum, Into::set);
  EXPECT_FLOAT_EQ(sum, 1 + 39 * kSumBlock * 0x1p-24f);
}

}  // namespace
}  // namespace coterie::gemv_test
