// Inner-product manipulation (Xie, Koyejo and Gupta, "Fall of empires", 2020): all liars send -scale times
// the mean of their honest changes, so that the product of what is combined and of the honest mean is
// negative or small.
//
// Small scales hide among honest changes and slow a robust rule down, large ones turn the mean round. By
// default it is twice what would stop the mean: 2 (n - f) / f for f liars among n clients.
//
// Differs from the paper, whose liars know the changes of all honest clients.
#include <algorithm>

#include "attacks/agreements.h"

namespace coterie {
namespace {

class InnerProduct : public Attack {
 public:
  void options(Options& o) override {
    o("scale", &scale_, "times the honest mean; default: twice what would stop the mean", above(0));
  }
  At at() const override { return At::agreement; }
  Vec agree(std::span<const Vec> changes, const Crowd& crowd) const override {
    const double honest = std::max(1.0, static_cast<double>(crowd.clients - crowd.liars));
    const double scale = scale_.value_or(2 * honest / static_cast<double>(crowd.liars));
    Vec lie = mean_of(changes);
    for (double& value : lie) value *= -scale;
    return lie;
  }

 private:
  std::optional<double> scale_;
};

const Registration<Attack> kInnerProduct{"inner-product",
                                         "liars all send the mean of their honest changes turned round",
                                         [] { return std::make_unique<InnerProduct>(); }};

}  // namespace
}  // namespace coterie
