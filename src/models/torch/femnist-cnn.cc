// The network that LEAF and IFCA use for FEMNIST: convolutions 5x5x32 and 5x5x64, each with max-pooling over
// 2x2, a dense layer of 2048 units, and the head. 6,603,710 parameters for grey images of 28x28 and 62
// classes.
//
// Starts as in TensorFlow (uniform after Glorot and Bengio, 2010; biases 0), in which the authors' code is
// written.
#include <cmath>

#include "models/torch/network.h"

namespace coterie::torch_models {
namespace {

const Starts kGlorot{[](double fan_in, double fan_out) {
                       return Fill{Fill::uniform, std::sqrt(6 / (fan_in + fan_out))};
                     },
                     [](double, double) {
                       return Fill{Fill::constant, 0};
                     }};

class FemnistCnn : public Network {
 public:
  FemnistCnn() : Network("femnist-cnn") {}

 protected:
  Plan plan(const Form&) const override {
    Plan plan{{}, "fc2", kGlorot};
    Blocks& all = plan.extractor;
    all.push_back(conv("conv1", {.outputs = 32, .side = 5, .padding = 2}, kGlorot));
    all.push_back(relu_max_pool(2, 2));
    all.push_back(conv("conv2", {.outputs = 64, .side = 5, .padding = 2}, kGlorot));
    all.push_back(relu_max_pool(2, 2));
    all.push_back(dense("fc1", 2048, kGlorot));
    all.push_back(relu());
    return plan;
  }
};

const Registration<Model> kFemnistCnn{"femnist-cnn", "the network of LEAF and IFCA for FEMNIST",
                                      [] { return std::make_unique<FemnistCnn>(); }};

}  // namespace
}  // namespace coterie::torch_models
