// ReLU and max-pooling in one pass: the largest of a window, or 0 where none is above. libtorch takes three
// passes, and for so small a network they cost as much as its convolutions.
//
// Of equal values the first of the window, row by row, gets the slope, as in PyTorch.
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "coterie/error.h"
#include "models/torch/block.h"

namespace coterie::torch_models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One direction of a window's walk over an image.
struct Walk {
  std::int64_t size, out, side, stride, before;  // `before`: padding above or on the left
  std::int64_t first(std::int64_t o) const { return std::max<std::int64_t>(o * stride - before, 0); }
  std::int64_t end(std::int64_t o) const { return std::min(o * stride - before + side, size); }
};
Walk walk(std::size_t size, std::size_t side, std::size_t stride, bool same) {
  const std::size_t out = same ? (size + stride - 1) / stride : (size - side) / stride + 1;
  const std::size_t reach = (out - 1) * stride + side;
  return {as_size(size), as_size(out), as_size(side), as_size(stride),
          same && reach > size ? as_size((reach - size) / 2) : 0};
}

// A NaN stays one.
template <class Real>
Real larger(Real a, Real b) {
  return a >= b ? a : b;
}
template <class Real>
Real positive(Real a) {
  return a <= 0 ? Real(0) : a;
}

template <class Real>
void pairs_forward(const Real* x, std::int64_t height, std::int64_t columns, Real* y) {
  for (std::int64_t r = 0; r < height / 2; ++r) {
    const Real* top = x + 2 * r * columns;
    const Real* low = top + columns;
    for (std::int64_t c = 0; c < columns / 2; ++c, ++y) {
      *y = positive(larger(larger(top[2 * c], top[2 * c + 1]), larger(low[2 * c], low[2 * c + 1])));
    }
  }
}

template <class Real>
void pairs_backward(const Real* __restrict x, std::int64_t height, std::int64_t columns,
                    const Real* __restrict y, const Real* __restrict slopes, Real* __restrict out) {
  for (std::int64_t r = 0; r < height / 2; ++r, y += columns / 2, slopes += columns / 2) {
    const Real* __restrict top = x + 2 * r * columns;
    const Real* __restrict low = top + columns;
    Real* __restrict out_top = out + 2 * r * columns;
    Real* __restrict out_low = out_top + columns;
    for (std::int64_t c = 0; c < columns / 2; ++c) {
      const Real value = y[c];
      Real left = value > 0 ? slopes[c] : Real(0);  // what is still to be given away
      const Real a = top[2 * c] == value ? left : Real(0);
      left = top[2 * c] == value ? Real(0) : left;
      const Real b = top[2 * c + 1] == value ? left : Real(0);
      left = top[2 * c + 1] == value ? Real(0) : left;
      const Real d = low[2 * c] == value ? left : Real(0);
      left = low[2 * c] == value ? Real(0) : left;
      const Real e = low[2 * c + 1] == value ? left : Real(0);
      out_top[2 * c] = a;
      out_top[2 * c + 1] = b;
      out_low[2 * c] = d;
      out_low[2 * c + 1] = e;
    }
  }
}

// The largest of each column of a few rows, then of each window of them.
template <class Real>
void windows_forward(const Real* x, const Walk& rows, const Walk& columns, std::vector<Real>& room, Real* y) {
  room.resize(static_cast<std::size_t>(columns.size));
  for (std::int64_t r = 0; r < rows.out; ++r) {
    const std::int64_t first = rows.first(r);
    std::copy_n(x + first * columns.size, columns.size, room.begin());
    for (std::int64_t i = first + 1; i < rows.end(r); ++i) {
      const Real* row = x + i * columns.size;
      for (std::int64_t c = 0; c < columns.size; ++c) room[c] = larger(room[c], row[c]);
    }
    for (std::int64_t c = 0; c < columns.out; ++c, ++y) {
      Real most = room[columns.first(c)];
      for (std::int64_t j = columns.first(c) + 1; j < columns.end(c); ++j) most = larger(most, room[j]);
      *y = positive(most);
    }
  }
}

// `out` begins at zero.
template <class Real>
void windows_backward(const Real* x, const Walk& rows, const Walk& columns, const Real* y, const Real* slopes,
                      Real* out) {
  for (std::int64_t r = 0; r < rows.out; ++r) {
    for (std::int64_t c = 0; c < columns.out; ++c, ++y, ++slopes) {
      if (!(*y > 0)) continue;
      const std::int64_t begin = columns.first(c), end = columns.end(c);
      for (std::int64_t i = rows.first(r); i < rows.end(r); ++i) {
        const Real* row = x + i * columns.size;
        const Real* found = std::find(row + begin, row + end, *y);
        if (found == row + end) continue;
        out[found - x] += *slopes;
        break;
      }
    }
  }
}

struct Windows {
  Walk rows, columns;
  bool pairs() const {
    return rows.side == 2 && rows.stride == 2 && columns.side == 2 && rows.before == 0 &&
           columns.before == 0 && rows.size % 2 == 0 && columns.size % 2 == 0;
  }
};

template <class Real>
at::Tensor pool_forward(const at::Tensor& x, const Windows& windows) {
  at::Tensor y = at::empty({x.size(0), x.size(1), windows.rows.out, windows.columns.out},
                           x.options().requires_grad(false));
  const std::int64_t planes = x.size(0) * x.size(1), from = x.size(2) * x.size(3),
                     to = windows.rows.out * windows.columns.out;
  std::vector<Real> room;
  for (std::int64_t p = 0; p < planes; ++p) {
    const Real* plane = x.data_ptr<Real>() + p * from;
    Real* pooled = y.data_ptr<Real>() + p * to;
    if (windows.pairs()) {
      pairs_forward(plane, x.size(2), x.size(3), pooled);
    } else {
      windows_forward(plane, windows.rows, windows.columns, room, pooled);
    }
  }
  return y;
}

template <class Real>
at::Tensor pool_backward(const at::Tensor& x, const at::Tensor& y, const at::Tensor& slopes,
                         const Windows& windows) {
  const auto options = x.options().requires_grad(false);
  at::Tensor out = windows.pairs() ? at::empty(x.sizes(), options) : at::zeros(x.sizes(), options);
  const std::int64_t planes = x.size(0) * x.size(1), from = x.size(2) * x.size(3),
                     to = windows.rows.out * windows.columns.out;
  for (std::int64_t p = 0; p < planes; ++p) {
    const Real* plane = x.data_ptr<Real>() + p * from;
    const Real* pooled = y.data_ptr<Real>() + p * to;
    const Real* given = slopes.data_ptr<Real>() + p * to;
    Real* taken = out.data_ptr<Real>() + p * from;
    if (windows.pairs()) {
      pairs_backward(plane, x.size(2), x.size(3), pooled, given, taken);
    } else {
      windows_backward(plane, windows.rows, windows.columns, pooled, given, taken);
    }
  }
  return out;
}

struct PoolFunction : torch::autograd::Function<PoolFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::int64_t side,
                            std::int64_t stride, bool same) {
    const Windows windows = windows_of(x, side, stride, same);
    at::Tensor y =
        x.scalar_type() == at::kFloat ? pool_forward<float>(x, windows) : pool_forward<double>(x, windows);
    context->save_for_backward({x, y});
    context->saved_data["side"] = side;
    context->saved_data["stride"] = stride;
    context->saved_data["same"] = same;
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list slopes) {
    const variable_list saved = context->get_saved_variables();
    const Windows windows =
        windows_of(saved[0], context->saved_data["side"].toInt(), context->saved_data["stride"].toInt(),
                   context->saved_data["same"].toBool());
    const at::Tensor given = slopes[0].contiguous();
    return {given.scalar_type() == at::kFloat ? pool_backward<float>(saved[0], saved[1], given, windows)
                                              : pool_backward<double>(saved[0], saved[1], given, windows),
            at::Tensor(), at::Tensor(), at::Tensor()};
  }

 private:
  static Windows windows_of(const at::Tensor& x, std::int64_t side, std::int64_t stride, bool same) {
    const auto one = [&](std::int64_t size) {
      return walk(static_cast<std::size_t>(size), static_cast<std::size_t>(side),
                  static_cast<std::size_t>(stride), same);
    };
    return {one(x.size(2)), one(x.size(3))};
  }
};

class ReluMaxPool : public Block {
 public:
  ReluMaxPool(std::size_t side, std::size_t stride, bool same) : side_(side), stride_(stride), same_(same) {}
  Form declare(const Form& in, Declaration&) override {
    if (!same_ && (in.height < side_ || in.columns < side_)) throw Error("images are too small to be pooled");
    return {in.channels, static_cast<std::size_t>(walk(in.height, side_, stride_, same_).out),
            static_cast<std::size_t>(walk(in.columns, side_, stride_, same_).out)};
  }
  at::Tensor run(const at::Tensor& x, Pass&) const override {
    return PoolFunction::apply(x.contiguous(), as_size(side_), as_size(stride_), same_);
  }

 private:
  std::size_t side_, stride_;
  bool same_;
};

}  // namespace

std::unique_ptr<Block> relu_max_pool(std::size_t side, std::size_t stride, bool same) {
  return std::make_unique<ReluMaxPool>(side, stride, same);
}

}  // namespace coterie::torch_models
