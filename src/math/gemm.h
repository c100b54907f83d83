// Products of small and middling matrices, on one thread: the clients are the parallel axis.
//
// Written for what a client does: tens to thousands of rows against a layer of hundreds. Each element is a
// chain of fused multiply-adds in the order of the inner index, cut into blocks of fixed length. So its bits
// depend on its own row and column alone: not on alignment, cache sizes or how many other rows are in the
// batch (except that a single column, b.columns = 1, is summed in lanes). Backgrounds change them: they count
// where b has 48 columns or more, none of them near overflow. Speed is that of Eigen's product on
// those shapes, and better where a dimension is small; where all dimensions reach a thousand it falls behind
// by a tenth, and by a quarter for a transposed `a` whose rows are a power of two long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace coterie {

// A borrowed matrix; one of the steps is 1. Row-major unless transposed.
template <class Real>
struct Matrix {
  Real* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_step = 0;     // from an element to the one below
  std::size_t column_step = 1;  // from an element to the one on its right
  // A value that most of each row (or column) has, such as an image's background; none: 0. As the left side
  // of a product the matrix is then  (a - background) + background  and costs what its differences cost.
  const std::remove_const_t<Real>* background = nullptr;
  bool background_of_columns = false;

  Matrix(Real* data, std::size_t rows, std::size_t columns)
      : data(data), rows(rows), columns(columns), row_step(columns) {}
  Matrix(Real* data, std::size_t rows, std::size_t columns, std::size_t row_step, std::size_t column_step)
      : data(data), rows(rows), columns(columns), row_step(row_step), column_step(column_step) {}
  operator Matrix<const Real>() const {
    Matrix<const Real> same(data, rows, columns, row_step, column_step);
    same.background = background;
    same.background_of_columns = background_of_columns;
    return same;
  }

  Matrix transposed() const {
    Matrix other(data, columns, rows, column_step, row_step);
    other.background = background;
    other.background_of_columns = !background_of_columns;
    return other;
  }
};

// Rows of data, of which row i has the value backgrounds[i] in most places; none: nothing is known.
template <class Real>
Matrix<const Real> data_rows(const Real* data, std::size_t rows, std::size_t columns,
                             std::span<const Real> backgrounds) {
  Matrix<const Real> m(data, rows, columns);
  if (!backgrounds.empty()) m.background = backgrounds.data();
  return m;
}

// Whether a product replaces its target or is added to it.
enum class Into { set, add };

// c = a b, or c += a b. `a` and `b` may be transposed, `c` is row-major and overlaps neither.
void multiply(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, Into into = Into::set);
void multiply(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, Into into = Into::set);

// A matrix laid out for products as their right side: when many are multiplied by the same one. A left side
// whose columns have backgrounds meets only what was packed with the same: a number for each row of b.
template <class Real>
class Packed {
 public:
  explicit Packed(Matrix<const Real> b, const Real* backgrounds = nullptr);
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool tame() const { return tame_; }                       // finite, and sums of its rows too
  const Real* backgrounds() const { return backgrounds_; }  // to be compared, not to be read
  // Where the panel begins whose first element is (row, column), both multiples of a panel's sides.
  const Real* panel(std::size_t row, std::size_t column) const;

 private:
  std::size_t rows_;
  std::size_t columns_;
  bool tame_;
  const Real* backgrounds_;
  std::vector<Real> panels_;
};

// Whether products use the processor's registers of 64 bytes, where it has them: the default. The bits are
// the same; returns false if it has none. For tests and measurements: not while products are running.
bool use_wide_registers(bool use);

// What the products of this thread have cost so far by their sizes: 2 x rows x inner index x columns each.
std::uint64_t product_flops();

// c = base + a b, with the bits of a copy of base to which a b is added. `base` is row-major, of c's shape.
void multiply_onto(Matrix<const float> base, Matrix<const float> a, Matrix<const float> b, Matrix<float> c);
void multiply_onto(Matrix<const double> base, Matrix<const double> a, Matrix<const double> b,
                   Matrix<double> c);

// The same for packed matrices of more than one column.
void multiply(Matrix<const float> a, const Packed<float>& b, Matrix<float> c);
void multiply(Matrix<const double> a, const Packed<double>& b, Matrix<double> c);
void multiply_onto(Matrix<const float> base, Matrix<const float> a, const Packed<float>& b, Matrix<float> c);
void multiply_onto(Matrix<const double> base, Matrix<const double> a, const Packed<double>& b,
                   Matrix<double> c);

// c_k = a b_k for several packed matrices, each of more than one column: one pass over `a` serves them all.
// The bits of a product for each.
template <class Real>
struct PackedProduct {
  const Packed<Real>* b;
  Matrix<Real> c;
};
void multiply_each(Matrix<const float> a, std::span<const PackedProduct<float>> all);
void multiply_each(Matrix<const double> a, std::span<const PackedProduct<double>> all);

}  // namespace coterie
