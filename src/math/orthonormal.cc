#include "math/orthonormal.h"

#include <cmath>
#include <span>

#include "math/kernels.h"

namespace coterie {

// Twice, so that rows are orthogonal to rounding.
void orthonormalise(Vec& basis, std::size_t width, double dependent) {
  const std::size_t rows = basis.size() / width;
  for (std::size_t i = 0; i < rows; ++i) {
    std::span<double> row = std::span(basis).subspan(i * width, width);
    const double before = std::sqrt(squared_norm(std::span<const double>(row)));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        std::span<const double> other = std::span<const double>(basis).subspan(j * width, width);
        add_scaled(-dot(std::span<const double>(row), other), other, row);
      }
    }
    const double length = std::sqrt(squared_norm(std::span<const double>(row)));
    const bool independent = length > dependent * before && length > 0;
    for (double& value : row) value = independent ? value / length : 0;
  }
}

}  // namespace coterie
