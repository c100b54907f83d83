#include "clustering/spectral.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "clustering/groups.h"
#include "coterie/error.h"
#include "math/distances.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/orthonormal.h"

namespace coterie {
namespace {

constexpr std::size_t kSpare = 8;  // directions more than asked for: what lies beyond them fades fastest
constexpr std::size_t kIterations = 100;
constexpr double kSettled = 1e-13;  // relative growth of the captured squares at which the space is found
constexpr double kCore = 1.0 / 3;   // part II

// Groups of part I with the means of their points.
Grouping with_means(const Points& points, std::vector<std::uint32_t> labels, std::size_t k) {
  Grouping result;
  GroupMeans groups = group_means(points, labels);
  groups.means.resize(k * points.width, 0.0);
  result.centres = std::move(groups.means);
  result.labels = std::move(labels);
  for (std::size_t i = 0; i < points.count; ++i) {
    result.objective += squared_distance(points[i], result.centre(result.labels[i], points.width));
  }
  return result;
}

// Part II: means of the cores.
Vec core_means(const Points& points, const Points& projected, const Grouping& found, Vec centres) {
  const std::size_t k = centres.size() / points.width;
  Vec sums(centres.size(), 0.0);
  Vec sizes(k, 0.0);
  for (std::size_t i = 0; i < points.count; ++i) {
    const std::size_t own = found.labels[i];
    const double near = std::sqrt(squared_distance(projected[i], found.centre(own, projected.width)));
    bool core = true;
    for (std::size_t l = 0; l < k && core; ++l) {
      if (l == own) continue;
      core = near <= kCore * std::sqrt(squared_distance(projected[i], found.centre(l, projected.width)));
    }
    if (!core) continue;
    add_scaled(1.0, points[i], std::span(sums).subspan(own * points.width, points.width));
    sizes[own] += 1;
  }
  for (std::size_t j = 0; j < k; ++j) {
    if (sizes[j] == 0) continue;
    for (std::size_t c = j * points.width; c < (j + 1) * points.width; ++c) centres[c] = sums[c] / sizes[j];
  }
  return centres;
}

}  // namespace

void SpectralOptions::options(Options& o) {
  o("refine", &refine, "go on with Lloyd's algorithm on the points themselves; otherwise part I alone");
  kmeans.options(o);
}

Vec project(const Points& points, std::size_t rank, Stream& stream) {
  const std::size_t count = points.count, width = points.width;
  const std::size_t full = std::min(count, width);
  rank = std::min(rank, full);
  const std::size_t size = std::min(rank + kSpare, full);
  const Matrix<const double> a(points.values.data(), count, width);
  Vec basis(size * width), images(count * size);  // directions as rows; A times them
  stream.normals(basis);
  double captured = 0;
  for (std::size_t t = 0; t < kIterations; ++t) {
    orthonormalise(basis, width);
    multiply(a, Matrix<const double>(basis.data(), size, width).transposed(),
             Matrix<double>(images.data(), count, size));
    const double now = squared_norm(std::span<const double>(images));
    // A space of full rank may still miss directions while it has not met the rows of A.
    if (t > 1 && now - captured <= kSettled * now) break;
    captured = now;
    multiply(Matrix<const double>(images.data(), count, size).transposed(), a,
             Matrix<double>(basis.data(), size, width));
  }
  // Within that space, the top directions: eigenvectors of images' images, which Eigen gives in rising order.
  Vec gram(size * size);
  multiply(Matrix<const double>(images.data(), count, size).transposed(),
           Matrix<const double>(images.data(), count, size), Matrix<double>(gram.data(), size, size));
  const auto side = static_cast<Eigen::Index>(size);
  const Eigen::MatrixXd square = Eigen::Map<const Eigen::MatrixXd>(gram.data(), side, side);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(square);
  Vec top(size * rank);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < rank; ++j) {
      top[i * rank + j] =
          eigen.eigenvectors()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(size - 1 - j));
    }
  }
  Vec coordinates(count * rank);
  multiply(Matrix<const double>(images.data(), count, size), Matrix<const double>(top.data(), size, rank),
           Matrix<double>(coordinates.data(), count, rank));
  return coordinates;
}

Grouping spectral_kmeans(const Points& points, std::size_t k, const SpectralOptions& options,
                         Stream& stream) {
  require_finite(points, "spectral k-means");
  check(k > 0, "k-means needs a centre");
  const Vec coordinates = project(points, k, stream);
  const Points projected{coordinates, points.count, coordinates.size() / points.count};
  const Grouping found = kmeans(projected, k, options.kmeans, stream);
  Grouping first = with_means(points, found.labels, k);
  first.iterations = found.iterations;
  if (!options.refine) return first;
  return lloyd(points, core_means(points, projected, found, first.centres), options.kmeans);
}

}  // namespace coterie
