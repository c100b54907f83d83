#include "math/kernels.h"

#include <algorithm>
#include <cmath>

#include "coterie/error.h"
#include "math/elementary.h"
#include "math/lanes.h"

namespace coterie {
namespace {

constexpr std::size_t kRegisters = 4;  // of sums: enough to hide the latency of an addition

template <class Sum, class Real>
Lanes<Sum> read(const Real* from) {
  Lanes<Sum> lanes;
  for (std::size_t l = 0; l < kLanes<Sum>; ++l) lanes[l] = from[l];
  return lanes;
}
// The last `count` numbers before `end`, fewer than a register, and zeros, which add nothing to any of the
// sums below. Reads a whole register where `length` numbers allow it.
template <class Sum, class Real>
Lanes<Sum> read_rest(const Real* end, std::size_t count, std::size_t length) {
  constexpr std::size_t kL = kLanes<Sum>;
  if (length < kL) {
    Real padded[kL] = {};
    copy_few<kL>(end - count, count, padded + kL - count);
    return read<Sum>(padded);
  }
  Lanes<Sum> lanes = read<Sum>(end - kL);
  for (std::size_t l = 0; l < kL; ++l) lanes[l] = l + count < kL ? 0 : lanes[l];
  return lanes;
}

// Calls sums = add(at, sums) for every stretch of one register, where at(x) reads that stretch of x.
template <class Sum, class Add>
Sum lane_sum(std::size_t count, const Add& add) {
  constexpr std::size_t kL = kLanes<Sum>;
  Lanes<Sum> sums[kRegisters] = {};
  std::size_t i = 0;
  for (; i + kRegisters * kL <= count; i += kRegisters * kL) {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRegisters; ++r) {
      sums[r] = add([from = i + r * kL](const auto* x) { return read<Sum>(x + from); }, sums[r]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r + 1 < kRegisters; ++r) {
    if (i + kL > count) break;
    sums[r] = add([i](const auto* x) { return read<Sum>(x + i); }, sums[r]);
    i += kL;
  }
  if (i < count) {
    sums[kRegisters - 1] =
        add([=](const auto* x) { return read_rest<Sum>(x + count, count - i, count); }, sums[kRegisters - 1]);
  }
  return tree_sum<Sum>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <class Real>
Real dot_of(std::span<const Real> a, std::span<const Real> b) {
  if (a.size() != b.size()) check(false, "the dot product of vectors of different lengths");
  return lane_sum<Real>(a.size(), [&](const auto& at, Lanes<Real> sums) {
    return fused<Real>(at(a.data()), at(b.data()), sums);
  });
}

template <class Real>
double sum_of(std::span<const Real> x) {
  return lane_sum<double>(x.size(), [&](const auto& at, Lanes<double> sums) { return sums + at(x.data()); });
}

template <class Real>
double squared_norm_of(std::span<const Real> x) {
  return lane_sum<double>(x.size(), [&](const auto& at, Lanes<double> sums) {
    const Lanes<double> value = at(x.data());
    return fused<double>(value, value, sums);
  });
}

template <class Real>
double squared_distance_of(std::span<const Real> a, std::span<const Real> b) {
  check(a.size() == b.size(), "the distance of vectors of different lengths");
  return lane_sum<double>(a.size(), [&](const auto& at, Lanes<double> sums) {
    const Lanes<double> difference = at(a.data()) - at(b.data());
    return fused<double>(difference, difference, sums);
  });
}

template <class Real>
void add_scaled_to(Real factor, std::span<const Real> x, std::span<Real> y) {
  check(x.size() == y.size(), "the sum of vectors of different lengths");
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = std::fma(factor, x[i], y[i]);
}

template <class Real>
void relu_gradient_of(std::span<const Real> active, std::span<Real> x) {
  check(active.size() == x.size(), "a gradient and an activation of different lengths");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = active[i] > 0 ? x[i] : Real(0);
}

template <class Real>
bool all_within_of(std::span<const Real> x, Real most) {
  std::uint32_t others = 0;  // as long as a float: twice as many at a time
  for (const Real value : x) others |= std::fabs(value) <= most ? 0 : 1;
  return others == 0;
}

template <class Real>
Real most_of(std::span<const Real> row) {
  if (row.empty() || row.front() == 0 || !std::isfinite(row.front())) return 0;
  std::uint32_t same = 0;
  for (const Real value : row) same += value == row.front() ? 1 : 0;
  return 2 * same > row.size() ? row.front() : Real(0);
}

template <class Real>
void relu_of(std::span<const Real> bias, std::span<Real> x) {
  for (std::size_t i = 0; i < x.size(); i += bias.size()) {
    for (std::size_t c = 0; c < bias.size(); ++c) {
      const Real sum = x[i + c] + bias[c];
      x[i + c] = sum < 0 ? Real(0) : sum;
    }
  }
}

}  // namespace

float dot(std::span<const float> a, std::span<const float> b) { return dot_of(a, b); }
double dot(std::span<const double> a, std::span<const double> b) { return dot_of(a, b); }

double sum(std::span<const float> x) { return sum_of(x); }
double sum(std::span<const double> x) { return sum_of(x); }
double squared_norm(std::span<const float> x) { return squared_norm_of(x); }
double squared_norm(std::span<const double> x) { return squared_norm_of(x); }
double squared_distance(std::span<const float> a, std::span<const float> b) {
  return squared_distance_of(a, b);
}
double squared_distance(std::span<const double> a, std::span<const double> b) {
  return squared_distance_of(a, b);
}

void add_scaled(float factor, std::span<const float> x, std::span<float> y) { add_scaled_to(factor, x, y); }
void add_scaled(double factor, std::span<const double> x, std::span<double> y) {
  add_scaled_to(factor, x, y);
}

void scale(float factor, std::span<float> x) {
  for (float& value : x) value *= factor;
}
void scale(double factor, std::span<double> x) {
  for (double& value : x) value *= factor;
}

void relu(std::span<const float> bias, std::span<float> x) { relu_of(bias, x); }
void relu(std::span<const double> bias, std::span<double> x) { relu_of(bias, x); }
void relu_gradient(std::span<const float> active, std::span<float> x) { relu_gradient_of(active, x); }
void relu_gradient(std::span<const double> active, std::span<double> x) { relu_gradient_of(active, x); }

void exponentials(std::span<float> x) {
  for (float& value : x) value = exponential(value);
}
void exponentials(std::span<double> x) {
  for (double& value : x) value = exponential(value);
}
void logarithms(std::span<float> x) {
  for (float& value : x) value = logarithm(value);
}
void logarithms(std::span<double> x) {
  for (double& value : x) value = logarithm(value);
}

float background_of(std::span<const float> row) { return most_of(row); }
double background_of(std::span<const double> row) { return most_of(row); }

bool all_within(std::span<const float> x, float most) { return all_within_of(x, most); }
bool all_within(std::span<const double> x, double most) { return all_within_of(x, most); }
bool all_finite(std::span<const float> x) { return all_within(x, std::numeric_limits<float>::max()); }
bool all_finite(std::span<const double> x) { return all_within(x, std::numeric_limits<double>::max()); }

}  // namespace coterie
