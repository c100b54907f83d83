// "A little is enough" (Baruch, Baruch and Goldberg, 2019): all liars send  mean - z deviation,  value by
// value, of their honest changes: far enough to do harm, near enough that some honest clients are farther
// out, so that the liars look like the majority.
//
// z is by default the largest for which that holds: with f liars among n clients, s = floor(n/2 + 1) - f
// honest ones must be farther out than the liars, so z is the quantile (n - f - s) / (n - f) of the normal
// distribution. The liars know their own changes only, as in the paper. One liar alone has no deviation to
// hide in and stays honest.
#include <algorithm>
#include <cmath>

#include "attacks/agreements.h"

namespace coterie {
namespace {

// The z below which a normal variable lies with this probability.
double normal_quantile(double probability) {
  double low = -10, high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return low;
}

double largest_z(const Crowd& crowd) {
  const auto n = static_cast<double>(crowd.clients), f = static_cast<double>(crowd.liars);
  if (f >= n) return normal_quantile(0.999);
  const double supporters = std::floor(n / 2 + 1) - f;
  // Where liars are most, nobody need be farther out; the tail is left to chance.
  return normal_quantile(std::clamp((n - f - supporters) / (n - f), 0.5, 0.999));
}

class Alie : public Attack {
 public:
  void options(Options& o) override {
    o("z", &z_, "deviations from the mean; default: as many as hide the liars", at_least(0));
  }
  At at() const override { return At::agreement; }
  Vec agree(std::span<const Vec> changes, const Crowd& crowd) const override {
    const double z = z_.value_or(largest_z(crowd));
    Vec lie = mean_of(changes);
    for (std::size_t j = 0; j < lie.size(); ++j) {
      double square = 0;
      for (const Vec& one : changes) square += (one[j] - lie[j]) * (one[j] - lie[j]);
      lie[j] -= z * std::sqrt(square / static_cast<double>(changes.size()));
    }
    return lie;
  }

 private:
  std::optional<double> z_;
};

const Registration<Attack> kAlie{"alie",
                                 "\"a little is enough\": liars hide at the edge of the honest spread",
                                 [] { return std::make_unique<Alie>(); }};

}  // namespace
}  // namespace coterie
