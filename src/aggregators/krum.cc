// Krum (Blanchard, El Mhamdi, Guerraoui and Stainer, 2017): the one vector whose n - f - 2 nearest others are
// nearest, f being the number of liars that is assumed.
//
// Choose it when a result must be what some client sent; else prefer multi-krum, since a single client's
// vector has all of that client's noise. It is safe for n >= 2 f + 3. With fewer it still takes a vector that
// has others near it; of two vectors, or of equally good ones, that of the first client.
//
// Weights are ignored: a vector is taken or not, and what speaks for it is how many are near.
#include "robust/krum.h"

#include "aggregators/contributions.h"

namespace coterie {
namespace {

class Krum : public Aggregator {
 public:
  void options(Options& o) override { declare_liars(o, liars_); }
  std::size_t copies() const override { return 2; }  // distances are those around the mean
  Vec combine(std::span<const Contribution> contributions) const override {
    const Gathered all(contributions, "krum");
    const std::size_t liars = liars_among(contributions.size(), liars_);
    return contributions[krum_order(all.points(), liars).front()].values;
  }

 private:
  double liars_ = 0.2;
};

const Registration<Aggregator> kKrum{"krum", "the vector that has the most others near it",
                                     [] { return std::make_unique<Krum>(); }};

}  // namespace
}  // namespace coterie
