// Count, mean and squared deviations of a column: what clients tell of their numbers, and how a server puts
// it together. Columns may be of any size: prices of 1e9 beside doses of 1e-6.
#pragma once

#include <cmath>
#include <span>

#include "coterie/detail/archive.h"

namespace coterie {

struct ColumnMoments {
  double count = 0;
  // In units of 2^unit, which is 1 unless squares would overflow or vanish.
  double mean = 0;
  double m2 = 0;  // sum of (x - mean)^2
  double unit = 0;

  // Of the numbers themselves.
  double middle() const;
  // sqrt(m2 / rows): over so many rows, those that are not counted lying at the mean. 1 where nothing
  // differs.
  double deviation(double rows) const;
  // Whether a client could have told this of so many rows.
  bool possible(double rows) const;
  void fields(Archive& a) { a(count, mean, m2, unit); }
};

// Of finite numbers. Numbers that are all the same have exactly that mean, and m2 = 0.
ColumnMoments moments_of(std::span<const double> values);
// Of both together (Chan, Golub and LeVeque, 1979). The order of merging changes the last bits, so a server
// goes by client id.
ColumnMoments merged(ColumnMoments a, ColumnMoments b);

}  // namespace coterie
