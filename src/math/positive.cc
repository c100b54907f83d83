#include "math/positive.h"

#include <Eigen/Cholesky>

namespace coterie {

// Eigen's own memory is aligned, so that the order of its sums does not depend on an address.
struct PositiveFactor::Storage {
  Eigen::LLT<Eigen::MatrixXd> factor;
};

namespace {

Eigen::VectorXd vector_of(std::span<const double> from) {
  return Eigen::Map<const Eigen::VectorXd>(from.data(), static_cast<Eigen::Index>(from.size()));
}

void put(const Eigen::VectorXd& from, std::span<double> to) {
  Eigen::Map<Eigen::VectorXd>(to.data(), from.size()) = from;
}

}  // namespace

std::optional<PositiveFactor> PositiveFactor::of(std::span<const double> a, std::size_t size) {
  const auto side = static_cast<Eigen::Index>(size);
  // Rows of numbers are columns to Eigen: what is on and below the diagonal is on and above it there.
  const Eigen::Map<const Eigen::MatrixXd> transposed(a.data(), side, side);
  auto storage = std::make_shared<Storage>();
  storage->factor.compute(transposed.transpose());
  if (storage->factor.info() != Eigen::Success) return {};
  // Numbers that are not finite pass Eigen's test, but not this one.
  if (!(storage->factor.matrixLLT().diagonal().array() > 0).all()) return {};
  return PositiveFactor(std::move(storage));
}

double PositiveFactor::diagonal(std::size_t i) const {
  const auto at = static_cast<Eigen::Index>(i);
  return storage_->factor.matrixLLT()(at, at);
}

void PositiveFactor::solve_lower(std::span<double> b) const {
  Eigen::VectorXd x = vector_of(b);
  storage_->factor.matrixL().solveInPlace(x);
  put(x, b);
}

void PositiveFactor::solve(std::span<double> b) const {
  Eigen::VectorXd x = vector_of(b);
  storage_->factor.solveInPlace(x);
  put(x, b);
}

bool solve_positive(std::span<const double> a, std::span<double> b) {
  const std::optional<PositiveFactor> factor = PositiveFactor::of(a, b.size());
  if (factor) factor->solve(b);
  return factor.has_value();
}

}  // namespace coterie
