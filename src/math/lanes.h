// A register of numbers, in the vector extension that GCC and Clang share: the compiler's own vectoriser does
// not keep an array of accumulators in registers, and this does.
//
// Every operation rounds each lane exactly as the same operation on one number would, so results never depend
// on which lane, or which remainder loop, a number went through.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

namespace coterie {

inline constexpr std::size_t kRegisterBytes = 32;

template <class Real>
struct RegisterOf {
  typedef Real Type __attribute__((vector_size(kRegisterBytes)));
};
template <class Real>
using Lanes = typename RegisterOf<Real>::Type;
template <class Real>
inline constexpr std::size_t kLanes = kRegisterBytes / sizeof(Real);

// Any address will do.
template <class Real>
inline Lanes<Real> load(const Real* from) {
  Lanes<Real> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class Real>
inline void store(Real* to, Lanes<Real> lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// a * b + c with one rounding.
template <class Real>
inline Lanes<Real> fused(Lanes<Real> a, Lanes<Real> b, Lanes<Real> c) {
  Lanes<Real> sum;
  for (std::size_t l = 0; l < kLanes<Real>; ++l) sum[l] = std::fma(a[l], b[l], c[l]);
  return sum;
}
template <class Real>
inline Lanes<Real> fused(Lanes<Real> a, Real b, Lanes<Real> c) {
  Lanes<Real> sum;
  for (std::size_t l = 0; l < kLanes<Real>; ++l) sum[l] = std::fma(a[l], b, c[l]);
  return sum;
}

// The sum of the lanes, as a balanced tree.
template <class Real, std::size_t First = 0, std::size_t Count = kLanes<Real>>
inline Real tree_sum(Lanes<Real> lanes) {
  if constexpr (Count == 1) {
    return lanes[First];
  } else {
    return tree_sum<Real, First, Count / 2>(lanes) + tree_sum<Real, First + Count / 2, Count / 2>(lanes);
  }
}

// Copies fewer than Below numbers, a power of two, without a call or a loop.
template <std::size_t Below, class Real>
inline void copy_few(const Real* from, std::size_t count, Real* to) {
  if constexpr (Below > 1) {
    constexpr std::size_t kHalf = Below / 2;
    if ((count & kHalf) != 0) {
      std::memcpy(to, from, kHalf * sizeof(Real));
      from += kHalf;
      to += kHalf;
    }
    copy_few<kHalf>(from, count, to);
  }
}

// The same for four registers of eight at once, in a third of the operations.
template <class Real>
using FourSums [[gnu::vector_size(4 * sizeof(Real))]] = Real;
template <class Real>
inline FourSums<Real> tree_sums(Lanes<Real> a, Lanes<Real> b, Lanes<Real> c, Lanes<Real> d) {
  static_assert(kLanes<Real> == 8);
  const Lanes<Real> ab = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
                         __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  const Lanes<Real> cd = __builtin_shufflevector(c, d, 0, 2, 8, 10, 4, 6, 12, 14) +
                         __builtin_shufflevector(c, d, 1, 3, 9, 11, 5, 7, 13, 15);
  const Lanes<Real> abcd = __builtin_shufflevector(ab, cd, 0, 2, 8, 10, 4, 6, 12, 14) +
                           __builtin_shufflevector(ab, cd, 1, 3, 9, 11, 5, 7, 13, 15);
  return __builtin_shufflevector(abcd, abcd, 0, 1, 2, 3) + __builtin_shufflevector(abcd, abcd, 4, 5, 6, 7);
}

}  // namespace coterie
