#include "adversary/poisoned_shards.h"

#include <gtest/gtest.h>

#include "support/plugins.h"
#include "support/tiny_federation.h"

namespace coterie::poisoned_federation_test {
namespace {

// Turns every target round.
struct Negate : Attack {
  void options(Options&) override {}
  At at() const override { return At::data; }
  void poison(Samples& samples) const override {
    for (double& y : samples.targets) y = -y;
  }
};

struct Poisoned {
  Poisoned() { options.attack = std::make_unique<Negate>(); }
  TinyFederation honest{{{{{1}}, {1.0}, 0}, {{{1}}, {2.0}, 0}, {{{1}}, {3.0}, 0}}};
  AttackOptions options;
  PoisonedShards federation{honest, options, {1}};
  double y(ClientId client, Part part, std::uint32_t round) const {
    return federation.samples(client, part, round)->targets[0];
  }
};

TEST(PoisonedShards, ChangesTheTrainingSamplesOfLiarsAlone) {
  Poisoned it;
  EXPECT_EQ(it.y(0, Part::train, 1), 1);
  EXPECT_EQ(it.y(1, Part::train, 1), -2);
  EXPECT_EQ(it.y(1, Part::test, 1), 2);
  EXPECT_EQ(it.y(2, Part::train, 1), 3);
  EXPECT_EQ(it.honest.samples(1, Part::train, 1)->targets[0], 2) << "the honest federation stays as it was";
}

TEST(PoisonedShards, BeginsInItsRound) {
  Poisoned it;
  it.options.start = 2;
  EXPECT_EQ(it.y(1, Part::train, 1), 2);
  EXPECT_EQ(it.y(1, Part::train, 2), -2);
  it.federation.starting(true);
  EXPECT_EQ(it.y(1, Part::train, 2), 2) << "rounds of the start have numbers of their own";
  it.options.start = 0;
  EXPECT_EQ(it.y(1, Part::train, 0), -2);
}

TEST(PoisonedShards, GivesTheSameSamplesAgain) {
  Poisoned it;
  EXPECT_EQ(it.federation.samples(1, Part::train, 1), it.federation.samples(1, Part::train, 2));
}

}  // namespace
}  // namespace coterie::poisoned_federation_test
