// The two products of a matrix and a vector, each one pass over the matrix.
#pragma once

#include <span>

#include "math/gemm.h"

namespace coterie {

// A long sum is cut into blocks of this many terms, whose sums are added in order: rounding errors grow more
// slowly. Part of what defines a product's bits.
inline constexpr std::size_t kSumBlock = 256;

// out[i] = or += row i of m . v; the rows of m are contiguous. Each is summed in 8 lanes (4 of doubles),
// whatever its neighbours.
void dots(Matrix<const float> m, const float* v, float* out, Into into);
void dots(Matrix<const double> m, const double* v, double* out, Into into);
// The same for several vectors in one pass: out[k * m.rows + i] = row i of m . vectors[k].
void dots(Matrix<const float> m, std::span<const float* const> vectors, float* out);
void dots(Matrix<const double> m, std::span<const double* const> vectors, double* out);

// out = or += sum_k factors[k * step] * row k of m, terms in the order of k. Step 0 gives every row the same
// factor.
void combine_rows(const float* factors, std::size_t step, Matrix<const float> m, float* out, Into into);
void combine_rows(const double* factors, std::size_t step, Matrix<const double> m, double* out, Into into);

}  // namespace coterie
