// The left side of a product, cut into strips of a few rows for its tiles (gemm.cc).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "coterie/error.h"
#include "math/gemv.h"
#include "math/lanes.h"
#include "math/scratch.h"
#include "math/used_columns.h"
#include "math/wide_tile.h"

namespace coterie {

inline constexpr std::size_t kTileRows = 6;
inline constexpr std::size_t kFlatRows = 4;
inline constexpr std::size_t kHeight = 240;  // rows of a block of a: it stays in the second-level cache
inline constexpr std::size_t kDeep = 32;     // columns of a from which backgrounds, or looking for zeros, pay

template <class Real>
inline constexpr std::size_t kPanel = 2 * kLanes<Real>;  // columns

static_assert(kSumBlock <= 256);

template <class Real>
Matrix<Real> part(const Matrix<Real>& m, std::size_t row, std::size_t rows, std::size_t column,
                  std::size_t columns) {
  Matrix<Real> some(m.data + row * m.row_step + column * m.column_step, rows, columns, m.row_step,
                    m.column_step);
  if (m.background != nullptr) some.background = m.background + (m.background_of_columns ? column : row);
  some.background_of_columns = m.background_of_columns;
  return some;
}

// A tile has six rows and two panels or, where zeros are looked for and registers are long, four rows and
// three panels: four rows have more zeros in common. Rests are cut so that enough sums stay in flight.
constexpr std::size_t rows_of_tile(std::size_t left, bool flat) {
  if (flat) return left == 5 || left == 6 ? left : std::min(left, kFlatRows);
  return left == 7 || left == 8 ? 4 : std::min(left, kTileRows);
}
constexpr std::size_t panels_of_tile(std::size_t left, bool flat, bool wide) {
  if (!wide) return 1;
  return flat ? (left == 4 ? 4 : std::min<std::size_t>(left, 3)) : std::min<std::size_t>(left, 2);
}

// Numbers of a panel of so many rows. The last is for backgrounds.
template <class Real>
constexpr std::size_t panel_size(std::size_t depth) {
  return (depth + 1) * kPanel<Real>;
}

// A block of a, at most kHeight x kSumBlock, as strips. Looking for zeros gives each strip the list of
// columns that it uses. The rows of a transposed block are copied next to each other: left where they are,
// each step of a tile would touch another page. Strips with backgrounds are copies of the differences, and
// have one column more, the one that meets the last row of a panel.
template <class Real>
class Block {
 public:
  Block(const Matrix<const Real>& a, bool look, bool copy, bool wide)
      : a_(a),
        wide_(wide),
        flat_(look && wide),
        differs_(look && a.columns >= kDeep && has_background()),
        stride_(a.columns + (differs_ ? 1 : 0)) {
    check(!differs_ || a.background_of_columns == (a.column_step != 1),
          "backgrounds are those of rows of data");
    if (a.column_step != 1 && (copy || differs_)) copy_strips();
    if (look) find_zeros();
  }
  std::size_t rows() const { return a_.rows; }
  bool flat() const { return flat_; }
  // The strip that begins with row i. `zeros`: with them, and as it is.
  Strip<Real> strip(std::size_t i, std::size_t rows, bool zeros, const Real* panels) const {
    Strip<Real> to{a_.data + i * a_.row_step,    a_.row_step, a_.column_step, panels,
                   panel_size<Real>(a_.columns), a_.columns};
    if (zeros && differs_) return to;
    const std::size_t place = i / kFewestRows;
    if (a_.column_step != 1 && !copy_.empty()) {
      to.a = copy_.data() + i * stride_;
      to.down = 1;
      to.right = rows;
    } else if (differs_ && copied_[place] != 0) {
      to.a = copy_.data() + i * stride_;
      to.down = stride_;
    }
    if (some_ && !zeros) {
      to.columns = lists_.data() + place * kListSize;
      to.depth = counts_[place];
    }
    return to;
  }

 private:
  static constexpr std::size_t kFewestRows = 4;  // of a strip that others follow
  static constexpr std::size_t kMostStrips = kHeight / kFewestRows + 1;
  static constexpr std::size_t kListSize = kSumBlock + 1 + kListRoom;

  template <class Work>
  void for_strips(const Work& work) const {
    for (std::size_t i = 0, rows = 0; i < a_.rows; i += rows) {
      rows = rows_of_tile(a_.rows - i, flat_);
      if (!work(i, rows)) return;
    }
  }
  static bool any(const Real* background, std::size_t count) {
    return std::any_of(background, background + count, [](Real value) { return value != 0; });
  }
  bool has_background() const {
    return a_.background != nullptr && any(a_.background, a_.background_of_columns ? a_.columns : a_.rows);
  }
  void make_room() { copy_ = scratch<Real, struct StripCopies>(kHeight * (kSumBlock + 1)); }

  // Columns of a, cut into strips; the full ones, of Rows, in a plain loop.
  template <std::size_t Rows>
  void copy_columns() {
    std::size_t full = 0;
    for_strips([&](std::size_t i, std::size_t rows) { return rows == Rows && (full = i + rows) > 0; });
    Real differences[kHeight];
    for (std::size_t k = 0; k < a_.columns; ++k) {
      const Real* from = a_.data + k * a_.column_step;
      if (differs_ && a_.background[k] != 0) {
        for (std::size_t i = 0; i < a_.rows; ++i) differences[i] = from[i] - a_.background[k];
        from = differences;
      }
      Real* to = copy_.data() + k * Rows;
      for (std::size_t i = 0; i < full; i += Rows)
        std::memcpy(to + i * stride_, from + i, Rows * sizeof(Real));
      for (std::size_t i = full, rows = 0; i < a_.rows; i += rows) {
        rows = rows_of_tile(a_.rows - i, flat_);
        std::copy_n(from + i, rows, copy_.data() + i * stride_ + k * rows);
      }
    }
  }
  void copy_strips() {
    make_room();
    flat_ ? copy_columns<kFlatRows>() : copy_columns<kTileRows>();
    if (!differs_) return;
    for_strips([&](std::size_t i, std::size_t rows) {
      std::fill_n(copy_.data() + i * stride_ + a_.columns * rows, rows, Real(1));
      return true;
    });
  }
  // A strip of rows as they lie, less their backgrounds.
  void copy_differences(std::size_t i, std::size_t rows) {
    if (copy_.empty()) make_room();
    for (std::size_t r = 0; r < rows; ++r) {
      const Real* from = a_.data + (i + r) * a_.row_step;
      Real* to = copy_.data() + (i + r) * stride_;
      for (std::size_t k = 0; k < a_.columns; ++k) to[k] = from[k] - a_.background[i + r];
      to[a_.columns] = a_.background[i + r];
    }
  }
  void find_zeros() {
    counts_ = scratch<std::size_t, struct ColumnCounts>(kMostStrips);
    copied_ = scratch<std::uint8_t, struct CopiedStrips>(kMostStrips);
    lists_ = scratch<std::uint16_t, struct ColumnLists>(kMostStrips * kListSize);
    for_strips([&](std::size_t i, std::size_t rows) {
      const std::size_t place = i / kFewestRows;
      // Whether the strip has a last column: then that is always used.
      const bool last = differs_ && (a_.background_of_columns || any(a_.background + i, rows));
      copied_[place] = last;
      if (last && a_.column_step == 1) copy_differences(i, rows);
      some_ = false;
      const Strip<Real> now = strip(i, rows, false, nullptr);
      std::uint16_t* list = lists_.data() + place * kListSize;
      counts_[place] =
          used_columns(Matrix<const Real>(now.a, rows, a_.columns, now.down, now.right), list, wide_);
      if (last) list[counts_[place]++] = static_cast<std::uint16_t>(a_.columns);
      // A first strip that uses all columns stands for the others: there is nothing to be gained.
      return some_ = differs_ || i > 0 || counts_[place] < a_.columns;
    });
  }

  Matrix<const Real> a_;
  bool wide_;
  bool flat_;     // its tiles are
  bool differs_;  // there are backgrounds
  std::size_t stride_;
  bool some_ = false;
  std::span<Real> copy_;
  std::span<std::uint8_t> copied_;
  std::span<std::size_t> counts_;
  std::span<std::uint16_t> lists_;
};

}  // namespace coterie
