// Gaussian: a liar sends noise, without having learnt anything.
//
// Differs from the Federated-Clustering paper's experiments, where it is N(10^6, 200^2): such vectors are
// beyond aggregate.limit, and left out whatever the rule.
#include "coterie/attack.h"

namespace coterie {
namespace {

class Gaussian : public Attack {
 public:
  void options(Options& o) override {
    o("mean", &mean_, "of every value of the change");
    o("deviation", &deviation_, "of every value of the change", at_least(0));
  }
  At at() const override { return At::changes; }
  void lie(Vec& change, Stream& stream) const override {
    stream.normals(change);
    for (double& value : change) value = mean_ + deviation_ * value;
  }

 private:
  double mean_ = 0;
  double deviation_ = 1;
};

const Registration<Attack> kGaussian{"gaussian", "each liar sends noise",
                                     [] { return std::make_unique<Gaussian>(); }};

}  // namespace
}  // namespace coterie
