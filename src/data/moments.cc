#include "data/moments.h"

#include <algorithm>
#include <limits>

namespace coterie {
namespace {

constexpr double kPlainUnit = 400;  // squares of numbers below 2^400 and above 2^-400 are numbers

double in_units(double x, double by) { return std::ldexp(x, static_cast<int>(by)); }

void change_unit(ColumnMoments& m, double unit) {
  m.mean = in_units(m.mean, m.unit - unit);
  m.m2 = in_units(m.m2, 2 * (m.unit - unit));
  m.unit = unit;
}

}  // namespace

double ColumnMoments::middle() const {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(in_units(mean, unit), -kMost, kMost);
}

double ColumnMoments::deviation(double rows) const {
  if (!(m2 > 0) || !(rows > 0)) return 1;
  using Limits = std::numeric_limits<double>;
  return std::clamp(in_units(std::sqrt(m2 / rows), unit), Limits::denorm_min(), Limits::max());
}

bool ColumnMoments::possible(double rows) const {
  return count >= 0 && count <= rows && count == std::floor(count) && std::isfinite(mean) && m2 >= 0 &&
         std::isfinite(m2) && std::abs(unit) <= 1100 && unit == std::floor(unit);
}

ColumnMoments moments_of(std::span<const double> values) {
  if (values.empty()) return {};
  ColumnMoments m;
  m.count = static_cast<double>(values.size());
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double low = *lowest, high = *highest;
  int exponent = 0;
  std::frexp(std::max(std::abs(low), std::abs(high)), &exponent);
  if (std::abs(exponent) > kPlainUnit) m.unit = exponent;
  if (low == high) {
    m.mean = in_units(low, -m.unit);
    return m;
  }
  double sum = 0;
  for (double x : values) sum += in_units(x, -m.unit) / m.count;
  m.mean = std::clamp(sum, in_units(low, -m.unit), in_units(high, -m.unit));
  for (double x : values) {
    const double gap = in_units(x, -m.unit) - m.mean;
    m.m2 += gap * gap;
  }
  return m;
}

ColumnMoments merged(ColumnMoments a, ColumnMoments b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double unit = std::max(a.unit, b.unit);
  change_unit(a, unit);
  change_unit(b, unit);
  ColumnMoments both;
  both.unit = unit;
  both.count = a.count + b.count;
  const double gap = b.mean - a.mean, share = b.count / both.count;
  both.mean = a.mean + gap * share;
  both.m2 = a.m2 + b.m2 + gap * gap * a.count * share;
  return both;
}

}  // namespace coterie
