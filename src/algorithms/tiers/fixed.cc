// Tiers 3 and 4 of methods whose number of clusters stays as it is.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

class Fixed : public TierAdapt {
 public:
  std::string distance() const override { return "none"; }
  void adapt(Clusters&, std::span<const Told>, const TierDistance&, Fleet&, const Round&) override {}
};

class NoDistance : public TierDistance {
 public:
  Source source() const override { return Source::none; }
  Vec matrix(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    return Vec(who.size() * who.size(), 0.0);
  }
};

const Registration<TierAdapt> kFixed{"fixed", "the number of clusters stays as it is",
                                     [] { return std::make_unique<Fixed>(); }};
const Registration<TierDistance> kNone{"none", "nothing is compared: for adapt = \"fixed\"",
                                       [] { return std::make_unique<NoDistance>(); }};

}  // namespace
}  // namespace coterie
