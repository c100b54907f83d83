// The classic scheme: a panel of b, two registers wide and packed so that it stays in the first-level cache,
// meets strips of six rows of a. The sums of a tile of 6 rows x 2 registers live in twelve registers. Where
// the processor has registers twice as long, several panels meet a strip together (wide_tile.h).
//
// Images are mostly dark. Where b is wide, the columns of a strip that hold nothing but zeros are
// left out: the bits stay the same as long as b is finite, since a zero of either sign changes no sum but -0
// (a product that underflowed), and sums of -0 end as +0. Where a has backgrounds the zeros are those of
//
//   a b = (a - background) b + background (sum of the rows of b),      if each row of a has a background
//   a b = (a - background) b + 1 (sum of background_k row k of b),     if each column has
//
// and the last term is one more step of a tile: a column of a against one more row of the panel (strips.h).
#include "math/gemm.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "coterie/error.h"
#include "math/gemv.h"
#include "math/kernels.h"
#include "math/lanes.h"
#include "math/strips.h"
#include "math/transpose.h"
#include "math/wide_tile.h"

namespace coterie {
namespace {

constexpr std::size_t kFewRows = 3;  // up to here packing does not pay
constexpr std::size_t kWide = 48;    // columns of b from which looking for zeros in a pays
constexpr std::size_t kTall = 24;    // rows of a, where b is not packed

const bool has_wide = __builtin_cpu_supports("avx512f");
bool wide = has_wide;

// So many columns of b, or as many of them as meet a strip of this block together.
template <class Real>
std::size_t at_a_time(std::size_t columns, const Block<Real>& a) {
  const std::size_t panels = (columns + kPanel<Real> - 1) / kPanel<Real>;
  return std::min(columns, panels_of_tile(panels, a.flat(), wide) * kPanel<Real>);
}

// Up to here a meets all columns at once, and is read once.
template <class Real>
std::size_t at_once() {
  return (wide ? 2 : 1) * kPanel<Real>;
}

// Short loops are unrolled by order: left to the compiler, it may keep the sums in memory.
template <std::size_t Rows, bool Some, class Real>
inline void tile(const Strip<Real>& strip, const TileTarget<Real>& to) {
  constexpr std::size_t kL = kLanes<Real>;
  Lanes<Real> sums[Rows][2] = {};
  for (std::size_t step = 0; step < strip.depth; ++step) {
    const std::size_t k = Some ? strip.columns[step] : step;
    const Lanes<Real> first = load(strip.panel + k * 2 * kL);
    const Lanes<Real> second = load(strip.panel + k * 2 * kL + kL);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Rows; ++i) {
      const Real x = strip.a[i * strip.down + k * strip.right];
      sums[i][0] = fused<Real>(first, x, sums[i][0]);
      sums[i][1] = fused<Real>(second, x, sums[i][1]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < Rows; ++i) {
    Real* row = to.c + i * to.c_step;
    sums[i][0] += Lanes<Real>{};  // -0 becomes +0, as a skipped zero would have made it
    sums[i][1] += Lanes<Real>{};
    if (to.base != nullptr) {
      sums[i][0] += load(to.base + i * to.base_step);
      sums[i][1] += load(to.base + i * to.base_step + kL);
    }
    store(row, sums[i][0]);
    store(row + kL, sums[i][1]);
  }
}

template <bool Some, class Real>
inline void tile(std::size_t rows, const Strip<Real>& strip, const TileTarget<Real>& to) {
  switch (rows) {
    case 1:
      return tile<1, Some>(strip, to);
    case 2:
      return tile<2, Some>(strip, to);
    case 3:
      return tile<3, Some>(strip, to);
    case 4:
      return tile<4, Some>(strip, to);
    case 5:
      return tile<5, Some>(strip, to);
    default:
      return tile<kTileRows, Some>(strip, to);
  }
}

// Copies the rows of b, at most a panel wide, one after the other; what is missing on the right becomes zero.
template <class Real>
void pack(const Matrix<const Real>& b, Real* panel) {
  if (b.columns < kPanel<Real>) std::fill_n(panel, b.rows * kPanel<Real>, Real(0));
  if (b.column_step != 1) {
    transpose(b.data, b.columns, b.rows, b.column_step, panel, kPanel<Real>);
  } else if (b.columns < kPanel<Real>) {
    for (std::size_t k = 0; k < b.rows; ++k)
      copy_few<kPanel<Real>>(b.data + k * b.row_step, b.columns, panel + k * kPanel<Real>);
  } else {
    for (std::size_t k = 0; k < b.rows; ++k) {
      std::memcpy(panel + k * kPanel<Real>, b.data + k * b.row_step, kPanel<Real> * sizeof(Real));
    }
  }
}

template <class Real>
void narrow_tile(std::size_t rows, const Strip<Real>& strip, const TileTarget<Real>& to,
                 std::size_t columns) {
  auto meet = [&](const TileTarget<Real>& target) {
    strip.columns == nullptr ? tile<false>(rows, strip, target) : tile<true>(rows, strip, target);
  };
  if (columns == kPanel<Real>) return meet(to);
  Real edge[kTileRows * kPanel<Real>];
  for (std::size_t r = 0; to.base != nullptr && r < rows; ++r)
    copy_few<kPanel<Real>>(to.base + r * to.base_step, columns, edge + r * kPanel<Real>);
  meet({to.base == nullptr ? nullptr : edge, kPanel<Real>, edge, kPanel<Real>});
  for (std::size_t r = 0; r < rows; ++r)
    copy_few<kPanel<Real>>(edge + r * kPanel<Real>, columns, to.c + r * to.c_step);
}

// c = base + a block times as many packed panels, one after the other, as meet a strip at a time. `again`:
// the base is c itself, after an earlier block.
template <class Real>
void times_panels(const Block<Real>& a, bool zeros, const Real* panels, bool again,
                  const Matrix<const Real>& base, const Matrix<Real>& c) {
  for (std::size_t i = 0, rows = 0; i < a.rows(); i += rows) {
    rows = rows_of_tile(a.rows() - i, a.flat());
    const Strip<Real> strip = a.strip(i, rows, zeros, panels);
    if (strip.depth == 0 && again) continue;
    const TileTarget<Real> to{base.data == nullptr ? nullptr : base.data + i * base.row_step, base.row_step,
                              c.data + i * c.row_step, c.row_step};
    wide ? wide_tile(rows, strip, to, c.columns) : narrow_tile(rows, strip, to, c.columns);
  }
}

// The last row of a panel: the sum of those before, each times its background (none: 1), in four turns.
template <class Real>
void add_last(std::size_t depth, const Real* backgrounds, std::size_t first, Real* panel) {
  constexpr std::size_t kL = kLanes<Real>, kTurns = 4;
  Lanes<Real> sums[kTurns][2] = {};
  for (std::size_t k = 0; k < depth; ++k) {
    const Real factor = backgrounds == nullptr ? 1 : backgrounds[first + k];
    for (std::size_t half = 0; half < 2; ++half) {
      Lanes<Real>& sum = sums[k % kTurns][half];
      sum = fused<Real>(load(panel + (2 * k + half) * kL), factor, sum);
    }
  }
  for (std::size_t half = 0; half < 2; ++half) {
    store(panel + (2 * depth + half) * kL, (sums[0][half] + sums[1][half]) + (sums[2][half] + sums[3][half]));
  }
}

// Whether b allows for columns of a to be left out: it is finite, and so are sums of a block of its rows.
template <class Real>
bool is_tame(const Matrix<const Real>& b) {
  constexpr Real kMost = std::numeric_limits<Real>::max() / 4096;
  const Matrix<const Real> rows = b.column_step == 1 ? b : b.transposed();
  for (std::size_t k = 0; k < rows.rows; ++k) {
    if (!all_within(std::span<const Real>(rows.data + k * rows.row_step, rows.columns), kMost)) return false;
  }
  return true;
}

// Whether to leave out zeros of a: it has backgrounds, or there are some in its first strip; b is large
// enough, and tame. With backgrounds it must not depend on the number of rows.
template <class Real>
bool zeros_pay(const Matrix<const Real>& a, const Matrix<const Real>& b) {
  if (b.columns < kWide || a.columns < kDeep) return false;
  if (a.background == nullptr) {
    if (a.rows < kTall || b.column_step != 1) return false;
    std::uint16_t list[kSumBlock + kListRoom];
    const std::size_t depth = std::min(kSumBlock, a.columns);
    if (used_columns(part(a, 0, kTileRows, 0, depth), list, wide) == depth) return false;
  }
  return is_tame(b);
}

thread_local std::uint64_t flops = 0;

template <class Real>
void product(const Matrix<const Real>& base, const Matrix<const Real>& a, const Packed<Real>& b,
             const Matrix<Real>& c);

// c = base + a b; a base without data stands for zeros.
template <class Real>
void product(const Matrix<const Real>& base, const Matrix<const Real>& a, const Matrix<const Real>& b,
             const Matrix<Real>& c) {
  check(a.rows == c.rows && b.columns == c.columns && a.columns == b.rows,
        "a product of matrices that do not fit");
  check(c.column_step == 1, "a product goes into a row-major matrix");
  const bool column = c.columns == 1 && c.row_step == 1 && b.row_step == 1;
  const bool few = a.rows <= kFewRows && b.column_step == 1 &&
                   (a.background == nullptr || b.columns < kWide || a.columns < kDeep);
  if (column || few || a.columns == 0) {
    flops += 2 * a.rows * a.columns * b.columns;
    const bool fill = base.data == nullptr && a.columns == 0;
    const bool copy = base.data != nullptr && base.data != c.data;
    for (std::size_t i = 0; (fill || copy) && i < c.rows; ++i) {
      Real* to = c.data + i * c.row_step;
      fill ? std::fill_n(to, c.columns, Real(0)) : std::copy_n(base.data + i * base.row_step, c.columns, to);
    }
    if (a.columns == 0) return;
    const Into into = base.data == nullptr ? Into::set : Into::add;
    if (column && a.column_step == 1) return dots(a, b.data, c.data, into);
    if (column) return combine_rows(b.data, 1, a.transposed(), c.data, into);
    for (std::size_t i = 0; i < a.rows; ++i) {
      combine_rows(a.data + i * a.row_step, a.column_step, b, c.data + i * c.row_step, into);
    }
    return;
  }
  const bool zeros = !zeros_pay(a, b);
  const Real* backgrounds = a.background_of_columns ? a.background : nullptr;
  if (!zeros && a.rows > kHeight) {  // several blocks of a: b is packed once for all of them
    return product(base, a, Packed<Real>(b, backgrounds), c);
  }
  flops += 2 * a.rows * a.columns * b.columns;
  alignas(64) Real panels[4 * panel_size<Real>(kSumBlock)];
  for (std::size_t k = 0; k < a.columns; k += kSumBlock) {
    const std::size_t depth = std::min(kSumBlock, a.columns - k);
    const Matrix<const Real> now = k == 0 ? base : Matrix<const Real>(c);
    for (std::size_t i = 0; i < a.rows; i += kHeight) {
      const std::size_t rows = std::min(kHeight, a.rows - i);
      const Block<Real> block(part(a, i, rows, k, depth), !zeros, b.columns > at_once<Real>(), wide);
      for (std::size_t j = 0, columns = 0; j < b.columns; j += columns) {
        columns = at_a_time(b.columns - j, block);
        for (std::size_t p = 0; p < columns; p += kPanel<Real>) {
          Real* panel = panels + p / kPanel<Real> * panel_size<Real>(depth);
          pack(part(b, k, depth, j + p, std::min(kPanel<Real>, columns - p)), panel);
          if (!zeros && a.background != nullptr) add_last(depth, backgrounds, k, panel);
        }
        times_panels(block, zeros, panels, k > 0, now.data == nullptr ? now : part(now, i, rows, j, columns),
                     part(c, i, rows, j, columns));
      }
    }
  }
}

// c = base + a b for each of several b; a block of a, and what it uses, serves them all.
template <class Real>
void products(const Matrix<const Real>& base, const Matrix<const Real>& a,
              std::span<const PackedProduct<Real>> all) {
  auto sparse = [](const PackedProduct<Real>& one) { return one.b->tame() && one.c.columns >= kWide; };
  for (const auto& [b, c] : all) {
    check(a.rows == c.rows && b->columns() == c.columns && a.columns == b->rows() && c.column_step == 1,
          "a product of matrices that do not fit");
    check(a.background == nullptr || b->backgrounds() == (a.background_of_columns ? a.background : nullptr),
          "a product of a matrix that was packed for other backgrounds");
    if (a.columns == 0) product(base, a, Matrix<const Real>(nullptr, 0, c.columns), c);
    flops += 2 * a.rows * a.columns * c.columns;
  }
  if (all.empty()) return;
  const bool look = std::any_of(all.begin(), all.end(), sparse);
  const bool copy = all.size() > 1 || all[0].c.columns > at_once<Real>();
  for (std::size_t k = 0; k < a.columns; k += kSumBlock) {
    const std::size_t depth = std::min(kSumBlock, a.columns - k);
    for (std::size_t i = 0; i < a.rows; i += kHeight) {
      const std::size_t rows = std::min(kHeight, a.rows - i);
      const Block<Real> block(part(a, i, rows, k, depth), look, copy, wide);
      for (const PackedProduct<Real>& one : all) {
        for (std::size_t j = 0, columns = 0; j < one.c.columns; j += columns) {
          columns = at_a_time(one.c.columns - j, block);
          const Matrix<Real> to = part(one.c, i, rows, j, columns);
          Matrix<const Real> from = to;
          if (k == 0) from = base.data == nullptr ? base : part(base, i, rows, j, to.columns);
          times_panels(block, !sparse(one), one.b->panel(k, j), k > 0, from, to);
        }
      }
    }
  }
}

template <class Real>
void product(const Matrix<const Real>& base, const Matrix<const Real>& a, const Packed<Real>& b,
             const Matrix<Real>& c) {
  const PackedProduct<Real> one{&b, c};
  products(base, a, std::span(&one, 1));
}

template <class Real>
Matrix<const Real> base_of(const Matrix<Real>& c, Into into) {
  return into == Into::add ? Matrix<const Real>(c) : Matrix<const Real>(nullptr, 0, 0);
}

}  // namespace

std::uint64_t product_flops() { return flops; }

bool use_wide_registers(bool use) {
  wide = use && has_wide;
  return wide == use;
}

template <class Real>
Packed<Real>::Packed(Matrix<const Real> b, const Real* backgrounds)
    : rows_(b.rows), columns_(b.columns), backgrounds_(backgrounds) {
  const std::size_t across = (columns_ + kPanel<Real> - 1) / kPanel<Real>;
  panels_.resize((rows_ + (rows_ + kSumBlock - 1) / kSumBlock) * across * kPanel<Real>);
  for (std::size_t k = 0; k < rows_; k += kSumBlock) {
    const std::size_t depth = std::min(kSumBlock, rows_ - k);
    for (std::size_t j = 0; j < columns_; j += kPanel<Real>) {
      Real* to = panels_.data() + (panel(k, j) - panels_.data());
      pack(part(b, k, depth, j, std::min(kPanel<Real>, columns_ - j)), to);
      add_last(depth, backgrounds, k, to);
    }
  }
  tame_ = is_tame(b);
}

// Blocks of kSumBlock rows one after the other, in each of them panel after panel.
template <class Real>
const Real* Packed<Real>::panel(std::size_t row, std::size_t column) const {
  const std::size_t across = (columns_ + kPanel<Real> - 1) / kPanel<Real>;
  const std::size_t depth = std::min(kSumBlock, rows_ - row);
  const std::size_t before = row + row / kSumBlock;  // rows, those for backgrounds among them
  return panels_.data() + before * across * kPanel<Real> + column / kPanel<Real> * panel_size<Real>(depth);
}
template class Packed<float>;
template class Packed<double>;

void multiply(Matrix<const float> a, const Packed<float>& b, Matrix<float> c) {
  product(Matrix<const float>(nullptr, 0, 0), a, b, c);
}
void multiply(Matrix<const double> a, const Packed<double>& b, Matrix<double> c) {
  product(Matrix<const double>(nullptr, 0, 0), a, b, c);
}
void multiply_onto(Matrix<const float> base, Matrix<const float> a, const Packed<float>& b, Matrix<float> c) {
  product(base, a, b, c);
}
void multiply_onto(Matrix<const double> base, Matrix<const double> a, const Packed<double>& b,
                   Matrix<double> c) {
  product(base, a, b, c);
}

void multiply_each(Matrix<const float> a, std::span<const PackedProduct<float>> all) {
  products(Matrix<const float>(nullptr, 0, 0), a, all);
}
void multiply_each(Matrix<const double> a, std::span<const PackedProduct<double>> all) {
  products(Matrix<const double>(nullptr, 0, 0), a, all);
}

void multiply(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into) {
  product(base_of(c, into), a, b, c);
}
void multiply(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into) {
  product(base_of(c, into), a, b, c);
}
void multiply_onto(Matrix<const float> base, Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
  product(base, a, b, c);
}
void multiply_onto(Matrix<const double> base, Matrix<const double> a, Matrix<const double> b,
                   Matrix<double> c) {
  product(base, a, b, c);
}

}  // namespace coterie
