// Linear systems with a symmetric positive definite matrix, by Cholesky's factorisation.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace coterie {

// The lower triangular L with L L' = A.
class PositiveFactor {
 public:
  // Of size x size numbers row by row, of which those on and below the diagonal are read. Nothing when A is
  // not positive definite to rounding, or has a number that is not finite.
  static std::optional<PositiveFactor> of(std::span<const double> a, std::size_t size);

  // L's own number in this row and column.
  double diagonal(std::size_t i) const;
  // Solves L x = b; x replaces b.
  void solve_lower(std::span<double> b) const;
  // Solves A x = b; x replaces b.
  void solve(std::span<double> b) const;

 private:
  struct Storage;
  explicit PositiveFactor(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}
  std::shared_ptr<const Storage> storage_;
};

// Solves A x = b; x replaces b. False when A is not positive definite.
bool solve_positive(std::span<const double> a, std::span<double> b);

}  // namespace coterie
