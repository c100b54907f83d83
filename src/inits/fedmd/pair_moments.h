// Second moments from pairs of different samples of one client (FedMD). With a_j and b_j two readings of
// sample j, whose expectations depend on the client alone, a product of two samples' readings has an
// expectation without the noise of either:
//
//   all      1/(n (n-1)) sum over j != l  a_j b_l'      every ordered pair: least noise
//   first    a_1 b_2'                                    Y_{i,t} as printed
//   halves   1/h sum_j a_j b_{h+j}',  h = n/2 rounded down    A_{i,t} as printed, eq. (2)
//
// A moment is sum_{jl} m_{jl} a_j b_l' with a fixed matrix M of weights, so a product by it costs two
// products by n rows, and M itself only sums.
#pragma once

#include <cstddef>

#include "coterie/data.h"
#include "math/gemm.h"

namespace coterie {

enum class Pairs { all, first, halves };

class PairMoment {
 public:
  // Borrows n x d rows `a` and `b`, which may be the same; n is at least 2.
  PairMoment(Matrix<const double> a, Matrix<const double> b, Pairs pairs);

  // Y q for each of these rows q (k x d), as rows; or Y' q.
  Vec times(Matrix<const double> rows, bool transposed) const;
  // Y itself, d x d, row by row.
  Vec dense() const;

 private:
  // M c, or M' c, for n x k numbers c.
  Vec partners(const Vec& c, std::size_t k, bool transposed) const;

  Matrix<const double> a_;
  Matrix<const double> b_;
  Pairs pairs_;
};

}  // namespace coterie
