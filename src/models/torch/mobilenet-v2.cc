// MobileNetV2 (Sandler et al., 2018), with the layers, names and starts of torchvision, so that its weights
// can be loaded: what HCFL's tables are measured with. 2,236,682 parameters for colour images and 10 classes.
//
// Strides are those for images of 224x224: one of 32x32 is a single pixel in the end, as in the papers' code.
#include <algorithm>
#include <cmath>

#include "models/torch/network.h"

namespace coterie::torch_models {
namespace {

const Starts kStarts{[](double, double fan_out) {
                       return Fill{Fill::normal, std::sqrt(2 / fan_out)};
                     },
                     nullptr};
const Starts kHead{[](double, double) {
                     return Fill{Fill::normal, 0.01};
                   },
                   [](double, double) {
                     return Fill{Fill::constant, 0};
                   }};

struct Stage {
  std::size_t expansion, channels, repeats, stride;
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                             {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

class MobileNetV2 : public Network {
 public:
  MobileNetV2() : Network("mobilenet-v2") {}
  void options(Options& o) override {
    o("width", &width_, "all numbers of channels are multiplied by it and rounded to multiples of 8",
      above(0));
    o("dropout", &dropout_, "share of the features that a step drops before the head",
      {"must be at least 0 and below 1", [](double value) { return value >= 0 && value < 1; }});
    Network::options(o);
  }

 protected:
  Plan plan(const Form&) const override {
    Plan plan{{}, "classifier.1", kHead};
    Blocks& all = plan.extractor;
    std::size_t inputs = channels(32);
    with_norm(all, "features.0.0", "features.0.1", {.outputs = inputs, .side = 3, .stride = 2, .padding = 1});
    std::size_t number = 1;
    for (const Stage& stage : kStages) {
      for (std::size_t i = 0; i < stage.repeats; ++i, ++number) {
        const std::size_t outputs = channels(stage.channels), stride = i == 0 ? stage.stride : 1;
        Blocks inside = inverted("features." + std::to_string(number) + ".conv.", inputs,
                                 inputs * stage.expansion, outputs, stride);
        if (stride == 1 && inputs == outputs) {
          all.push_back(residual(std::move(inside), Blocks()));
        } else {
          std::move(inside.begin(), inside.end(), std::back_inserter(all));
        }
        inputs = outputs;
      }
    }
    const std::string last = "features." + std::to_string(number);
    const std::size_t wide = channels(1280, std::max(width_, 1.0));
    with_norm(all, last + ".0", last + ".1", {.outputs = wide, .side = 1});
    all.push_back(channel_means());
    all.push_back(dropout(dropout_));
    return plan;
  }

 private:
  std::size_t channels(std::size_t usual) const { return channels(usual, width_); }
  // The nearest multiple of 8, but no less than nine tenths.
  static std::size_t channels(std::size_t usual, double width) {
    const double wanted = static_cast<double>(usual) * width;
    const double rounded = std::max(8.0, std::floor((wanted + 4) / 8) * 8);
    return static_cast<std::size_t>(rounded < 0.9 * wanted ? rounded + 8 : rounded);
  }
  static void with_norm(Blocks& all, const std::string& key, const std::string& norm, ConvOptions options) {
    options.bias = false;
    all.push_back(conv(key, options, kStarts));
    all.push_back(batch_norm(norm));
    all.push_back(relu6());
  }
  // Wider by a 1x1 convolution, through 3x3 channel by channel, narrower by a 1x1 convolution.
  static Blocks inverted(const std::string& key, std::size_t inputs, std::size_t wide, std::size_t outputs,
                         std::size_t stride) {
    Blocks all;
    std::size_t place = 0;
    const auto next = [&] { return key + std::to_string(place++); };
    if (wide != inputs) {
      const std::string own = next();
      with_norm(all, own + ".0", own + ".1", {.outputs = wide, .side = 1});
    }
    const std::string own = next();
    with_norm(all, own + ".0", own + ".1",
              {.outputs = wide, .side = 3, .stride = stride, .padding = 1, .groups = wide});
    all.push_back(conv(next(), {.outputs = outputs, .side = 1, .bias = false}, kStarts));
    all.push_back(batch_norm(next()));
    return all;
  }

  double width_ = 1;
  double dropout_ = 0.2;
};

const Registration<Model> kMobileNetV2{"mobilenet-v2", "MobileNetV2, as torchvision has it",
                                       [] { return std::make_unique<MobileNetV2>(); }};

}  // namespace
}  // namespace coterie::torch_models
