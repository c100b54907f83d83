// Local response normalisation in one pass forward and one backward, channels of some pixels at a time:
//
//   s_c = 1 + alpha/width sum_{|j - c| <= width/2} x_j^2        y_c = x_c s_c^-3/4
//   dx_c = dy_c s_c^-3/4 - 3/2 alpha/width x_c sum_{|j - c| <= width/2} dy_j x_j s_j^-7/4
//
// libtorch makes it of a dozen operations on whole tensors, among them powers and an average over windows of
// three dimensions; there it takes most of the time of IFCA's network.
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "models/torch/block.h"

namespace coterie::torch_models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Pixels at a time: their channels stay in the first cache.
constexpr std::int64_t kPixels = 32;

// Runs work(offset of the first value, pixels) over the images, for each group of pixels.
template <class Work>
void for_pixels(const at::Tensor& x, const Work& work) {
  const std::int64_t area = x.size(2) * x.size(3);
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    for (std::int64_t p = 0; p < area; p += kPixels)
      work(n * x.size(1) * area + p, std::min(kPixels, area - p));
  }
}

// Rows of kPixels for each channel:  out[c] = sum of in[j] over the neighbours j of c, in the order of j.
template <class Real>
void sum_neighbours(const Real* in, std::int64_t channels, std::int64_t reach, Real* out) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t begin = std::max<std::int64_t>(c - reach, 0), end = std::min(c + reach + 1, channels);
    Real* sum = out + c * kPixels;
    std::copy_n(in + begin * kPixels, kPixels, sum);
    for (std::int64_t j = begin + 1; j < end; ++j) {
      for (std::int64_t i = 0; i < kPixels; ++i) sum[i] += in[j * kPixels + i];
    }
  }
}

template <class Real>
void norm_forward(const at::Tensor& x, std::int64_t reach, Real alpha, at::Tensor& y, at::Tensor& scales) {
  const std::int64_t channels = x.size(1), area = x.size(2) * x.size(3);
  std::vector<Real> squares(static_cast<std::size_t>(channels * kPixels), 0), sums = squares;
  for_pixels(x, [&](std::int64_t first, std::int64_t pixels) {
    const Real* from = x.data_ptr<Real>() + first;
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t i = 0; i < pixels; ++i)
        squares[c * kPixels + i] = from[c * area + i] * from[c * area + i];
    }
    sum_neighbours(squares.data(), channels, reach, sums.data());
    for (std::int64_t c = 0; c < channels; ++c) {
      Real* to = y.data_ptr<Real>() + first + c * area;
      Real* scale = scales.data_ptr<Real>() + first + c * area;
      for (std::int64_t i = 0; i < pixels; ++i) {
        const Real s = 1 + alpha * sums[c * kPixels + i], root = std::sqrt(s);
        scale[i] = s;
        to[i] = from[c * area + i] / (root * std::sqrt(root));
      }
    }
  });
}

template <class Real>
void norm_backward(const at::Tensor& x, const at::Tensor& scales, const at::Tensor& slopes,
                   std::int64_t reach, Real alpha, at::Tensor& out) {
  const std::int64_t channels = x.size(1), area = x.size(2) * x.size(3);
  std::vector<Real> parts(static_cast<std::size_t>(channels * kPixels), 0), sums = parts, powers = parts;
  for_pixels(x, [&](std::int64_t first, std::int64_t pixels) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t at = first + c * area;
      const Real* scale = scales.data_ptr<Real>() + at;
      const Real* from = x.data_ptr<Real>() + at;
      const Real* given = slopes.data_ptr<Real>() + at;
      for (std::int64_t i = 0; i < pixels; ++i) {
        const Real root = std::sqrt(scale[i]), power = 1 / (root * std::sqrt(root));
        powers[c * kPixels + i] = power;
        parts[c * kPixels + i] = given[i] * from[i] * power / scale[i];
      }
    }
    sum_neighbours(parts.data(), channels, reach, sums.data());
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t at = first + c * area;
      const Real* from = x.data_ptr<Real>() + at;
      const Real* given = slopes.data_ptr<Real>() + at;
      Real* to = out.data_ptr<Real>() + at;
      for (std::int64_t i = 0; i < pixels; ++i) {
        to[i] = given[i] * powers[c * kPixels + i] - Real(1.5) * alpha * from[i] * sums[c * kPixels + i];
      }
    }
  });
}

struct NormFunction : torch::autograd::Function<NormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::int64_t reach, double alpha) {
    at::Tensor y = at::empty(x.sizes(), x.options().requires_grad(false)), scales = at::empty_like(y);
    if (x.scalar_type() == at::kFloat) {
      norm_forward<float>(x, reach, static_cast<float>(alpha), y, scales);
    } else {
      norm_forward<double>(x, reach, alpha, y, scales);
    }
    context->save_for_backward({x, scales});
    context->saved_data["reach"] = reach;
    context->saved_data["alpha"] = alpha;
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list slopes) {
    const variable_list saved = context->get_saved_variables();
    const std::int64_t reach = context->saved_data["reach"].toInt();
    const double alpha = context->saved_data["alpha"].toDouble();
    const at::Tensor given = slopes[0].contiguous();
    at::Tensor out = at::empty(given.sizes(), given.options().requires_grad(false));
    if (given.scalar_type() == at::kFloat) {
      norm_backward<float>(saved[0], saved[1], given, reach, static_cast<float>(alpha), out);
    } else {
      norm_backward<double>(saved[0], saved[1], given, reach, alpha, out);
    }
    return {out, at::Tensor(), at::Tensor()};
  }
};

class ResponseNorm : public Block {
 public:
  ResponseNorm(std::size_t width, double alpha)
      : reach_(as_size(width / 2)), alpha_(alpha / static_cast<double>(width)) {}
  Form declare(const Form& in, Declaration&) override { return in; }
  at::Tensor run(const at::Tensor& x, Pass&) const override {
    return NormFunction::apply(x.contiguous(), reach_, alpha_);
  }

 private:
  std::int64_t reach_;
  double alpha_;
};

}  // namespace

std::unique_ptr<Block> response_norm(std::size_t width, double alpha) {
  return std::make_unique<ResponseNorm>(width, alpha);
}

}  // namespace coterie::torch_models
