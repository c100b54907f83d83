// The network of IFCA's experiments on rotated CIFAR-10: two 5x5x64 convolutions with max-pooling over 3x3
// and local response normalisation, dense layers of 384 and 192 units, and the head. 1,068,298 parameters for
// colour images of 24x24.
//
// Starts and the L2 term (0.004 over the weights of the first two dense layers) are those of the authors'
// code, which took the network from a tutorial of TensorFlow. The term is a part of the loss that a client
// chooses its cluster by.
#include "models/torch/network.h"

namespace coterie::torch_models {
namespace {

// Weights are normal, those beyond two deviations drawn again; biases are constant.
Fill none(double, double) { return {Fill::constant, 0}; }
Fill tenth(double, double) { return {Fill::constant, 0.1}; }
const Starts kConv1{[](double, double) { return Fill{Fill::truncated, 0.05}; }, none};
const Starts kConv2{kConv1.weights, tenth};
const Starts kDense{[](double, double) { return Fill{Fill::truncated, 0.04}; }, tenth};
const Starts kHead{[](double, double) { return Fill{Fill::truncated, 1 / 192.0}; }, none};

class IfcaCnn : public Network {
 public:
  IfcaCnn() : Network("ifca-cnn", Objective(0.004, {"fc1", "fc2"})) {}

 protected:
  Plan plan(const Form&) const override {
    Plan plan{{}, "fc3", kHead};
    Blocks& all = plan.extractor;
    all.push_back(conv("conv1", {.outputs = 64, .side = 5, .padding = 2}, kConv1));
    all.push_back(relu_max_pool(3, 2, /*same=*/true));
    all.push_back(response_norm(9, 0.001));
    all.push_back(conv("conv2", {.outputs = 64, .side = 5, .padding = 2}, kConv2));
    all.push_back(relu());
    all.push_back(response_norm(9, 0.001));
    all.push_back(relu_max_pool(3, 2, /*same=*/true));
    all.push_back(dense("fc1", 384, kDense));
    all.push_back(relu());
    all.push_back(dense("fc2", 192, kDense));
    all.push_back(relu());
    return plan;
  }
};

const Registration<Model> kIfcaCnn{"ifca-cnn", "the network of IFCA's experiments on CIFAR-10",
                                   [] { return std::make_unique<IfcaCnn>(); }};

}  // namespace
}  // namespace coterie::torch_models
