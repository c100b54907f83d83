// Cholesky's factor, and eigenvalues by Jacobi's rotations: simple, exact to rounding, and quick enough for
// the few hundred dimensions that anyone writes a covariance for.
#include "data/covariance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/error.h"

namespace coterie {
namespace {

double largest_entry(std::span<const double> matrix) {
  double largest = 0;
  for (double x : matrix) largest = std::max(largest, std::abs(x));
  return largest;
}

}  // namespace

bool is_symmetric(std::span<const double> matrix, std::size_t size) {
  const double slack = 1e-12 * largest_entry(matrix);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(matrix[i * size + j] - matrix[j * size + i]) > slack) return false;
    }
  }
  return true;
}

std::optional<Vec> cholesky(std::span<const double> matrix, std::size_t size) {
  check(matrix.size() == size * size, "cholesky: the matrix is not square");
  if (!is_symmetric(matrix, size)) return std::nullopt;
  const double largest = largest_entry(matrix);
  const double slack = 1e-12 * static_cast<double>(size) * largest;
  Vec factor(size * size);
  for (std::size_t j = 0; j < size; ++j) {
    const double* row_j = &factor[j * size];
    double pivot = matrix[j * size + j];
    for (std::size_t k = 0; k < j; ++k) pivot -= row_j[k] * row_j[k];
    if (pivot < -slack) return std::nullopt;
    const bool vanishes = pivot <= slack;
    const double root = vanishes ? 0 : std::sqrt(pivot);
    factor[j * size + j] = root;
    for (std::size_t i = j + 1; i < size; ++i) {
      double rest = matrix[i * size + j];
      for (std::size_t k = 0; k < j; ++k) rest -= factor[i * size + k] * row_j[k];
      // A direction without variance cannot go together with another.
      if (vanishes && std::abs(rest) > std::sqrt(slack * largest)) return std::nullopt;
      factor[i * size + j] = vanishes ? 0 : rest / root;
    }
  }
  return factor;
}

Vec with_absolute_eigenvalues(std::span<const double> symmetric, std::size_t size) {
  check(symmetric.size() == size * size && is_symmetric(symmetric, size),
        "with_absolute_eigenvalues: the matrix is not symmetric");
  Vec a(symmetric.begin(), symmetric.end());
  Vec vectors(size * size);  // columns
  for (std::size_t i = 0; i < size; ++i) vectors[i * size + i] = 1;
  const double negligible = std::numeric_limits<double>::epsilon() * largest_entry(a);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 60; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        const double apq = a[p * size + q];
        if (std::abs(apq) <= negligible) continue;
        rotated = true;
        const double theta = (a[q * size + q] - a[p * size + p]) / (2 * apq);
        const double t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        auto turn = [&](double& x, double& y) {
          double old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t k = 0; k < size; ++k) turn(a[k * size + p], a[k * size + q]);
        for (std::size_t k = 0; k < size; ++k) turn(a[p * size + k], a[q * size + k]);
        for (std::size_t k = 0; k < size; ++k) turn(vectors[k * size + p], vectors[k * size + q]);
      }
    }
  }
  Vec result(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) {
        result[i * size + j] += vectors[i * size + k] * std::abs(a[k * size + k]) * vectors[j * size + k];
      }
    }
  }
  return result;
}

}  // namespace coterie
