// Leading singular vectors of small matrices, and extreme eigenvalues of large ones that can only be
// multiplied by.
#pragma once

#include <cstddef>
#include <functional>

#include "coterie/data.h"
#include "coterie/random.h"
#include "math/gemm.h"

namespace coterie {

// The top k left singular vectors as rows (k x a.rows), by a full decomposition: for up to some thousand
// rows. k is at most a.rows.
Vec top_left_vectors(Matrix<const double> a, std::size_t k);

// The leading left singular vector of a square matrix by `steps` steps of power iteration on A A' from a
// random direction, and v' A v. Both are zero where A is.
struct Leading {
  Vec vector;
  double square = 0;
};
Leading leading_vector(Matrix<const double> a, std::size_t steps, Stream& stream);

// The least and largest eigenvalue of a symmetric matrix, from `steps` products by it (Lanczos, with full
// re-orthogonalisation): approached from inside, exact once steps reach the size.
struct Extremes {
  double least = 0;
  double largest = 0;
};
Extremes extreme_eigenvalues(const std::function<Vec(const Vec&)>& product, std::size_t size,
                             std::size_t steps, Stream& stream);

}  // namespace coterie
