// NaN: a liar sends values that are no numbers. Such replies are left out whatever the rule, with an event;
// what is lost is the liar's turn.
#include <algorithm>
#include <limits>

#include "coterie/attack.h"

namespace coterie {
namespace {

class NanAttack : public Attack {
 public:
  void options(Options&) override {}
  At at() const override { return At::changes; }
  void lie(Vec& change, Stream&) const override {
    std::fill(change.begin(), change.end(), std::numeric_limits<double>::quiet_NaN());
  }
};

const Registration<Attack> kNan{"nan", "each liar sends values that are no numbers",
                                [] { return std::make_unique<NanAttack>(); }};

}  // namespace
}  // namespace coterie
