// ResNet-18 (He et al., 2016), with the layers, names and starts of torchvision, so that its weights can be
// loaded. 11,181,642 parameters for colour images and 10 classes.
//
// stem = "imagenet" is torchvision's: a 7x7 convolution with stride 2, then max-pooling, which leave 8x8 of
// an image of 32x32; "small", a 3x3 convolution with stride 1, is what is usual for so small images, and
// takes 16 times as long.
#include <cmath>

#include "models/torch/network.h"

namespace coterie::torch_models {
namespace {

const Starts kStarts{[](double, double fan_out) {
                       return Fill{Fill::normal, std::sqrt(2 / fan_out)};
                     },
                     nullptr};

class ResNet18 : public Network {
 public:
  ResNet18() : Network("resnet-18") {}
  void options(Options& o) override {
    o("width", &width_, "channels of the first stage; each later one has twice as many", between(1, 1024));
    o.choice("stem", stem_, {"imagenet", "small"}, "first layers: 7x7 with stride 2 and a pool, or 3x3");
    Network::options(o);
  }

 protected:
  Plan plan(const Form&) const override {
    Plan plan{{}, "fc", pytorch_starts()};
    Blocks& all = plan.extractor;
    auto width = static_cast<std::size_t>(width_);
    const bool small = stem_ == "small";
    all.push_back(conv("conv1",
                       {.outputs = width,
                        .side = small ? 3u : 7u,
                        .stride = small ? 1u : 2u,
                        .padding = small ? 1u : 3u,
                        .bias = false},
                       kStarts));
    all.push_back(batch_norm("bn1"));
    all.push_back(relu());
    if (!small) all.push_back(max_pool(3, 2, 1));
    for (std::size_t stage = 1; stage <= 4; ++stage, width *= 2) {
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string key = "layer" + std::to_string(stage) + "." + std::to_string(i);
        const bool narrower = stage > 1 && i == 0;
        all.push_back(
            residual(inside(key, width, narrower ? 2 : 1), narrower ? shortcut(key, width) : Blocks()));
        all.push_back(relu());
      }
    }
    all.push_back(channel_means());
    return plan;
  }

 private:
  static Blocks inside(const std::string& key, std::size_t width, std::size_t stride) {
    Blocks all;
    const ConvOptions first{.outputs = width, .side = 3, .stride = stride, .padding = 1, .bias = false};
    all.push_back(conv(key + ".conv1", first, kStarts));
    all.push_back(batch_norm(key + ".bn1"));
    all.push_back(relu());
    all.push_back(conv(key + ".conv2", {.outputs = width, .side = 3, .padding = 1, .bias = false}, kStarts));
    all.push_back(batch_norm(key + ".bn2"));
    return all;
  }
  static Blocks shortcut(const std::string& key, std::size_t width) {
    Blocks all;
    all.push_back(
        conv(key + ".downsample.0", {.outputs = width, .side = 1, .stride = 2, .bias = false}, kStarts));
    all.push_back(batch_norm(key + ".downsample.1"));
    return all;
  }

  std::int64_t width_ = 64;
  std::string stem_ = "imagenet";
};

const Registration<Model> kResNet18{"resnet-18", "ResNet-18, as torchvision has it",
                                    [] { return std::make_unique<ResNet18>(); }};

}  // namespace
}  // namespace coterie::torch_models
