// The arithmetic under random streams: Philox blocks, several in step, and pairs of normals made from them.
//
// Normals come from Box-Muller with a logarithm, sine and cosine written out here (the polynomials of
// fdlibm): every step is one IEEE operation on one element, so the compiler can work on several pairs at once
// and the bits are the same whether it does or not, and whatever the C library.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace coterie::random_detail {

inline constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
inline constexpr int kRounds = 10;

// The counters {first + i, rest...} of Lanes neighbouring blocks, enciphered in step.
template <std::size_t Lanes>
struct Philox {
  using Word = std::array<std::uint32_t, Lanes>;
  Word x0, x1, x2, x3;

  Philox(const std::array<std::uint32_t, 4>& counter, std::array<std::uint32_t, 2> key) {
    for (std::size_t i = 0; i < Lanes; ++i) {
      x0[i] = counter[0] + static_cast<std::uint32_t>(i);
      x1[i] = counter[1];
      x2[i] = counter[2];
      x3[i] = counter[3];
    }
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < Lanes; ++i) {
        std::uint64_t product0 = std::uint64_t{kMultiplier0} * x0[i];
        std::uint64_t product1 = std::uint64_t{kMultiplier1} * x2[i];
        x0[i] = static_cast<std::uint32_t>(product1 >> 32) ^ x1[i] ^ key[0];
        x1[i] = static_cast<std::uint32_t>(product1);
        x2[i] = static_cast<std::uint32_t>(product0 >> 32) ^ x3[i] ^ key[1];
        x3[i] = static_cast<std::uint32_t>(product0);
      }
      key[0] += kWeyl0;
      key[1] += kWeyl1;
    }
  }
};

inline constexpr double kTwoTo52 = 4503599627370496.0;

// In [1, 2), from the upper 52 bits.
inline double one_to_two(std::uint64_t bits) {
  return std::bit_cast<double>((bits >> 12) | 0x3FF0000000000000);
}

// log(x) for normal x > 0, error below one unit in the last place.
inline double log_of(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD);
  std::uint64_t biased_exponent = bits >> 52;
  double exponent = std::bit_cast<double>(biased_exponent | 0x4330000000000000) - (kTwoTo52 + 1023);
  // x = 2^exponent (1 + f), with 1 + f in [sqrt(1/2), sqrt(2)).
  double f = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD) - 1;
  double s = f / (2 + f);
  double z = s * s, w = z * z;
  double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  double half_square = 0.5 * f * f;
  double high = exponent * 6.93147180369123816490e-01, low = exponent * 1.90821492927058770002e-10;
  return high - ((half_square - (s * (half_square + (even + odd)) + low)) - f);
}

// Cosine and sine of `turns` full turns, turns in [0, 1].
struct Direction {
  double cosine, sine;
};
inline Direction direction(double turns) {
  constexpr double kRounder = 1.5 * kTwoTo52;  // adding it leaves the nearest integer in the low bits
  double shifted = turns * 4 + kRounder;
  std::uint64_t quarter = std::bit_cast<std::uint64_t>(shifted);
  double x = (turns * 4 - (shifted - kRounder)) * 1.57079632679489661923;  // in [-pi/4, pi/4]
  double z = x * x;
  double sine = x + x * z *
                        (-1.66666666666666324348e-01 +
                         z * (8.33333333332248946124e-03 +
                              z * (-1.98412698298579493134e-04 +
                                   z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                          z * 1.58969099521155010221e-10)))));
  double cosine =
      1 -
      (0.5 * z - z * z *
                     (4.16666666666666019037e-02 +
                      z * (-1.38888888888741095749e-03 +
                           z * (2.48015872894767294178e-05 +
                                z * (-2.75573143513906633035e-07 +
                                     z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  // Quarters 1 and 3 swap the two; 1 and 2 turn the cosine's sign, 2 and 3 the sine's.
  std::uint64_t swap = -(quarter & 1);
  std::uint64_t c = std::bit_cast<std::uint64_t>(cosine), s = std::bit_cast<std::uint64_t>(sine);
  std::uint64_t exchange = (c ^ s) & swap;
  c ^= exchange ^ (((quarter + 1) & 2) << 62);
  s ^= exchange ^ ((quarter & 2) << 62);
  return {std::bit_cast<double>(c), std::bit_cast<double>(s)};
}

// Two independent normals from one block.
struct NormalPair {
  double first, second;
};
inline NormalPair normal_pair(std::uint32_t x0, std::uint32_t x1, std::uint32_t x2, std::uint32_t x3) {
  double radius_uniform = 2 - one_to_two(x0 | std::uint64_t{x1} << 32);  // in (0, 1]
  double turns = one_to_two(x2 | std::uint64_t{x3} << 32) - 1;
  double radius = std::sqrt(-2 * log_of(radius_uniform));
  Direction to = direction(turns);
  return {radius * to.cosine, radius * to.sine};
}

}  // namespace coterie::random_detail
