// The models that PyTorch makes of torch.nn.Linear layers after torch.manual_seed(seed), one after the other:
// each layer's weights, then its biases, uniform within +- 1 / sqrt(inputs). The same floats, so that a run
// can begin where a program in PyTorch did: with few clients, few rounds or losses that learn slowly the
// first models may decide more than the method does.
//
// PyTorch's own numbers are 24 bits of a Mersenne twister in the order of its matrices, which are outputs x
// inputs where ours are inputs x outputs.
#include <cmath>
#include <random>

#include "coterie/algorithm.h"

namespace coterie {
namespace {

// Uniform in [-bound, bound), by PyTorch's arithmetic: in float, with one rounding.
float draw(std::mt19937& bits, float bound) {
  const auto unit = static_cast<float>(bits() & 0xffffffU) * 0x1p-24F;
  return std::fma(unit, bound + bound, -bound);
}

Vec draw_model(const Model& model, std::mt19937& bits) {
  Vec parameters(model.size());
  double inputs = 1;
  for (const Layer& layer : model.layers()) {
    if (layer.buffer) continue;
    const bool bias = layer.name.ends_with("bias");
    if (!bias) inputs = static_cast<double>(layer.inputs());
    const double bound =
        bias ? 1 / std::sqrt(inputs) : std::sqrt(3.0) * (std::sqrt(2.0 / 6) / std::sqrt(inputs));
    for (std::size_t output = 0; output < layer.outputs(); ++output) {
      for (std::size_t input = 0; input < layer.inputs(); ++input) {
        parameters[layer.place(output, input)] = draw(bits, static_cast<float>(bound));
      }
    }
  }
  return parameters;
}

class PyTorch : public Init {
 public:
  void options(Options& o) override {
    o("seed", &seed_, "of torch.manual_seed; default: the run's seed", at_least(0));
  }
  Start make(const InitContext& context) const override {
    const std::uint64_t seed = seed_ ? static_cast<std::uint64_t>(*seed_) : context.setting.seed;
    std::mt19937 bits(static_cast<std::uint32_t>(seed));
    Start start;
    for (std::size_t k = 0; k < context.algorithm.start_models(); ++k) {
      start.models.push_back(draw_model(context.setting.model, bits));
    }
    return start;
  }

 private:
  std::optional<std::int64_t> seed_;
};

const Registration<Init> kPyTorch{"pytorch",
                                  "the models that PyTorch's linear layers begin with, from the same seed",
                                  [] { return std::make_unique<PyTorch>(); }};

}  // namespace
}  // namespace coterie
