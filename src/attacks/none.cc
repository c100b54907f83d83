// Nobody lies: the default, and the first row of a table of attacks.
#include "coterie/attack.h"

namespace coterie {
namespace {

class NoAttack : public Attack {
 public:
  void options(Options&) override {}
  At at() const override { return At::nowhere; }
};

const Registration<Attack> kNone{"none", "nobody lies", [] { return std::make_unique<NoAttack>(); }};

}  // namespace
}  // namespace coterie
