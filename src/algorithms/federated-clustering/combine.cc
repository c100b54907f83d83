#include "algorithms/federated-clustering/combine.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "coterie/error.h"
#include "math/gemm.h"
#include "math/scratch.h"

namespace coterie {
namespace {

constexpr std::size_t kStretch = 2048;  // of each vector; a few dozen of them fit a second-level cache

// Calls work(begin, length) for stretches that suit all vectors.
template <class Work>
void for_stretches(std::span<const Numbers* const> vectors, const Work& work) {
  const std::size_t size = vectors.empty() ? 0 : vectors[0]->size();
  std::size_t step = 1;
  for (const Numbers* one : vectors) {
    check(one->size() == size, "vectors of different sizes");
    step = std::lcm(step, one->step());
  }
  const std::size_t stretch = step * std::max<std::size_t>(1, kStretch / step);
  for (std::size_t begin = 0; begin < size; begin += stretch) {
    work(begin, std::min(stretch, size - begin));
  }
}

template <class Real>
void add_products(std::span<const Numbers* const> vectors, std::size_t begin, std::size_t length, Vec& sums) {
  const std::size_t count = vectors.size();
  const std::span<Real> rows = scratch<Real, struct ProductRows>(count * length);
  for (std::size_t i = 0; i < count; ++i) {
    vectors[i]->piece(begin, length, [&](auto values) {
      std::copy(values.begin(), values.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * length));
    });
  }
  const std::span<Real> part = scratch<Real, struct Products>(count * count);
  const Matrix<const Real> matrix(rows.data(), count, length);
  multiply(matrix, matrix.transposed(), Matrix<Real>(part.data(), count, count));
  for (std::size_t j = 0; j < part.size(); ++j) sums[j] += static_cast<double>(part[j]);
}

bool all_float(std::span<const Numbers* const> vectors) {
  return std::all_of(vectors.begin(), vectors.end(), [](const Numbers* one) {
    bool is = true;
    one->piece(0, 0, [&](auto values) {
      is = std::is_same_v<typename decltype(values)::element_type, const float>;
    });
    return is;
  });
}

}  // namespace

Vec inner_products(std::span<const Numbers* const> vectors) {
  Vec sums(vectors.size() * vectors.size(), 0.0);
  const bool floats = all_float(vectors);
  for_stretches(vectors, [&](std::size_t begin, std::size_t length) {
    floats ? add_products<float>(vectors, begin, length, sums)
           : add_products<double>(vectors, begin, length, sums);
  });
  return sums;
}

Vec combination(std::span<const Numbers* const> vectors, std::span<const double> factors) {
  check(vectors.size() == factors.size(), "a factor for each vector");
  Vec sum(vectors.empty() ? 0 : vectors[0]->size(), 0.0);
  for_stretches(vectors, [&](std::size_t begin, std::size_t length) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (factors[i] == 0) continue;
      vectors[i]->piece(begin, length, [&](auto values) {
        for (std::size_t j = 0; j < length; ++j)
          sum[begin + j] += factors[i] * static_cast<double>(values[j]);
      });
    }
  });
  return sum;
}

}  // namespace coterie
