#include "algorithms/tiers/feature_summaries.h"

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "math/cosine.h"
#include "math/kernels.h"

namespace coterie {

Vec principal_direction(Matrix<const double> features, std::size_t steps, Stream& stream) {
  const std::size_t rows = features.rows, width = features.columns;
  Vec v(width), image(rows);
  stream.normals(v);
  for (std::size_t t = 0; t <= steps; ++t) {
    const double length = std::sqrt(squared_norm(std::span<const double>(v)));
    if (!(length > 0)) return Vec(width, 0.0);
    scale(1 / length, v);
    if (t == steps) break;
    multiply(features, Matrix<const double>(v.data(), width, 1), Matrix<double>(image.data(), rows, 1));
    multiply(features.transposed(), Matrix<const double>(image.data(), rows, 1),
             Matrix<double>(v.data(), width, 1));
  }
  return v;
}

double direction_distance(std::span<const double> a, std::span<const double> b) {
  return 1 - std::fabs(cosine_similarity(a, b));
}

Vec class_norms(Matrix<const double> features, std::span<const double> labels, std::size_t classes) {
  check(features.rows == labels.size() && features.column_step == 1, "features that do not fit their labels");
  Vec norms(classes, 0.0), counts(classes, 0.0);
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const auto label = static_cast<std::size_t>(labels[j]);
    check(label < classes, "a label beyond the classes");
    const std::span<const double> row(features.data + j * features.row_step, features.columns);
    norms[label] += std::sqrt(squared_norm(row));
    counts[label] += 1;
  }
  for (std::size_t c = 0; c < classes; ++c) {
    if (counts[c] > 0) norms[c] /= counts[c];
  }
  return norms;
}

double norm_distance(std::span<const double> a, std::span<const double> b) {
  check(a.size() == b.size(), "norms of different classes");
  double largest = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c] > 0 && b[c] > 0) largest = std::max(largest, std::fabs(a[c] - b[c]) / std::max(a[c], b[c]));
  }
  return largest;
}

}  // namespace coterie
