// One client's estimate in common coordinates (coterie/methods/estimates.h), from its rows at the common
// model.
//
// Row j has scores z_j = P_j u in these coordinates, and at u = 0 slopes r_j and curvature D_j of its loss.
// With
//
//   A = sum_j P_j' D_j P_j + k I,     b = -A^-1 sum_j P_j' r_j
//
// b is the minimum of a squared loss, and one step of Newton's method towards it for likelihoods, which is as
// good as the minimum where clients are alike, and never infinite. k = 1, one row's worth of everybody's
// information, unless the loss is squared and the client has that much in every direction by itself.
//
//   V = A^-1 M A^-1,     M = sum_j (P_j' e_j)(P_j' e_j)' / (1 - h_j) + k phi I,     e_j = r_j + D_j P_j b
//
// (HC2; with the square of 1 - h_j, HC3). Where rows belong together (Samples::kin), the sum is over the G
// lots of rows: the squares are of each lot's sum of P_j' e_j / sqrt(1 - h_j), times G / (G - 1). h_j =
// tr(A^-1 P_j' D_j P_j) / (degrees of freedom of a row) is the row's leverage. A row with a leverage above
// 0.8 decides its own fit and says nothing about its noise: phi P_j' D_j P_j stands in for it, its mean under
// equal noise. phi is the dispersion: the residual variance of a squared loss, 1 for likelihoods.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "coterie/random.h"
#include "data/lots.h"
#include "methods/score_rows.h"

namespace coterie {

class OwnEstimate {
 public:
  // `basis` is parameters x coordinates.
  OwnEstimate(const Model& model, std::span<const double> w, const Batch<double>& rows, Lots lots,
              const Eigen::MatrixXd& basis, std::int64_t hc);

  const Eigen::VectorXd& b() const { return b_; }
  const Eigen::MatrixXd& v() const { return v_; }
  const Eigen::MatrixXd& residuals() const { return residuals_; }  // e, scores x rows
  const Lots& lots() const { return lots_; }
  // What b goes by: summed over the rows, without k unless some direction has no information but k (a column
  // that is constant at this client), so that it is positive definite.
  Eigen::MatrixXd curvature() const;

  // A replicate under the hypothesis that the truth is u = 0 (wild bootstrap): residuals, corrected for
  // leverage, get a random sign, one for each lot. V*^-1 d* (q numbers), then d*' V*^-1 d*.
  Eigen::VectorXd replicate(Stream& stream) const;
  // b of lots of rows drawn with replacement, to first order (score bootstrap; Kline and Santos, 2012): A
  // stays as it is, so that few rows never become too few, and deviations have the covariance V:
  //   b* = b - A^-1 sum_j (n_j - 1) P_j' e_j / sqrt(1 - h_j),     n_j how often the lot of row j was drawn
  Eigen::VectorXd resampled(Stream& stream) const;

 private:
  // sum_j c_j P_j' D_j P_j
  Eigen::MatrixXd curvature_by(const Eigen::VectorXd& counts) const;
  // Each row's P_j' e_j, from scores x rows.
  Eigen::MatrixXd scores_of(const Eigen::MatrixXd& e) const;
  template <class Factor>
  Eigen::MatrixXd drawn_residuals(Stream& stream, const Factor& factor) const;
  Eigen::VectorXd deviation_by(const Eigen::MatrixXd& e) const;  // -A^-1 sum_j P_j' e_j
  Eigen::MatrixXd values_at(const Eigen::VectorXd& u) const;     // P_j u, scores x rows
  double row_of_pull(const Eigen::MatrixXd& curvature) const;    // k
  double dispersion(const Eigen::MatrixXd& e) const;             // phi
  Eigen::MatrixXd meat(const Eigen::MatrixXd& e) const;          // M

  // The sum of squares in M, of rows or of lots.
  Eigen::MatrixXd squares_of(const Eigen::MatrixXd& scores, const Eigen::VectorXd& factors) const;

  ScoreRows seen_;
  Lots lots_;
  bool squares_;
  std::int64_t hc_;
  std::vector<Eigen::MatrixXd> p_;  // for each score: rows x coordinates
  Eigen::VectorXd penalty_slope_;   // of the L2 term, for a row
  Eigen::MatrixXd penalty_bend_;
  Eigen::MatrixXd curvature_, a_, inverse_, v_;
  Eigen::MatrixXd deciding_;  // curvature of the rows that decide their own fit
  Eigen::VectorXd b_, leverages_;
  Eigen::MatrixXd residuals_;  // e, scores x rows
  double k_ = 0;
};

}  // namespace coterie
