// Mixed linear regression: y = <x, theta_k> + noise, with a theta_k for each true cluster k. A generator:
// every client draws its own samples, as many as it wants.
//
// Choose it to test clustering where the truth is known to the last digit. See data/mixture.h for the set-ups
// of the papers.
#include <memory>

#include "coterie/source.h"
#include "data/mixture.h"

namespace coterie {
namespace {

class MixedLinear : public Population {
 public:
  MixedLinear(const MixtureSetup& mixture, double noise, std::uint64_t seed)
      : groups_(mixture.groups(seed)), shares_(mixture.shares()), active_(mixture.active()), noise_(noise) {
    shape_.task = Task::regression;
    shape_.width = mixture.dimension();
  }

  const Shape& shape() const override { return shape_; }
  std::size_t groups() const override { return groups_.size(); }
  std::vector<double> shares() const override { return shares_; }
  std::optional<Vec> parameters(std::size_t group) const override { return groups_.at(group).theta; }
  Samples draw(std::size_t group, std::size_t count, Stream& stream) const override {
    return MixtureDraw(groups_.at(group), shape_, active_)(
        count, stream, [noise = noise_](double score, double z) { return score + noise * z; });
  }

 private:
  Shape shape_;
  std::vector<MixtureGroup> groups_;
  std::vector<double> shares_;
  std::size_t active_;
  double noise_;
};

class MixedLinearSource : public Source {
 public:
  void options(Options& o) override {
    mixture_.options(o);
    o("noise", &noise_, "standard deviation of the normal noise on y", at_least(0));
  }
  std::unique_ptr<Population> open(const SourceContext& context) const override {
    mixture_.check_size(context.memory);
    return std::make_unique<MixedLinear>(mixture_, noise_, context.seed);
  }

 private:
  MixtureSetup mixture_;
  double noise_ = 0.1;
};

const Registration<Source> kMixedLinear{
    "mixed-linear", "synthetic linear regression with parameters of its own for each true cluster",
    [] { return std::make_unique<MixedLinearSource>(); }};

}  // namespace
}  // namespace coterie
