#include "math/cosine.h"

#include <algorithm>
#include <cmath>

#include "math/gemm.h"
#include "math/kernels.h"

namespace coterie {
namespace {

double similarity(double product, double length_a, double length_b) {
  if (length_a == 0 || length_b == 0) return length_a == length_b ? 1 : 0;
  return std::clamp(product / length_a / length_b, -1.0, 1.0);
}

}  // namespace

double cosine_similarity(std::span<const double> a, std::span<const double> b) {
  return similarity(dot(a, b), std::sqrt(squared_norm(a)), std::sqrt(squared_norm(b)));
}

Vec cosine_similarities(const Points& points) {
  const std::size_t count = points.count;
  Vec matrix(count * count);
  const Matrix<const double> rows(points.values.data(), count, points.width);
  multiply(rows, rows.transposed(), Matrix<double>(matrix.data(), count, count));
  Vec lengths(count);
  for (std::size_t i = 0; i < count; ++i) lengths[i] = std::sqrt(squared_norm(points[i]));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      matrix[i * count + j] = similarity(matrix[i * count + j], lengths[i], lengths[j]);
      matrix[j * count + i] = matrix[i * count + j];
    }
    matrix[i * count + i] = 1;
  }
  return matrix;
}

Vec cosine_distances(const Points& points) {
  Vec matrix = cosine_similarities(points);
  for (double& value : matrix) value = 1 - value;
  return matrix;
}

}  // namespace coterie
