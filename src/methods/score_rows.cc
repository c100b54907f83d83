#include "methods/score_rows.h"

#include <algorithm>
#include <cmath>

#include "math/elementary.h"
#include "math/softmax.h"

namespace coterie {
namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

ScoreRows::ScoreRows(const Model& model, std::span<const double> w, const Batch<double>& rows)
    : model_(model), scores_(model.scores()) {
  const std::size_t width = model.feature_width(), n = rows.rows;
  Vec features(n * width), scores(n * scores_);
  model.features(w, rows, features);
  model.head_outputs(w, features, scores);
  const bool intercept = model.size() > width * scores_;
  inputs_.resize(index(n), index(width + (intercept ? 1 : 0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < width; ++j) inputs_(index(i), index(j)) = features[i * width + j];
    if (intercept) inputs_(index(i), index(width)) = 1;
  }
  slopes_.resize(index(scores_), index(n));
  bend_.resize(index(n));
  if (scores_ > 1) {
    softmax_rows(std::span(scores), scores_);
    shares_ = Eigen::Map<const Eigen::MatrixXd>(scores.data(), index(scores_), index(n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = rows.weights.empty() ? 1 : rows.weights[i];
    const double z = scores[i * scores_], y = rows.y[i];
    if (scores_ > 1) {
      bend_[index(i)] = weight;
      slopes_.col(index(i)) = weight * shares_.col(index(i));
      slopes_(static_cast<Eigen::Index>(y), index(i)) -= weight;
    } else if (model.loss_kind() == LossKind::squared) {
      bend_[index(i)] = 2 * weight * model.loss_factor();
      slopes_(0, index(i)) = bend_[index(i)] * (z - y);
    } else {
      const double p = sigmoid(z);
      bend_[index(i)] = weight * p * (1 - p);
      slopes_(0, index(i)) = weight * (p - y);
    }
  }
}

std::size_t ScoreRows::place(std::size_t score, std::size_t input) const {
  const std::size_t width = model_.feature_width();
  const Layer& weights = model_.layers().front();
  return input < width ? weights.place(score, input) : model_.layers().back().offset + score;
}

Eigen::MatrixXd ScoreRows::bent(const Eigen::MatrixXd& z) const {
  if (scores_ == 1) return z * bend_.asDiagonal();
  Eigen::MatrixXd out = shares_.cwiseProduct(z);
  const Eigen::VectorXd sums = out.colwise().sum();
  out -= shares_ * sums.asDiagonal();
  return out * bend_.asDiagonal();
}

Eigen::MatrixXd ScoreRows::rooted(const Eigen::MatrixXd& z) const {
  const Eigen::VectorXd sizes = bend_.cwiseSqrt();
  if (scores_ == 1) return z * sizes.asDiagonal();
  Eigen::MatrixXd out = shares_.cwiseSqrt().cwiseProduct(z);
  const Eigen::VectorXd sums = out.colwise().sum();
  out -= shares_ * sums.asDiagonal();
  return out * sizes.asDiagonal();
}

Eigen::VectorXd ScoreRows::bends(std::size_t a, std::size_t b) const {
  if (scores_ == 1) return bend_;
  Eigen::VectorXd out = -shares_.row(index(a)).transpose().cwiseProduct(shares_.row(index(b)).transpose());
  if (a == b) out += shares_.row(index(a)).transpose();
  return out.cwiseProduct(bend_);
}

}  // namespace coterie
