#include "methods/own_estimate.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "data/penalty.h"

namespace coterie {
namespace {

constexpr double kDeciding = 0.8;  // leverage of a row that decides its own fit
constexpr double kLeast = 1e-12;   // of M, for each row: data without noise has a covariance too
// Eigenvalues of a curvature below so many rows' worth, or so much of the largest, are no information.
constexpr double kInformed = 1e-3;
constexpr double kInformedShare = 1e-6;

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& a) {
  return a.ldlt().solve(Eigen::MatrixXd::Identity(a.rows(), a.cols()));
}

}  // namespace

OwnEstimate::OwnEstimate(const Model& model, std::span<const double> w, const Batch<double>& rows, Lots lots,
                         const Eigen::MatrixXd& basis, std::int64_t hc)
    : seen_(model, w, rows),
      lots_(std::move(lots)),
      squares_(model.loss_kind() == LossKind::squared),
      hc_(hc) {
  const Eigen::Index q = basis.cols(), inputs = seen_.inputs().cols();
  for (std::size_t c = 0; c < seen_.scores(); ++c) {
    Eigen::MatrixXd part(inputs, q);
    for (Eigen::Index i = 0; i < inputs; ++i) {
      part.row(i) = basis.row(static_cast<Eigen::Index>(seen_.place(c, static_cast<std::size_t>(i))));
    }
    p_.push_back(seen_.inputs() * part);
  }
  const Vec strengths = penalty_strengths(model);
  const Eigen::VectorXd strength = Eigen::Map<const Eigen::VectorXd>(strengths.data(), basis.rows());
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(w.data(), basis.rows());
  penalty_slope_ = basis.transpose() * strength.cwiseProduct(at);
  penalty_bend_ = basis.transpose() * (strength.asDiagonal() * basis);

  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(seen_.inputs().rows());
  const auto n = static_cast<double>(seen_.rows());
  curvature_ = curvature_by(ones) + n * penalty_bend_;
  k_ = row_of_pull(curvature_);
  a_ = curvature_ + k_ * Eigen::MatrixXd::Identity(q, q);
  inverse_ = inverse_of(a_);
  const Eigen::VectorXd slope = scores_of(seen_.slopes()).colwise().sum().transpose() + n * penalty_slope_;
  b_ = -(inverse_ * slope);

  leverages_ = Eigen::VectorXd::Zero(ones.size());
  for (std::size_t c = 0; c < seen_.scores(); ++c) {
    const Eigen::MatrixXd right = p_[c] * inverse_;
    for (std::size_t d = 0; d < seen_.scores(); ++d) {
      leverages_ += seen_.bends(d, c).cwiseProduct(p_[d].cwiseProduct(right).rowwise().sum());
    }
  }
  leverages_ /= std::max(1.0, static_cast<double>(seen_.scores()) - 1);
  leverages_ = leverages_.cwiseMax(0).cwiseMin(1);
  Eigen::VectorXd deciding = (leverages_.array() > kDeciding).cast<double>().matrix();
  deciding_ = curvature_by(deciding);
  residuals_ = seen_.slopes() + seen_.bent(values_at(b_));
  v_ = inverse_ * meat(residuals_) * inverse_;
  v_ = 0.5 * (v_ + v_.transpose()).eval();
}

Eigen::MatrixXd OwnEstimate::curvature() const {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(curvature_, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return a_;
  const auto& values = solver.eigenvalues();
  return values[0] > std::max(kInformed, kInformedShare * values[values.size() - 1]) ? curvature_ : a_;
}

Eigen::MatrixXd OwnEstimate::curvature_by(const Eigen::VectorXd& counts) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(p_[0].cols(), p_[0].cols());
  for (std::size_t c = 0; c < seen_.scores(); ++c) {
    for (std::size_t d = 0; d < seen_.scores(); ++d) {
      const Eigen::VectorXd bend = seen_.bends(c, d).cwiseProduct(counts);
      sum += p_[c].transpose() * (bend.asDiagonal() * p_[d]);
    }
  }
  return sum;
}

Eigen::MatrixXd OwnEstimate::scores_of(const Eigen::MatrixXd& e) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(p_[0].rows(), p_[0].cols());
  for (std::size_t c = 0; c < seen_.scores(); ++c) {
    const Eigen::VectorXd factors = e.row(static_cast<Eigen::Index>(c)).transpose();
    sum += factors.asDiagonal() * p_[c];
  }
  return sum;
}

Eigen::MatrixXd OwnEstimate::values_at(const Eigen::VectorXd& u) const {
  Eigen::MatrixXd z(static_cast<Eigen::Index>(seen_.scores()), p_[0].rows());
  for (std::size_t c = 0; c < seen_.scores(); ++c) {
    z.row(static_cast<Eigen::Index>(c)) = (p_[c] * u).transpose();
  }
  return z;
}

double OwnEstimate::row_of_pull(const Eigen::MatrixXd& curvature) const {
  if (!squares_) return 1;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(curvature, Eigen::EigenvaluesOnly);
  return solver.info() == Eigen::Success && solver.eigenvalues()[0] >= 1 ? 0 : 1;
}

double OwnEstimate::dispersion(const Eigen::MatrixXd& e) const {
  if (!squares_) return 1;
  const Eigen::VectorXd bend = seen_.bends(0, 0);
  double sum = 0;
  for (Eigen::Index j = 0; j < bend.size(); ++j) sum += bend[j] > 0 ? e(0, j) * e(0, j) / bend[j] : 0;
  return sum / std::max(1.0, static_cast<double>(bend.size()) - leverages_.sum());
}

Eigen::MatrixXd OwnEstimate::meat(const Eigen::MatrixXd& e) const {
  Eigen::VectorXd factors(leverages_.size());
  for (Eigen::Index j = 0; j < factors.size(); ++j) {
    const double left = 1 - leverages_[j];
    factors[j] = leverages_[j] > kDeciding ? 0 : hc_ == 3 ? 1 / (left * left) : 1 / left;
  }
  const Eigen::MatrixXd scores = scores_of(e);
  const double phi = dispersion(e);
  Eigen::MatrixXd sum = squares_of(scores, factors) + phi * deciding_;
  sum.diagonal().array() += k_ * phi + kLeast * static_cast<double>(seen_.rows());
  return sum;
}

Eigen::MatrixXd OwnEstimate::squares_of(const Eigen::MatrixXd& scores, const Eigen::VectorXd& factors) const {
  if (lots_.count == seen_.rows()) return scores.transpose() * (factors.asDiagonal() * scores);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(lots_.count), scores.cols());
  for (Eigen::Index j = 0; j < factors.size(); ++j)
    sums.row(lots_.of[static_cast<std::size_t>(j)]) += std::sqrt(factors[j]) * scores.row(j);
  const auto lots = static_cast<double>(lots_.count);
  return lots / std::max(1.0, lots - 1) * (sums.transpose() * sums);
}

// Each row's residual, corrected for leverage, times a factor. Rows that decide their own fit have no
// residual: theirs is drawn.
template <class Factor>
Eigen::MatrixXd OwnEstimate::drawn_residuals(Stream& stream, const Factor& factor) const {
  const Eigen::Index scores = residuals_.rows(), rows = residuals_.cols();
  const double size = std::sqrt(dispersion(residuals_));
  Eigen::MatrixXd drawn = residuals_;
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(scores, rows);
  bool any = false;
  for (Eigen::Index j = 0; j < rows; ++j) {
    const double times = factor(j);
    if (leverages_[j] > kDeciding) {
      any = true;
      for (Eigen::Index c = 0; c < scores; ++c) normal(c, j) = size * stream.normal();
      drawn.col(j).setZero();
    } else {
      drawn.col(j) *= times / std::sqrt(1 - leverages_[j]);
    }
  }
  if (any) drawn += seen_.rooted(normal);
  return drawn;
}

Eigen::VectorXd OwnEstimate::deviation_by(const Eigen::MatrixXd& e) const {
  return -(inverse_ * scores_of(e).colwise().sum().transpose());
}

Eigen::VectorXd OwnEstimate::replicate(Stream& stream) const {
  Vec signs(lots_.count, 0.0);
  const Eigen::MatrixXd drawn = drawn_residuals(stream, [&](Eigen::Index j) {
    double& sign = signs[lots_.of[static_cast<std::size_t>(j)]];
    if (sign == 0) sign = stream.bernoulli(0.5) ? 1 : -1;
    return sign;
  });
  const Eigen::VectorXd d = deviation_by(drawn);
  const Eigen::MatrixXd m = meat(drawn + seen_.bent(values_at(d)));
  const Eigen::VectorXd t = a_ * d, y = m.ldlt().solve(t);
  Eigen::VectorXd out(d.size() + 1);
  out << a_ * y, t.dot(y);
  return out;
}

Eigen::VectorXd OwnEstimate::resampled(Stream& stream) const {
  Vec times(lots_.count, 0.0);
  for (std::size_t g = 0; g < lots_.count; ++g) times[stream.below(lots_.count)] += 1;
  return b_ + deviation_by(drawn_residuals(
                  stream, [&](Eigen::Index j) { return times[lots_.of[static_cast<std::size_t>(j)]] - 1; }));
}

}  // namespace coterie
