#include "math/softmax.h"

#include <algorithm>

#include "coterie/error.h"
#include "math/elementary.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// A row minus its largest score, so that no exponential overflows and the largest is exactly 1.
template <class Real>
Real shift_row(Real* row, std::size_t classes) {
  Real largest = row[0];
  for (std::size_t c = 1; c < classes; ++c) largest = row[c] > largest ? row[c] : largest;
  for (std::size_t c = 0; c < classes; ++c) row[c] -= largest;
  return largest;
}

// Divides a row by its sum, which is returned.
template <class Real>
double normalise_row(Real* row, std::size_t classes) {
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) sum += static_cast<double>(row[c]);
  const Real inverse = static_cast<Real>(1 / sum);
  for (std::size_t c = 0; c < classes; ++c) row[c] *= inverse;
  return sum;
}

template <class Real>
void softmax(std::span<Real> scores, std::size_t classes) {
  for (std::size_t i = 0; i < scores.size(); i += classes) shift_row(scores.data() + i, classes);
  exponentials(scores);
  for (std::size_t i = 0; i < scores.size(); i += classes) normalise_row(scores.data() + i, classes);
}

template <class Real>
void cross_entropy(std::span<Real> scores, std::size_t classes, std::span<const double> labels,
                   std::span<double> losses) {
  check(labels.size() * classes == scores.size() && losses.size() == labels.size(),
        "scores and labels do not fit");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Real* row = scores.data() + i * classes;
    check(labels[i] >= 0 && labels[i] < static_cast<double>(classes), "a label that is not a class");
    shift_row(row, classes);
    losses[i] = -static_cast<double>(row[static_cast<std::size_t>(labels[i])]);
  }
  exponentials(scores);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    losses[i] += logarithm(normalise_row(scores.data() + i * classes, classes));
  }
}

}  // namespace

void softmax_rows(std::span<float> scores, std::size_t classes) { softmax(scores, classes); }
void softmax_rows(std::span<double> scores, std::size_t classes) { softmax(scores, classes); }

void cross_entropy_rows(std::span<float> scores, std::size_t classes, std::span<const double> labels,
                        std::span<double> losses) {
  cross_entropy(scores, classes, labels, losses);
}
void cross_entropy_rows(std::span<double> scores, std::size_t classes, std::span<const double> labels,
                        std::span<double> losses) {
  cross_entropy(scores, classes, labels, losses);
}

}  // namespace coterie
