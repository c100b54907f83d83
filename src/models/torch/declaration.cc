#include <cmath>

#include "models/torch/block.h"

namespace coterie::torch_models {

std::size_t Declaration::parameter(const std::string& key, std::vector<std::size_t> shape, Fill fill,
                                   bool inputs_first) {
  layers_.push_back({.name = key, .shape = std::move(shape), .inputs_first = inputs_first});
  fills_.push_back(fill);
  return layers_.size() - 1;
}

std::size_t Declaration::buffer(const std::string& key, std::vector<std::size_t> shape, double value) {
  layers_.push_back({.name = key, .shape = std::move(shape), .buffer = true});
  fills_.push_back({Fill::constant, value});
  return layers_.size() - 1;
}

std::vector<Layer> Declaration::layers() const {
  std::vector<Layer> all = layers_;
  std::size_t offset = 0;
  for (const bool buffers : {false, true}) {
    for (Layer& layer : all) {
      if (layer.buffer != buffers) continue;
      layer.offset = offset;
      offset += layer.size();
    }
  }
  return all;
}

Form declare_all(const Blocks& blocks, Form form, Declaration& to) {
  for (const auto& block : blocks) form = block->declare(form, to);
  return form;
}

at::Tensor run_all(const Blocks& blocks, at::Tensor x, Pass& pass) {
  for (const auto& block : blocks) x = block->run(x, pass);
  return x;
}

Starts pytorch_starts() {
  const FillFor fill = [](double fan_in, double) { return Fill{Fill::uniform, 1 / std::sqrt(fan_in)}; };
  return {fill, fill};
}

}  // namespace coterie::torch_models
