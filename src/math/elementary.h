// Exponential, logarithm and cosine in plain arithmetic.
//
// A standard library's versions round differently from one CPU to the next, and a compiler may take a vector
// version for the body of a loop and another for its remainder. These are branch-free chains of exactly
// rounded operations: the same bits for every lane, and loops over them vectorise. Errors stay below 1.5
// units in the last place (cosine: 3e-16 absolute, for |x| < 1e6).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace coterie {
namespace elementary {

template <class Real>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127;
  static constexpr float kRound = 0x1.8p23f;  // adding it and taking it away again rounds to an integer
  static constexpr float kLowest = -104;      // exp is zero below, infinite above the highest
  static constexpr float kHighest = 89;
  static constexpr float kLn2 = 0x1.62e430p-1f;  // and what it lacks
  static constexpr float kLn2Rest = -0x1.05c610p-29f;
  static constexpr std::size_t kExpTerms = 8;  // terms of the series below
  static constexpr std::size_t kLogTerms = 4;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLowest = -746;
  static constexpr double kHighest = 710;
  static constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Rest = 0x1.abc9e3b39803fp-56;
  static constexpr std::size_t kExpTerms = 14;
  static constexpr std::size_t kLogTerms = 10;
};

// Coefficients from the lowest power up, summed by Horner's rule. A recursion, since a loop in here keeps the
// loop around it from being vectorised.
template <std::size_t First = 0, class Real, std::size_t N>
inline Real polynomial(const std::array<Real, N>& coefficients, Real x) {
  if constexpr (First + 1 == N) {
    return coefficients[First];
  } else {
    return std::fma(polynomial<First + 1>(coefficients, x), x, coefficients[First]);
  }
}

// exp(r) = sum r^n / n!
template <class Real, std::size_t N>
constexpr std::array<Real, N> exp_series() {
  std::array<Real, N> series{};
  long double factorial = 1;
  for (std::size_t n = 0; n < N; ++n) {
    if (n > 0) factorial *= static_cast<long double>(n);
    series[n] = static_cast<Real>(1 / factorial);
  }
  return series;
}

// log((1 + s) / (1 - s)) = 2 s + s z (2/3 + 2/5 z + 2/7 z^2 + ...)  with z = s^2: the series in brackets.
template <class Real, std::size_t N>
constexpr std::array<Real, N> log_series() {
  std::array<Real, N> series{};
  for (std::size_t n = 0; n < N; ++n) series[n] = static_cast<Real>(2 / static_cast<long double>(2 * n + 3));
  return series;
}

// cos(r) = sum (-1)^n r^(2n) / (2n)!
constexpr std::array<double, 13> cos_series() {
  std::array<double, 13> series{};
  long double factorial = 1;
  for (std::size_t n = 0; n < series.size(); ++n) {
    if (n > 0) factorial *= -static_cast<long double>((2 * n - 1) * (2 * n));
    series[n] = static_cast<double>(1 / factorial);
  }
  return series;
}

// The integer k, as bits that wrap around.
template <class Real>
inline typename Format<Real>::Bits integer_bits(Real k) {
  using Bits = typename Format<Real>::Bits;
  return std::bit_cast<Bits>(k + Format<Real>::kRound) - std::bit_cast<Bits>(Format<Real>::kRound);
}

// 2^k for an integer k for which that is a normal number.
template <class Real>
inline Real power_of_two(Real k) {
  using F = Format<Real>;
  return std::bit_cast<Real>((integer_bits(k) + F::kBias) << F::kMantissa);
}

// condition ? a : b in bits. A chain of ?: on one number becomes branches, and loops with branches do not
// vectorise.
template <class Real>
inline Real select(bool condition, Real a, Real b) {
  using Bits = typename Format<Real>::Bits;
  const Bits mask = Bits(0) - Bits(condition);
  return std::bit_cast<Real>((std::bit_cast<Bits>(a) & mask) | (std::bit_cast<Bits>(b) & ~mask));
}

}  // namespace elementary

// Denormal results included; NaN stays NaN.
template <class Real>
inline Real exponential(Real x) {
  using F = elementary::Format<Real>;
  static constexpr auto kSeries = elementary::exp_series<Real, F::kExpTerms>();
  constexpr Real kPerLn2 = static_cast<Real>(1.44269504088896340735992468100L);
  x = x < F::kLowest ? F::kLowest : x;
  x = x > F::kHighest ? F::kHighest : x;
  const Real k = std::fma(x, kPerLn2, F::kRound) - F::kRound;
  const Real r = std::fma(-k, F::kLn2Rest, std::fma(-k, F::kLn2, x));
  const Real half = (k * Real(0.5) + F::kRound) - F::kRound;  // 2^k itself may be out of range
  return elementary::polynomial(kSeries, r) * elementary::power_of_two(half) *
         elementary::power_of_two(k - half);
}

// -infinity at 0, NaN below.
template <class Real>
inline Real logarithm(Real x) {
  using F = elementary::Format<Real>;
  using Bits = typename F::Bits;
  using Limits = std::numeric_limits<Real>;
  static constexpr auto kSeries = elementary::log_series<Real, F::kLogTerms>();
  constexpr Real kLift = Real(Bits(1) << F::kMantissa);  // makes denormals normal
  constexpr Bits kRootHalf = std::bit_cast<Bits>(static_cast<Real>(0.707106781186547524400844362105L));
  constexpr Bits kOne = std::bit_cast<Bits>(Real(1));

  const bool small = x < Limits::min();
  const Real lifted = x * elementary::select(small, kLift, Real(1));
  // x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2).
  const Bits above = std::bit_cast<Bits>(lifted) - kRootHalf + (F::kBias << F::kMantissa);
  const Real f =
      std::bit_cast<Real>(std::bit_cast<Bits>(lifted) - ((above >> F::kMantissa) << F::kMantissa) + kOne) -
      Real(1);
  const Bits exponent = (above >> F::kMantissa) | std::bit_cast<Bits>(kLift);
  const Real k = std::bit_cast<Real>(exponent) - kLift - Real(F::kBias) -
                 elementary::select(small, Real(F::kMantissa), Real(0));

  const Real s = f / (Real(2) + f);
  const Real z = s * s;
  const Real half_square = Real(0.5) * f * f;
  const Real rest = z * elementary::polynomial(kSeries, z);
  const Real correction = std::fma(s, half_square + rest, k * F::kLn2Rest);
  Real value = std::fma(k, F::kLn2, f - (half_square - correction));
  value = elementary::select(x == Real(0), -Limits::infinity(), value);
  value = elementary::select(x < Real(0), Limits::quiet_NaN(), value);
  return elementary::select(x <= Limits::max(), value, x);  // infinity and NaN
}

// log(1 + exp(z)), to full relative precision at both ends.
inline double softplus(double z) {
  static constexpr auto kSeries = elementary::log_series<double, 16>();
  const double e = exponential(-std::fabs(z));
  const double s = e / (2 + e);  // at most 1/3
  return (z > 0 ? z : 0) + std::fma(s * s * s, elementary::polynomial(kSeries, s * s), 2 * s);
}

// 1 / (1 + exp(-z)).
inline double sigmoid(double z) {
  const double e = exponential(-std::fabs(z));
  return (z < 0 ? e : 1) / (1 + e);
}

inline double cosine(double x) {
  static constexpr auto kSeries = elementary::cos_series();
  constexpr double kPi = 0x1.921fb54442d18p+1;
  constexpr double kPiRest = 0x1.1a62633145c07p-53;
  constexpr double kRound = elementary::Format<double>::kRound;
  const double k = std::fma(x, 1 / kPi, kRound) - kRound;
  const double r = std::fma(-k, kPiRest, std::fma(-k, kPi, x));
  const double value = elementary::polynomial(kSeries, r * r);
  const std::uint64_t sign = elementary::integer_bits(k) << 63;  // odd k: the other half of the circle
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ sign);
}

}  // namespace coterie
