#include "clustering/spanned.h"

#include <algorithm>
#include <limits>

#include "clustering/groups.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/orthonormal.h"

namespace coterie {
namespace {

// What is left of a row by rounding alone.
constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

Spanned::Spanned(const Points& points) : given_(points) {
  const std::size_t count = points.count, width = points.width;
  if (width <= count) return;
  mean_ = mean_of(points);
  Vec centred(points.values.begin(), points.values.end());
  for (std::size_t i = 0; i < count; ++i)
    add_scaled(-1.0, mean_, std::span(centred).subspan(i * width, width));
  Vec rows = centred;
  orthonormalise(rows, width, kRounding);
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i * width);
    const auto last = first + static_cast<std::ptrdiff_t>(width);
    if (std::any_of(first, last, [](double value) { return value != 0; }))
      basis_.insert(basis_.end(), first, last);
  }
  if (basis_.empty()) basis_.assign(width, 0.0);  // equal points: all at 0
  width_ = basis_.size() / width;
  coordinates_.resize(count * width_);
  multiply(Matrix<const double>(centred.data(), count, width),
           Matrix<const double>(basis_.data(), width_, width).transposed(),
           Matrix<double>(coordinates_.data(), count, width_));
}

Vec Spanned::back(Vec rows) const {
  if (basis_.empty()) return rows;
  const std::size_t count = rows.size() / width_, width = given_.width;
  Vec out(count * width);
  multiply(Matrix<const double>(rows.data(), count, width_),
           Matrix<const double>(basis_.data(), width_, width), Matrix<double>(out.data(), count, width));
  for (std::size_t i = 0; i < count; ++i) add_scaled(1.0, mean_, std::span(out).subspan(i * width, width));
  return out;
}

}  // namespace coterie
