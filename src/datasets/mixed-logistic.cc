// Mixed logistic regression: y = 1 with probability 1 / (1 + exp(-<x, theta_k>)), else 0, with a theta_k for
// each true cluster k. A generator: every client draws its own samples, as many as it wants.
//
// ODCL's Appendix D.1 is clusters = 4, dimension = 2, parameters and covariances as given there. Differs from
// it: labels are 0 and 1 instead of -1 and 1, and the intercept, which is 0 there, does not exist.
#include <cmath>
#include <memory>

#include "coterie/source.h"
#include "data/mixture.h"

namespace coterie {
namespace {

class MixedLogistic : public Population {
 public:
  MixedLogistic(const MixtureSetup& mixture, std::uint64_t seed)
      : groups_(mixture.groups(seed)), shares_(mixture.shares()), active_(mixture.active()) {
    shape_.task = Task::classification;
    shape_.width = mixture.dimension();
    shape_.classes = 2;
  }

  const Shape& shape() const override { return shape_; }
  std::size_t groups() const override { return groups_.size(); }
  std::vector<double> shares() const override { return shares_; }
  std::optional<Vec> parameters(std::size_t group) const override { return groups_.at(group).theta; }
  Samples draw(std::size_t group, std::size_t count, Stream& stream) const override {
    return MixtureDraw(groups_.at(group), shape_, active_)(count, stream, [](double score, double z) {
      return uniform_of(z) < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0;
    });
  }

 private:
  Shape shape_;
  std::vector<MixtureGroup> groups_;
  std::vector<double> shares_;
  std::size_t active_;
};

class MixedLogisticSource : public Source {
 public:
  void options(Options& o) override { mixture_.options(o); }
  std::unique_ptr<Population> open(const SourceContext& context) const override {
    mixture_.check_size(context.memory);
    return std::make_unique<MixedLogistic>(mixture_, context.seed);
  }

 private:
  MixtureSetup mixture_;
};

const Registration<Source> kMixedLogistic{
    "mixed-logistic", "synthetic binary classification with parameters of its own for each true cluster",
    [] { return std::make_unique<MixedLogisticSource>(); }};

}  // namespace
}  // namespace coterie
