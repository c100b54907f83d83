// Huge values: a liar sends a change whose every value is the same large number. By default it is just within
// aggregate.limit; beyond the limit a reply is left out whatever the rule, with an event.
#include <algorithm>

#include "coterie/attack.h"

namespace coterie {
namespace {

class Huge : public Attack {
 public:
  void options(Options& o) override { o("value", &value_, "every value of the change"); }
  At at() const override { return At::changes; }
  void lie(Vec& change, Stream&) const override { std::fill(change.begin(), change.end(), value_); }

 private:
  double value_ = 1000;
};

const Registration<Attack> kHuge{"huge", "each liar sends values that are huge",
                                 [] { return std::make_unique<Huge>(); }};

}  // namespace
}  // namespace coterie
