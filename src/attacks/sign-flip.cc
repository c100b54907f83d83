// Sign flip: a liar sends its honest change turned round, -scale times as long.
//
// The simplest attack that has a direction. With a share b of liars the mean still goes the right way as long
// as b (1 + scale) < 1, only slower; a larger scale makes it climb, and is easier to see.
#include "coterie/attack.h"

namespace coterie {
namespace {

class SignFlip : public Attack {
 public:
  void options(Options& o) override {
    o("scale", &scale_, "how many times as long the change is that goes the other way", above(0));
  }
  At at() const override { return At::changes; }
  void lie(Vec& change, Stream&) const override {
    for (double& value : change) value *= -scale_;
  }

 private:
  double scale_ = 4;
};

const Registration<Attack> kSignFlip{"sign-flip", "each liar sends its own change turned round",
                                     [] { return std::make_unique<SignFlip>(); }};

}  // namespace
}  // namespace coterie
