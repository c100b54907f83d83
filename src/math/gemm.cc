// The classic scheme: a panel of b, two registers wide and packed so that it stays in the first-level cache,
// meets strips of six rows of a. The sums of a tile of 6 rows x 2 registers live in twelve registers.
//
// Images are mostly dark. Where a packed b is wide, the columns of a strip that hold nothing but zeros are
// left out: the bits stay the same as long as b is finite, since a sum that began as +0 is not changed by a
// zero of either sign.
#include "math/gemm.h"

#include <algorithm>
#include <cstdint>

#include "coterie/error.h"
#include "math/gemv.h"
#include "math/kernels.h"
#include "math/lanes.h"
#include "math/scratch.h"
#include "math/transpose.h"
#include "math/used_columns.h"

namespace coterie {
namespace {

constexpr std::size_t kTileRows = 6;
constexpr std::size_t kHeight = 240;  // rows of a block of a: it stays in the second-level cache
constexpr std::size_t kFewRows = 3;   // up to here packing does not pay
constexpr std::size_t kWide = 48;     // columns of b from which looking for zeros in a pays

template <class Real>
constexpr std::size_t kPanel = 2 * kLanes<Real>;  // columns

// Rows x depth numbers of a, with their steps, against a packed panel.
template <class Real>
struct Strip {
  const Real* a;
  std::size_t down;
  std::size_t right;
  const Real* panel;
  std::size_t depth;
  const std::uint8_t* columns = nullptr;  // of a, `depth` of them; none: all
};
static_assert(kSumBlock <= 256);

// c = base + what the strip gives; no base: c = that. Short loops are unrolled by order: left to the
// compiler, it may keep the sums in memory.
template <std::size_t Rows, bool Some, class Real>
inline void tile(const Strip<Real>& strip, const Real* base, std::size_t base_step, Real* c,
                 std::size_t c_step) {
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
    Real* row = c + i * c_step;
    if (base != nullptr) {
      sums[i][0] += load(base + i * base_step);
      sums[i][1] += load(base + i * base_step + kL);
    }
    store(row, sums[i][0]);
    store(row + kL, sums[i][1]);
  }
}

template <bool Some, class Real>
inline void tile(std::size_t rows, const Strip<Real>& strip, const Real* base, std::size_t base_step, Real* c,
                 std::size_t c_step) {
  switch (rows) {
    case 1:
      return tile<1, Some>(strip, base, base_step, c, c_step);
    case 2:
      return tile<2, Some>(strip, base, base_step, c, c_step);
    case 3:
      return tile<3, Some>(strip, base, base_step, c, c_step);
    case 4:
      return tile<4, Some>(strip, base, base_step, c, c_step);
    case 5:
      return tile<5, Some>(strip, base, base_step, c, c_step);
    default:
      return tile<kTileRows, Some>(strip, base, base_step, c, c_step);
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
Matrix<Real> part(const Matrix<Real>& m, std::size_t row, std::size_t rows, std::size_t column,
                  std::size_t columns) {
  return {m.data + row * m.row_step + column * m.column_step, rows, columns, m.row_step, m.column_step};
}

// Rests of 7 and 8 rows go as two tiles of about four, which keeps enough sums in flight.
constexpr std::size_t rows_of_tile(std::size_t left) {
  return left == 7 || left == 8 ? 4 : std::min(left, kTileRows);
}

// The used columns of each strip of a block of a.
template <class Real>
class Columns {
 public:
  Columns() = default;  // all
  explicit Columns(const Matrix<const Real>& a)
      : counts_(scratch<std::size_t, struct ColumnCounts>(kHeight / 4)),
        lists_(scratch<std::uint8_t, struct ColumnLists>(kHeight / 4 * kSumBlock)) {
    std::size_t strip = 0;
    for (std::size_t i = 0, rows = 0; i < a.rows; i += rows, ++strip) {
      rows = rows_of_tile(a.rows - i);
      counts_[strip] = used_columns(part(a, i, rows, 0, a.columns), lists_.data() + strip * kSumBlock);
      // A first strip that uses them all stands for the others: there is nothing to be gained.
      if (strip == 0 && counts_[0] == a.columns) return;
    }
    some_ = true;
  }
  void choose(std::size_t strip, Strip<Real>& to) const {
    if (!some_) return;
    to.columns = lists_.data() + strip * kSumBlock;
    to.depth = counts_[strip];
  }

 private:
  bool some_ = false;
  std::span<std::size_t> counts_;
  std::span<std::uint8_t> lists_;
};

// c = base + a times a packed panel.
template <class Real>
void times_panel(const Matrix<const Real>& a, const Columns<Real>& columns, const Real* panel,
                 const Matrix<const Real>& base, const Matrix<Real>& c) {
  std::size_t number = 0;
  for (std::size_t i = 0, rows = 0; i < a.rows; i += rows, ++number) {
    rows = rows_of_tile(a.rows - i);
    Strip<Real> strip{a.data + i * a.row_step, a.row_step, a.column_step, panel, a.columns};
    columns.choose(number, strip);
    auto meet = [&](const Real* from, std::size_t from_step, Real* to, std::size_t to_step) {
      if (strip.columns == nullptr) {
        tile<false>(rows, strip, from, from_step, to, to_step);
      } else {
        tile<true>(rows, strip, from, from_step, to, to_step);
      }
    };
    Real* to = c.data + i * c.row_step;
    const Real* from = base.data == nullptr ? nullptr : base.data + i * base.row_step;
    if (c.columns == kPanel<Real>) {
      meet(from, base.row_step, to, c.row_step);
      continue;
    }
    Real edge[kTileRows * kPanel<Real>];
    if (from != nullptr) {
      for (std::size_t r = 0; r < rows; ++r)
        copy_few<kPanel<Real>>(from + r * base.row_step, c.columns, edge + r * kPanel<Real>);
    }
    meet(from == nullptr ? nullptr : edge, kPanel<Real>, edge, kPanel<Real>);
    for (std::size_t r = 0; r < rows; ++r)
      copy_few<kPanel<Real>>(edge + r * kPanel<Real>, c.columns, to + r * c.row_step);
  }
}

thread_local std::uint64_t flops = 0;

// c = base + a b; a base without data stands for zeros.
template <class Real>
void product(const Matrix<const Real>& base, const Matrix<const Real>& a, const Matrix<const Real>& b,
             const Matrix<Real>& c) {
  check(a.rows == c.rows && b.columns == c.columns && a.columns == b.rows,
        "a product of matrices that do not fit");
  check(c.column_step == 1, "a product goes into a row-major matrix");
  flops += 2 * a.rows * a.columns * b.columns;
  const bool column = c.columns == 1 && c.row_step == 1 && b.row_step == 1;
  const bool few = a.rows <= kFewRows && b.column_step == 1;
  if (column || few || a.columns == 0) {
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
  const Columns<Real> all;
  alignas(64) Real panel[kSumBlock * kPanel<Real>];
  for (std::size_t k = 0; k < a.columns; k += kSumBlock) {
    const std::size_t depth = std::min(kSumBlock, a.columns - k);
    const Matrix<const Real> now = k == 0 ? base : Matrix<const Real>(c);
    for (std::size_t i = 0; i < a.rows; i += kHeight) {
      const std::size_t rows = std::min(kHeight, a.rows - i);
      for (std::size_t j = 0; j < b.columns; j += kPanel<Real>) {
        const std::size_t columns = std::min(kPanel<Real>, b.columns - j);
        pack(part(b, k, depth, j, columns), panel);
        times_panel(part(a, i, rows, k, depth), all, panel,
                    now.data == nullptr ? now : part(now, i, rows, j, columns), part(c, i, rows, j, columns));
      }
    }
  }
}

// c = base + a b for each of several b; a block of a, and what it uses, serves them all.
template <class Real>
void products(const Matrix<const Real>& base, const Matrix<const Real>& a,
              std::span<const PackedProduct<Real>> all) {
  auto sparse = [](const PackedProduct<Real>& one) { return one.b->finite() && one.c.columns >= kWide; };
  for (const auto& [b, c] : all) {
    check(a.rows == c.rows && b->columns() == c.columns && a.columns == b->rows() && c.column_step == 1,
          "a product of matrices that do not fit");
    if (a.columns == 0) product(base, a, Matrix<const Real>(nullptr, 0, c.columns), c);
    flops += 2 * a.rows * a.columns * c.columns;
  }
  const bool look = std::any_of(all.begin(), all.end(), sparse);
  const Columns<Real> every;
  for (std::size_t k = 0; k < a.columns; k += kSumBlock) {
    const std::size_t depth = std::min(kSumBlock, a.columns - k);
    for (std::size_t i = 0; i < a.rows; i += kHeight) {
      const std::size_t rows = std::min(kHeight, a.rows - i);
      const Matrix<const Real> block = part(a, i, rows, k, depth);
      const Columns<Real> used = look ? Columns<Real>(block) : Columns<Real>();
      for (const PackedProduct<Real>& one : all) {
        for (std::size_t j = 0; j < one.c.columns; j += kPanel<Real>) {
          const Matrix<Real> to = part(one.c, i, rows, j, std::min(kPanel<Real>, one.c.columns - j));
          Matrix<const Real> from = to;
          if (k == 0) from = base.data == nullptr ? base : part(base, i, rows, j, to.columns);
          times_panel(block, sparse(one) ? used : every, one.b->panel(k, j), from, to);
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

template <class Real>
Packed<Real>::Packed(Matrix<const Real> b) : rows_(b.rows), columns_(b.columns) {
  const std::size_t across = (columns_ + kPanel<Real> - 1) / kPanel<Real>;
  panels_.resize(rows_ * across * kPanel<Real>);
  for (std::size_t k = 0; k < rows_; k += kSumBlock) {
    for (std::size_t j = 0; j < columns_; j += kPanel<Real>) {
      pack(part(b, k, std::min(kSumBlock, rows_ - k), j, std::min(kPanel<Real>, columns_ - j)),
           panels_.data() + (panel(k, j) - panels_.data()));
    }
  }
  finite_ = all_finite(std::span<const Real>(panels_));
}

// Blocks of kSumBlock rows one after the other, in each of them panel after panel.
template <class Real>
const Real* Packed<Real>::panel(std::size_t row, std::size_t column) const {
  const std::size_t across = (columns_ + kPanel<Real> - 1) / kPanel<Real>;
  const std::size_t depth = std::min(kSumBlock, rows_ - row);
  return panels_.data() + row * across * kPanel<Real> + column * depth;
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
