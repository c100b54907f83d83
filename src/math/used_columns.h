// Which columns of a few rows are not all zeros: a product can leave out the others.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "math/gemm.h"

namespace coterie {

inline constexpr std::size_t kListRoom = 16;  // beyond a list's end, where it may be written to

#define COTERIE_WIDE __attribute__((target("avx512f")))

// So many numbers, at most a register of 64 bytes, and zeros.
COTERIE_WIDE inline __m512i wide_bits(const float* from, __mmask16 few) {
  return _mm512_castps_si512(_mm512_maskz_loadu_ps(few, from));
}
COTERIE_WIDE inline __m512i wide_bits(const double* from, __mmask16 few) {
  return _mm512_castpd_si512(_mm512_maskz_loadu_pd(static_cast<__mmask8>(few), from));
}
// A bit for each number: whether it is not zero, of either sign.
COTERIE_WIDE inline std::uint64_t wide_marks(__m512i bits, float) {
  return _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x7fffffff));
}
COTERIE_WIDE inline std::uint64_t wide_marks(__m512i bits, double) {
  return _mm512_test_epi64_mask(bits, _mm512_set1_epi64(0x7fffffffffffffff));
}

// Adds to the list the numbers first, first + 1 ... whose bits are set, of at most sixteen.
COTERIE_WIDE inline std::size_t add_marked(std::uint64_t marks, std::size_t first, std::uint16_t* list) {
  const __m512i all =
      _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                       _mm512_set1_epi32(static_cast<int>(first)));
  const __m512i some = _mm512_maskz_compress_epi32(static_cast<__mmask16>(marks), all);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(list), _mm512_maskz_cvtepi32_epi16(0xffff, some));
  return static_cast<std::size_t>(std::popcount(marks));
}

// Rows whose columns lie side by side.
template <class Real>
COTERIE_WIDE std::size_t wide_used_across(const Matrix<const Real>& rows, std::uint16_t* list) {
  constexpr std::size_t kL = 64 / sizeof(Real);
  std::size_t count = 0;
  for (std::size_t k = 0; k < rows.columns; k += kL) {
    const std::size_t left = rows.columns - k;
    const auto few = static_cast<__mmask16>(left < kL ? (1U << left) - 1 : 0xffff);
    __m512i bits = wide_bits(rows.data + k, few);
    for (std::size_t r = 1; r < rows.rows; ++r)
      bits = _mm512_or_si512(bits, wide_bits(rows.data + r * rows.row_step + k, few));
    count += add_marked(wide_marks(bits, Real()), k, list + count);
  }
  return count;
}

// Four or six rows, column after column: a word holds the marks of eight columns.
template <std::size_t Rows, class Real>
COTERIE_WIDE std::size_t wide_used_down(const Matrix<const Real>& rows, std::uint16_t* list) {
  static_assert(Rows == 4 || Rows == 6);
  constexpr std::size_t kL = 64 / sizeof(Real), kEight = 8 * Rows;
  constexpr std::uint64_t kFirst = Rows == 4 ? 0x11111111 : 0x041041041041;  // of each column
  const std::size_t numbers = Rows * rows.columns;
  std::size_t count = 0;
  for (std::size_t at = 0; at < numbers; at += kEight) {
    std::uint64_t marks = 0;
    for (std::size_t part = 0; part < kEight && at + part < numbers; part += kL) {
      const std::size_t left = numbers - at - part;
      const auto few = static_cast<__mmask16>(left < kL ? (1U << left) - 1 : 0xffff);
      marks |= wide_marks(wide_bits(rows.data + at + part, few), Real()) << part;
    }
    const std::uint64_t two = marks | marks >> 1;
    const std::uint64_t all = two | two >> 2 | (Rows == 6 ? two >> 4 : 0);  // at the first of a column
    count += add_marked(_pext_u64(all, kFirst), at / Rows, list + count);
  }
  return count;
}

#undef COTERIE_WIDE

// For each set of eight bits the places of those that are set, in order; then zeros.
inline constexpr auto kPlaces = [] {
  std::array<std::array<std::uint8_t, 8>, 256> all{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    for (std::size_t place = 0, count = 0; place < 8; ++place) {
      if ((bits >> place & 1) != 0) all[bits][count++] = static_cast<std::uint8_t>(place);
    }
  }
  return all;
}();

template <class Real>
std::size_t narrow_used(const Matrix<const Real>& rows, std::uint16_t* list) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  // 0 for a zero of either sign.
  auto mark = [](Real number) {
    const Bits bits = std::bit_cast<Bits>(number) << 1;
    return static_cast<std::uint32_t>(bits) | static_cast<std::uint32_t>(bits >> (8 * sizeof(Bits) - 32));
  };
  alignas(32) std::uint32_t marks[256];
  const std::size_t end = (rows.columns + 7) / 8 * 8;
  std::fill_n(marks, end, 0);
  for (std::size_t r = 0; rows.column_step == 1 && r < rows.rows; ++r) {
    const Real* row = rows.data + r * rows.row_step;
    for (std::size_t k = 0; k < rows.columns; ++k) marks[k] |= mark(row[k]);
  }
  for (std::size_t k = 0; rows.column_step != 1 && k < rows.columns; ++k) {
    const Real* column = rows.data + k * rows.column_step;
    for (std::size_t r = 0; r < rows.rows; ++r) marks[k] |= mark(column[r * rows.row_step]);
  }
  std::size_t count = 0;
  for (std::size_t k = 0; k < end; k += 8) {
    const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(marks + k));
    const __m256 dark = _mm256_castsi256_ps(_mm256_cmpeq_epi32(eight, _mm256_setzero_si256()));
    const auto used = static_cast<std::uint8_t>(~_mm256_movemask_ps(dark));
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPlaces[used].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(list + count),
                     _mm_add_epi16(_mm_cvtepu8_epi16(places), _mm_set1_epi16(static_cast<short>(k))));
    count += static_cast<std::size_t>(std::popcount(used));
  }
  return count;
}

// Writes them to `list`, in order; returns how many. There are at most 256 columns, and kListRoom more places
// in `list`. `wide`: the processor has registers of 64 bytes.
template <class Real>
std::size_t used_columns(const Matrix<const Real>& rows, std::uint16_t* list, bool wide) {
  if (wide && rows.column_step == 1) return wide_used_across(rows, list);
  if (wide && rows.row_step == 1 && rows.column_step == rows.rows) {
    if (rows.rows == 4) return wide_used_down<4>(rows, list);
    if (rows.rows == 6) return wide_used_down<6>(rows, list);
  }
  return narrow_used(rows, list);
}

}  // namespace coterie
