// A dense layer by our own products: a row's bits are its own, and slopes are written where they belong,
// which saves two passes over the weights of a wide layer.
#include <torch/csrc/autograd/custom_function.h>

#include "math/gemm.h"
#include "math/gemv.h"
#include "models/model_base.h"
#include "models/torch/block.h"

namespace coterie::torch_models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class Real>
Matrix<Real> matrix(const at::Tensor& t) {
  return {t.data_ptr<std::remove_const_t<Real>>(), static_cast<std::size_t>(t.size(0)),
          static_cast<std::size_t>(t.numel() / std::max<std::int64_t>(t.size(0), 1))};
}

template <class Real>
at::Tensor forward_as(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  at::Tensor out = at::empty({x.size(0), weight.size(1)}, x.options().requires_grad(false));
  multiply(matrix<const Real>(x), matrix<const Real>(weight), matrix<Real>(out));
  add_bias(std::span<const Real>(bias.data_ptr<Real>(), static_cast<std::size_t>(bias.numel())),
           std::span<Real>(out.data_ptr<Real>(), static_cast<std::size_t>(out.numel())));
  return out;
}

template <class Real>
at::Tensor backward_as(const at::Tensor& slopes, const at::Tensor& x, const at::Tensor& weight,
                       const at::Tensor& weight_slopes, const at::Tensor& bias_slopes) {
  const Real one = 1;
  combine_rows(&one, 0, matrix<const Real>(slopes), bias_slopes.data_ptr<Real>(), Into::set);
  multiply(matrix<const Real>(x).transposed(), matrix<const Real>(slopes), matrix<Real>(weight_slopes));
  at::Tensor before = at::empty({x.size(0), weight.size(0)}, x.options().requires_grad(false));
  multiply(matrix<const Real>(slopes), matrix<const Real>(weight).transposed(), matrix<Real>(before));
  return before;
}

// Where a layer's slopes are written; both undefined where none are wanted.
struct Slopes {
  at::Tensor weight, bias;
};

// Its parameters require a gradient, so that it is recorded even as a network's first block; their slopes
// are not returned but written.
struct DenseFunction : torch::autograd::Function<DenseFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const Slopes& slopes) {
    context->save_for_backward({x, weight});
    context->saved_data["weight"] = slopes.weight;
    context->saved_data["bias"] = slopes.bias;
    return x.scalar_type() == at::kFloat ? forward_as<float>(x, weight, bias)
                                         : forward_as<double>(x, weight, bias);
  }
  static variable_list backward(AutogradContext* context, variable_list slopes) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor given = slopes[0].contiguous();
    const at::Tensor weight = context->saved_data["weight"].toTensor();
    const at::Tensor bias = context->saved_data["bias"].toTensor();
    return {given.scalar_type() == at::kFloat ? backward_as<float>(given, saved[0], saved[1], weight, bias)
                                              : backward_as<double>(given, saved[0], saved[1], weight, bias),
            at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

class Dense : public Block {
 public:
  Dense(std::string key, std::size_t outputs, Starts starts)
      : key_(std::move(key)), outputs_(outputs), starts_(starts) {}

  Form declare(const Form& in, Declaration& to) override {
    const auto fan_in = static_cast<double>(in.size()), fan_out = static_cast<double>(outputs_);
    weight_ = to.parameter(key_ + ".weight", {outputs_, in.size()}, starts_.weights(fan_in, fan_out),
                           /*inputs_first=*/true);
    bias_ = to.parameter(key_ + ".bias", {outputs_}, starts_.biases(fan_in, fan_out));
    to.add_flops(2 * fan_in * fan_out);
    return {outputs_, 1, 1};
  }
  at::Tensor run(const at::Tensor& x, Pass& pass) const override {
    const at::Tensor flat = x.reshape({x.size(0), pass.layers[weight_].size(0)}).contiguous();
    return DenseFunction::apply(flat, pass.layers[weight_], pass.layers[bias_],
                                Slopes{pass.slopes[weight_], pass.slopes[bias_]});
  }

 private:
  std::string key_;
  std::size_t outputs_;
  Starts starts_;
  std::size_t weight_ = 0, bias_ = 0;
};

}  // namespace

std::unique_ptr<Block> dense(std::string key, std::size_t outputs, Starts starts) {
  return std::make_unique<Dense>(std::move(key), outputs, starts);
}

}  // namespace coterie::torch_models
