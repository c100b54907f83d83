// Convolutions and what stands between them, from libtorch's own operations.
//
// Convolutions of floats go to oneDNN whatever the size of the batch: libtorch would take other code for a
// single row, and a row's loss must not depend on its company.
#include <cmath>

#include "coterie/error.h"
#include "models/torch/block.h"

namespace coterie::torch_models {
namespace {

std::vector<std::int64_t> pair(std::size_t value) { return {as_size(value), as_size(value)}; }

class Conv : public Block {
 public:
  Conv(std::string key, ConvOptions options, Starts starts)
      : key_(std::move(key)), options_(options), starts_(starts) {}

  Form declare(const Form& in, Declaration& to) override {
    const auto after = [&](std::size_t side) -> std::size_t {
      const std::size_t padded = side + 2 * options_.padding;
      if (padded < options_.side) throw Error("images are too small for \"" + key_ + "\"");
      return (padded - options_.side) / options_.stride + 1;
    };
    const std::size_t inputs = in.channels / options_.groups;
    const auto area = static_cast<double>(options_.side * options_.side);
    const double fan_in = static_cast<double>(inputs) * area;
    const double fan_out =
        static_cast<double>(options_.outputs) * area / static_cast<double>(options_.groups);
    weight_ = to.parameter(key_ + ".weight", {options_.outputs, inputs, options_.side, options_.side},
                           starts_.weights(fan_in, fan_out));
    if (options_.bias)
      bias_ = to.parameter(key_ + ".bias", {options_.outputs}, starts_.biases(fan_in, fan_out));
    const Form out{options_.outputs, after(in.height), after(in.columns)};
    to.add_flops(2 * fan_in * static_cast<double>(out.size()));
    return out;
  }
  at::Tensor run(const at::Tensor& x, Pass& pass) const override {
    const at::Tensor& weight = pass.layers[weight_];
    const c10::optional<at::Tensor> bias =
        options_.bias ? c10::optional<at::Tensor>(pass.layers[bias_]) : c10::nullopt;
    const auto groups = as_size(options_.groups);
    if (x.scalar_type() == at::kFloat) {
      return at::mkldnn_convolution(x, weight, bias, pair(options_.padding), pair(options_.stride), pair(1),
                                    groups);
    }
    return at::conv2d(x, weight, bias, pair(options_.stride), pair(options_.padding), pair(1), groups);
  }

 private:
  std::string key_;
  ConvOptions options_;
  Starts starts_;
  std::size_t weight_ = 0, bias_ = 0;
};

// Training normalises by the batch and moves the statistics towards it by a tenth; otherwise the statistics
// are used.
class BatchNorm : public Block {
 public:
  explicit BatchNorm(std::string key) : key_(std::move(key)) {}

  Form declare(const Form& in, Declaration& to) override {
    weight_ = to.parameter(key_ + ".weight", {in.channels}, {Fill::constant, 1});
    bias_ = to.parameter(key_ + ".bias", {in.channels}, {Fill::constant, 0});
    mean_ = to.buffer(key_ + ".running_mean", {in.channels}, 0);
    variance_ = to.buffer(key_ + ".running_var", {in.channels}, 1);
    to.add_flops(2 * static_cast<double>(in.size()));
    return in;
  }
  at::Tensor run(const at::Tensor& x, Pass& pass) const override {
    // A single number has no variance: there is nothing to normalise by.
    const bool by_batch = pass.training() && x.size(0) * x.size(2) * x.size(3) > 1;
    return at::batch_norm(x, pass.layers[weight_], pass.layers[bias_], pass.layers[mean_],
                          pass.layers[variance_], by_batch, /*momentum=*/0.1, /*eps=*/1e-5,
                          /*cudnn_enabled=*/false);
  }

 private:
  std::string key_;
  std::size_t weight_ = 0, bias_ = 0, mean_ = 0, variance_ = 0;
};

// ReLU, up to a bound where there is one.
class Relu : public Block {
 public:
  explicit Relu(bool bounded) : bounded_(bounded) {}
  Form declare(const Form& in, Declaration&) override { return in; }
  at::Tensor run(const at::Tensor& x, Pass&) const override {
    return bounded_ ? at::hardtanh(x, 0, 6) : at::relu(x);
  }

 private:
  bool bounded_;
};

class MaxPool : public Block {
 public:
  MaxPool(std::size_t side, std::size_t stride, std::size_t padding)
      : side_(side), stride_(stride), padding_(padding) {}
  Form declare(const Form& in, Declaration&) override {
    if (in.height + 2 * padding_ < side_ || in.columns + 2 * padding_ < side_)
      throw Error("images are too small to be pooled");
    const auto after = [&](std::size_t size) { return (size + 2 * padding_ - side_) / stride_ + 1; };
    return {in.channels, after(in.height), after(in.columns)};
  }
  at::Tensor run(const at::Tensor& x, Pass&) const override {
    return at::max_pool2d(x, pair(side_), pair(stride_), pair(padding_));
  }

 private:
  std::size_t side_, stride_, padding_;
};

class ChannelMeans : public Block {
 public:
  Form declare(const Form& in, Declaration&) override { return {in.channels, 1, 1}; }
  at::Tensor run(const at::Tensor& x, Pass&) const override { return x.mean({2, 3}); }
};

class Dropout : public Block {
 public:
  explicit Dropout(double share) : share_(share) {}
  Form declare(const Form& in, Declaration&) override { return in; }
  at::Tensor run(const at::Tensor& x, Pass& pass) const override {
    return pass.training() ? x * dropout_mask(x, share_, *pass.stream) : x;
  }

 private:
  double share_;
};

class Residual : public Block {
 public:
  Residual(Blocks inside, Blocks shortcut) : inside_(std::move(inside)), shortcut_(std::move(shortcut)) {}
  Form declare(const Form& in, Declaration& to) override {
    const Form out = declare_all(inside_, in, to);
    const Form around = declare_all(shortcut_, in, to);
    check(out.channels == around.channels && out.height == around.height && out.columns == around.columns,
          "a shortcut of another form");
    return out;
  }
  at::Tensor run(const at::Tensor& x, Pass& pass) const override {
    return run_all(inside_, x, pass) + run_all(shortcut_, x, pass);
  }

 private:
  Blocks inside_, shortcut_;
};

}  // namespace

at::Tensor dropout_mask(const at::Tensor& like, double share, Stream& stream) {
  at::Tensor mask = at::empty(like.sizes(), like.options().requires_grad(false));
  const double kept = 1 / (1 - share);
  const auto fill = [&](auto* values) {
    for (std::int64_t i = 0; i < mask.numel(); ++i)
      values[i] = static_cast<std::remove_reference_t<decltype(*values)>>(stream.bernoulli(share) ? 0 : kept);
  };
  mask.scalar_type() == at::kFloat ? fill(mask.data_ptr<float>()) : fill(mask.data_ptr<double>());
  return mask;
}

std::unique_ptr<Block> conv(std::string key, ConvOptions options, Starts starts) {
  return std::make_unique<Conv>(std::move(key), options, starts);
}
std::unique_ptr<Block> batch_norm(std::string key) { return std::make_unique<BatchNorm>(std::move(key)); }
std::unique_ptr<Block> relu() { return std::make_unique<Relu>(false); }
std::unique_ptr<Block> relu6() { return std::make_unique<Relu>(true); }
std::unique_ptr<Block> max_pool(std::size_t side, std::size_t stride, std::size_t padding) {
  return std::make_unique<MaxPool>(side, stride, padding);
}
std::unique_ptr<Block> channel_means() { return std::make_unique<ChannelMeans>(); }
std::unique_ptr<Block> dropout(double share) { return std::make_unique<Dropout>(share); }
std::unique_ptr<Block> residual(Blocks inside, Blocks shortcut) {
  return std::make_unique<Residual>(std::move(inside), std::move(shortcut));
}

}  // namespace coterie::torch_models
