#include "algorithms/tiers/coherence.h"

#include <cmath>

#include "clustering/kmeans.h"
#include "coterie/error.h"
#include "math/elementary.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/singular.h"

namespace coterie {

double coherence(std::span<const double> similarities, std::size_t count) {
  check(count > 0 && similarities.size() == count * count, "similarities that do not fit their count");
  const Matrix<const double> a(similarities.data(), count, count);
  const Vec leading = top_left_vectors(a, 1);
  Vec image(count);
  multiply(a, Matrix<const double>(leading.data(), count, 1), Matrix<double>(image.data(), count, 1));
  return std::sqrt(squared_norm(std::span<const double>(image))) / static_cast<double>(count);
}

double coherence_bar(std::uint32_t round, double alpha0, double eps1) {
  const double steepness = 1 - logarithm(eps1);  // ln(e / eps1), below 0
  const double eps2 = logarithm(1 - alpha0) / steepness;
  return 1 - exponential(steepness * static_cast<double>(round) / eps2);
}

Vec leading_plane(std::span<const double> similarities, std::size_t count) {
  check(count >= 2 && similarities.size() == count * count, "similarities that do not fit their count");
  const Vec vectors = top_left_vectors(Matrix<const double>(similarities.data(), count, count), 2);
  Vec plane(count * 2);
  for (std::size_t k = 0; k < 2; ++k) {
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::fabs(vectors[k * count + i]) > std::fabs(largest)) largest = vectors[k * count + i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      plane[i * 2 + k] = largest < 0 ? -vectors[k * count + i] : vectors[k * count + i];
    }
  }
  return plane;
}

std::vector<std::uint32_t> coherent_parts(std::span<const double> similarities, std::size_t count,
                                          Stream& stream) {
  const Vec plane = leading_plane(similarities, count);
  std::vector<std::uint32_t> parts = kmeans({plane, count, 2}, 2, {}, stream).labels;
  const std::uint32_t first = parts[0];
  for (std::uint32_t& part : parts) part = part == first ? 0 : 1;
  return parts;
}

}  // namespace coterie
