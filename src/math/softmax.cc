#include "math/softmax.h"

#include "coterie/error.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {
namespace {

// A row minus its largest score, so that no exponential overflows and the largest is exactly 1.
template <class Real>
void shift_row(Real* row, std::size_t classes) {
  Real largest = row[0];
  for (std::size_t c = 1; c < classes; ++c) largest = row[c] > largest ? row[c] : largest;
  for (std::size_t c = 0; c < classes; ++c) row[c] -= largest;
}

// Divides a row by its sum, which is returned. Four sums run side by side.
template <class Real>
double normalise_row(Real* row, std::size_t classes) {
  double sums[4] = {};
  std::size_t c = 0;
  for (; c + 4 <= classes; c += 4) {
    for (std::size_t l = 0; l < 4; ++l) sums[l] += static_cast<double>(row[c + l]);
  }
  for (; c < classes; ++c) sums[0] += static_cast<double>(row[c]);
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const Real inverse = static_cast<Real>(1 / sum);
  for (c = 0; c < classes; ++c) row[c] *= inverse;
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
  for (const double label : labels) {
    if (!(label >= 0 && label < static_cast<double>(classes))) check(false, "a label that is not a class");
  }
  const std::size_t rows = labels.size();
  const std::span<double> gaps =
      scratch<double, struct GapRoom>(rows);  // from the label's score to the largest
  for (std::size_t i = 0; i < rows; ++i) {
    Real* row = scores.data() + i * classes;
    shift_row(row, classes);
    gaps[i] = -static_cast<double>(row[static_cast<std::size_t>(labels[i])]);
  }
  exponentials(scores);
  for (std::size_t i = 0; i < rows; ++i) losses[i] = normalise_row(scores.data() + i * classes, classes);
  logarithms(losses);
  for (std::size_t i = 0; i < rows; ++i) losses[i] += gaps[i];
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
