// What networks are made of. A block is declared once, in order: it says what parameters and buffers it has
// and what becomes of the form of a sample. Then it turns batches into batches, with no state of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/torch/pass.h"

namespace coterie::torch_models {

// The form of what goes from block to block: an image, or `channels` numbers when height and columns are 1.
struct Form {
  std::size_t channels = 0;
  std::size_t height = 1;
  std::size_t columns = 1;
  std::size_t size() const { return channels * height * columns; }
};

// How a layer begins.
struct Fill {
  enum Kind { constant, uniform, normal, truncated } kind = constant;
  // The constant, the half-width, or the deviation (of `truncated` before values beyond two deviations are
  // drawn again).
  double size = 0;
};

// Names and shapes of a network's layers as its blocks declare them.
class Declaration {
 public:
  // Both return the layer's place in Pass::layers.
  // `inputs_first`: as Layer has it, for matrices that our own products read.
  std::size_t parameter(const std::string& key, std::vector<std::size_t> shape, Fill fill,
                        bool inputs_first = false);
  std::size_t buffer(const std::string& key, std::vector<std::size_t> shape, double value);
  // Multiplications and additions of a row's forward pass.
  void add_flops(double flops) { flops_ += flops; }

  double flops() const { return flops_; }
  const std::vector<Fill>& fills() const { return fills_; }
  // In the order of their places, with offsets that put parameters before buffers, as flat vectors have them.
  std::vector<Layer> layers() const;

 private:
  std::vector<Layer> layers_;
  std::vector<Fill> fills_;
  double flops_ = 0;
};

class Block {
 public:
  virtual ~Block() = default;
  // Says its layers for samples of this form and returns the form of what it gives. Throws Error when it
  // cannot take them.
  virtual Form declare(const Form& in, Declaration& to) = 0;
  virtual at::Tensor run(const at::Tensor& x, Pass& pass) const = 0;
};

using Blocks = std::vector<std::unique_ptr<Block>>;

Form declare_all(const Blocks& blocks, Form form, Declaration& to);
at::Tensor run_all(const Blocks& blocks, at::Tensor x, Pass& pass);

// --- the blocks --------------------------------------------------------------------------------------------

struct ConvOptions {
  std::size_t outputs;
  std::size_t side;  // of the square window
  std::size_t stride = 1;
  std::size_t padding = 0;
  std::size_t groups = 1;
  bool bias = true;
};
// Starts are chosen by whoever builds a network: `weights` and `biases` are given the number of inputs and
// outputs of a unit.
using FillFor = Fill (*)(double fan_in, double fan_out);
struct Starts {
  FillFor weights;
  FillFor biases;
};
// PyTorch's default for convolutions and dense layers: uniform on +-1/sqrt(fan in), biases too.
Starts pytorch_starts();

std::unique_ptr<Block> conv(std::string key, ConvOptions options, Starts starts);
std::unique_ptr<Block> dense(std::string key, std::size_t outputs, Starts starts);
std::unique_ptr<Block> batch_norm(std::string key);
std::unique_ptr<Block> relu();
std::unique_ptr<Block> relu6();
// ReLU, then the largest of each window, in one pass; `same` pads below and on the right, as TensorFlow does,
// so that nothing is lost.
std::unique_ptr<Block> relu_max_pool(std::size_t side, std::size_t stride, bool same = false);
std::unique_ptr<Block> max_pool(std::size_t side, std::size_t stride, std::size_t padding);
std::unique_ptr<Block> channel_means();
std::unique_ptr<Block> dropout(double share);
// 0 with the probability `share`, 1 / (1 - share) otherwise.
at::Tensor dropout_mask(const at::Tensor& like, double share, Stream& stream);
// x + inside(x), where `shortcut` is not empty shortcut(x) + inside(x).
std::unique_ptr<Block> residual(Blocks inside, Blocks shortcut);
// Local response normalisation across channels: x / (1 + alpha/width sum x^2)^0.75 over `width` neighbours.
std::unique_ptr<Block> response_norm(std::size_t width, double alpha);

}  // namespace coterie::torch_models
