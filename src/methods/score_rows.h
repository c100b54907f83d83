// Rows as a convex model sees them at w: scores that are linear in the parameters, and the slopes and
// curvatures of each row's loss with respect to its scores.
#pragma once

#include <Eigen/Core>
#include <span>

#include "coterie/model.h"

namespace coterie {

class ScoreRows {
 public:
  ScoreRows(const Model& model, std::span<const double> w, const Batch<double>& rows);

  std::size_t rows() const { return static_cast<std::size_t>(inputs_.rows()); }
  std::size_t scores() const { return scores_; }
  const Eigen::MatrixXd& inputs() const { return inputs_; }  // rows x (features, and 1 for an intercept)
  // The place in the flat vector of a score's parameter for an input.
  std::size_t place(std::size_t score, std::size_t input) const;

  // Of each row, by its weight; scores x rows: the slopes of its loss, and its curvature D times z.
  const Eigen::MatrixXd& slopes() const { return slopes_; }
  Eigen::MatrixXd bent(const Eigen::MatrixXd& z) const;
  // Of numbers z of variance 1: numbers whose covariance in each row is D.
  Eigen::MatrixXd rooted(const Eigen::MatrixXd& z) const;
  // D of all rows for a pair of scores.
  Eigen::VectorXd bends(std::size_t a, std::size_t b) const;

 private:
  const Model& model_;
  std::size_t scores_;
  Eigen::MatrixXd inputs_;
  Eigen::MatrixXd slopes_;  // scores x rows
  Eigen::MatrixXd shares_;  // scores x rows: probabilities of classes; empty for one score
  Eigen::VectorXd bend_;    // of a row: its curvature for one score; its weight for several
};

}  // namespace coterie
