#include "methods/misfit_score.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace coterie {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A client with many rows says enough with some.
constexpr std::size_t kMostRows = 2000;

}  // namespace

double misfit_score(const Model& model, std::span<const double> w, const Batch<double>& all) {
  const std::size_t step = (all.rows + kMostRows - 1) / kMostRows;
  const std::size_t rows = step == 0 ? 0 : all.rows / step, width = all.width;
  if (rows < width + 4) return 0;
  RowMatrix x(rows, width + 1);
  std::vector<double> y(rows);
  Vec room(rows * width);
  for (std::size_t j = 0; j < rows; ++j) {
    std::copy_n(all.x.data() + j * step * width, width, room.data() + j * width);
    y[j] = all.y[j * step];
    for (std::size_t k = 0; k < width; ++k)
      x(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = room[j * width + k];
    x(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(width)) = 1;
  }
  const Batch<double> batch{rows, width, room, y, {}, {}};
  const std::size_t outputs = model.outputs(), scores = model.scores();
  Vec predicted(rows * outputs), score(rows * scores);
  model.predict(w, batch, std::span(predicted));
  Vec features(rows * model.feature_width());
  model.features(w, batch, std::span(features));
  model.head_outputs(w, std::span<const double>(features), std::span(score));
  const bool classes = model.loss_kind() != LossKind::squared;
  double sum = 0;
  for (std::size_t k = 0; k < scores; ++k) {
    Eigen::VectorXd squared(rows), residual(rows), weight(rows);
    for (std::size_t j = 0; j < rows; ++j) {
      const auto at = static_cast<Eigen::Index>(j);
      const double z = score[j * scores + k];
      // With one score for two classes it is that of the second.
      const std::size_t output = scores == outputs ? k : outputs - 1;
      const double p = predicted[j * outputs + output];
      const double truth = !classes ? y[j] : static_cast<std::size_t>(y[j]) == output ? 1.0 : 0.0;
      squared[at] = z * z;
      residual[at] = truth - p;
      weight[at] = classes ? std::sqrt(std::max(1e-6, p * (1 - p))) : 1.0;
    }
    const RowMatrix weighted = weight.asDiagonal() * x;
    const Eigen::VectorXd target = weight.cwiseProduct(squared);
    const Eigen::VectorXd fit = weighted.completeOrthogonalDecomposition().solve(target);
    sum += residual.dot(squared - x * fit);
  }
  return std::isfinite(sum) ? sum : 0;
}

}  // namespace coterie
