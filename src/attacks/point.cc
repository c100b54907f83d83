// Point: every liar sends one and the same change, whatever is true.
//
// For experiments that look for the worst place to stand: where threshold clustering starts at 0 with the
// model "mean", a liar at the point z sends the change -z. By default it is 0: liars that do not work.
#include <algorithm>
#include <cmath>

#include "coterie/attack.h"
#include "coterie/error.h"
#include "math/kernels.h"

namespace coterie {
namespace {

class PointAttack : public Attack {
 public:
  void options(Options& o) override {
    o("place", &place_, "the values of the change; those that are not given are 0");
    o("direction", &direction_,
      "where it is moved from there, of any length; values that are not given are 0");
    o("distance", &distance_, "how far it is moved that way", at_least(0));
    const double length = squared_norm(std::span<const double>(direction_));
    o.require(distance_ == 0 || length > 0, "distance", "needs a direction that is not 0");
    if (length > 0) factor_ = distance_ / std::sqrt(length);
  }
  At at() const override { return At::changes; }
  void lie(Vec& change, Stream&) const override {
    if (const std::size_t values = std::max(place_.size(), direction_.size()); values > change.size()) {
      throw Error("attack.place or attack.direction has " + std::to_string(values) +
                  " values, more than the " + std::to_string(change.size()) + " that a client sends");
    }
    std::fill(change.begin(), change.end(), 0.0);
    std::copy(place_.begin(), place_.end(), change.begin());
    for (std::size_t j = 0; j < direction_.size(); ++j) change[j] += factor_ * direction_[j];
  }

 private:
  std::vector<double> place_;
  std::vector<double> direction_;
  double distance_ = 0;
  double factor_ = 0;  // on the direction
};

const Registration<Attack> kPointAttack{"point", "liars all send one given change; by default none",
                                        [] { return std::make_unique<PointAttack>(); }};

}  // namespace
}  // namespace coterie
