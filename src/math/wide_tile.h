// The tiles of a product (gemm.cc) on processors with registers of 64 bytes: up to four panels at a time, in
// half the instructions. An element's sum is the same chain of fused multiply-adds, so its bits are the same
// too.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace coterie {

// Rows x depth numbers of a, with their steps, against packed panels.
template <class Real>
struct Strip {
  const Real* a;
  std::size_t down;
  std::size_t right;
  const Real* panel;
  std::size_t apart;  // from a panel to the one on its right
  std::size_t depth;
  const std::uint16_t* columns = nullptr;  // of a, `depth` of them; none: all
};

// What a tile becomes: c = base + a b; no base: c = a b.
template <class Real>
struct TileTarget {
  const Real* base;
  std::size_t base_step;
  Real* c;
  std::size_t c_step;
};

#define COTERIE_WIDE __attribute__((target("avx512f"), always_inline)) inline

struct WideFloat {
  using Register = __m512;
  static constexpr std::size_t kLanes = 16;
  COTERIE_WIDE static Register zero() { return _mm512_setzero_ps(); }
  COTERIE_WIDE static Register load(const float* from) { return _mm512_loadu_ps(from); }
  COTERIE_WIDE static Register fused(Register a, float b, Register c) {
    return _mm512_fmadd_ps(a, _mm512_set1_ps(b), c);
  }
  COTERIE_WIDE static Register positive(Register a) { return _mm512_add_ps(a, zero()); }  // -0 becomes +0
  COTERIE_WIDE static Register add(Register a, std::uint16_t few, const float* b) {
    return _mm512_add_ps(a, _mm512_maskz_loadu_ps(few, b));
  }
  COTERIE_WIDE static void store(float* to, std::uint16_t few, Register a) {
    _mm512_mask_storeu_ps(to, few, a);
  }
};

struct WideDouble {
  using Register = __m512d;
  static constexpr std::size_t kLanes = 8;
  COTERIE_WIDE static Register zero() { return _mm512_setzero_pd(); }
  COTERIE_WIDE static Register load(const double* from) { return _mm512_loadu_pd(from); }
  COTERIE_WIDE static Register fused(Register a, double b, Register c) {
    return _mm512_fmadd_pd(a, _mm512_set1_pd(b), c);
  }
  COTERIE_WIDE static Register positive(Register a) { return _mm512_add_pd(a, zero()); }
  COTERIE_WIDE static Register add(Register a, std::uint16_t few, const double* b) {
    return _mm512_add_pd(a, _mm512_maskz_loadu_pd(static_cast<__mmask8>(few), b));
  }
  COTERIE_WIDE static void store(double* to, std::uint16_t few, Register a) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(few), a);
  }
};

inline WideFloat wide_registers(float);
inline WideDouble wide_registers(double);

// `columns`: of c, more than Panels - 1 panels hold and at most as many as Panels do.
template <std::size_t Rows, std::size_t Panels, bool Some, class Real>
__attribute__((target("avx512f"))) void wide_tile(const Strip<Real>& strip, const TileTarget<Real>& to,
                                                  std::size_t columns) {
  using Wide = decltype(wide_registers(Real()));
  constexpr std::size_t kL = Wide::kLanes;
  typename Wide::Register sums[Rows][Panels];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Panels; ++p) sums[i][p] = Wide::zero();
  }
  for (std::size_t step = 0; step < strip.depth; ++step) {
    const std::size_t k = Some ? strip.columns[step] : step;
    const Real* a = strip.a + k * strip.right;
    typename Wide::Register b[Panels];
#pragma GCC unroll 4
    for (std::size_t p = 0; p < Panels; ++p) b[p] = Wide::load(strip.panel + p * strip.apart + k * kL);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (std::size_t p = 0; p < Panels; ++p) sums[i][p] = Wide::fused(b[p], a[i * strip.down], sums[i][p]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t p = 0; p < Panels; ++p) {
    const std::size_t left = columns - p * kL;
    const auto few = static_cast<std::uint16_t>(left < kL ? (1U << left) - 1 : 0xffff);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
      auto sum = Wide::positive(sums[i][p]);
      if (to.base != nullptr) sum = Wide::add(sum, few, to.base + i * to.base_step + p * kL);
      Wide::store(to.c + i * to.c_step + p * kL, few, sum);
    }
  }
}

template <bool Some, std::size_t Panels, class Real>
void wide_tile(std::size_t rows, const Strip<Real>& strip, const TileTarget<Real>& to, std::size_t columns) {
  switch (rows) {
    case 1:
      return wide_tile<1, Panels, Some>(strip, to, columns);
    case 2:
      return wide_tile<2, Panels, Some>(strip, to, columns);
    case 3:
      return wide_tile<3, Panels, Some>(strip, to, columns);
    case 4:
      return wide_tile<4, Panels, Some>(strip, to, columns);
    case 5:
      return wide_tile<5, Panels, Some>(strip, to, columns);
    default:
      return wide_tile<6, Panels, Some>(strip, to, columns);
  }
}

template <bool Some, class Real>
void wide_tile(std::size_t rows, const Strip<Real>& strip, const TileTarget<Real>& to, std::size_t columns) {
  constexpr std::size_t kL = decltype(wide_registers(Real()))::kLanes;
  switch ((columns + kL - 1) / kL) {
    case 1:
      return wide_tile<Some, 1>(rows, strip, to, columns);
    case 2:
      return wide_tile<Some, 2>(rows, strip, to, columns);
    case 3:
      return wide_tile<Some, 3>(rows, strip, to, columns);
    default:
      return wide_tile<Some, 4>(rows, strip, to, columns);
  }
}

template <class Real>
void wide_tile(std::size_t rows, const Strip<Real>& strip, const TileTarget<Real>& to, std::size_t columns) {
  strip.columns == nullptr ? wide_tile<false>(rows, strip, to, columns)
                           : wide_tile<true>(rows, strip, to, columns);
}

#undef COTERIE_WIDE

}  // namespace coterie
