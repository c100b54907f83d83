// FedEM's equations on two clients, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/program.h"
#include "support/tampered_fleet.h"
#include "support/tiny_federation.h"

namespace coterie::fedem_test {
namespace {

// Each row is x = 1: its loss at theta is (theta - y)^2 / 2. Client 0 has y = 0 and 2, client 1 has y = 2.
const std::vector<TinyFederation::Client> kTwo = {{{{1}, {1}}, {0, 2}, 0}, {{{1}}, {2}, 0}};
// Posterior of the model that fits a row when the other one's loss is 2, from equal weights.
const double kSure = 1 / (1 + std::exp(-2.0));

TinyRun::Choices em() {
  TinyRun::Choices choices;
  choices.algorithm = "fedem";
  choices.clusters = 2;
  return choices;
}

const Tiered& program(const TinyRun& run) { return dynamic_cast<const Tiered&>(*run.algorithm); }

TEST(FedEm, TrainsEveryModelWithItsResponsibilities) {
  TinyRun run(kTwo, em());
  run.start({{0.0}, {2.0}});
  run.round({0, 1});
  // Client 0, gradients 1/2 (gamma (theta - 0) + gamma' (theta - 2)): model 0 goes to 0.1 (1 - sure), model 1
  // to 2 - 0.1 (1 - sure); client 1: model 0 goes to 0.2 (1 - sure), model 1 stays. Weights 2 and 1.
  const double rest = 1 - kSure;
  EXPECT_NEAR(run.models()[0][0], (2 * 0.1 * rest + 0.2 * rest) / 3, 1e-14);
  EXPECT_NEAR(run.models()[1][0], 2 - 2 * 0.1 * rest / 3, 1e-14);
  EXPECT_NEAR(program(run).clusters().weights[0][0], 0.5, 1e-14);
  EXPECT_NEAR(program(run).clusters().weights[1][1], kSure, 1e-14);
}

// Every row is as far from one model as from the other's: client 0 has two of them.
TEST(FedEm, ALikelihoodIsTheMeanOverAllSamples) {
  TinyRun run(kTwo, em());
  run.start({{0.0}, {2.0}});
  run.round({0, 1});
  const double each = std::log(0.5 * (1 + std::exp(-2.0)));
  for (const std::vector<ClientId>& judged : {std::vector<ClientId>{0}, {1}, {0, 1}}) {
    EXPECT_NEAR(run.algorithm->own_metrics(judged).at(0).second, each, 1e-14) << judged.size();
  }
}

TEST(FedEm, WeightsBelowZeroAreNotBelieved) {
  TinyRun::Choices choices = em();
  choices.fleet.kind = "tampered";
  TinyRun run(kTwo, choices);
  run.start({{0.0}, {2.0}});
  const Tampering<TierReply> lie(1, "tiers", [](TierReply& reply) { reply.weights = {1.5, -0.5}; });
  run.round({0, 1});
  const std::vector<Event> events = run.fleet->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].client, ClientId{1});
  EXPECT_TRUE(program(run).clusters().weights[1].empty());
}

TEST(FedEm, GoesOnFromTheWeightsOfTheLastTurnAndTouchesNobodyElses) {
  TinyRun run(kTwo, em());
  run.start({{0.0}, {2.0}});
  run.round({0, 1});
  const Vec untouched = program(run).clusters().weights[0];
  const double a = run.models()[0][0], b = run.models()[1][0];
  run.round({1});
  const double zero = (1 - kSure) * std::exp(-(a - 2) * (a - 2) / 2),
               one = kSure * std::exp(-(b - 2) * (b - 2) / 2);
  EXPECT_NEAR(program(run).clusters().weights[1][1], one / (zero + one), 1e-14);
  EXPECT_EQ(program(run).clusters().weights[0], untouched);
}

TEST(FedEm, SettlesByRepeatedStepsWithoutTouchingModels) {
  TinyRun run(kTwo, em());
  run.start({{0.0}, {2.0}});
  struct Note {
    Items items;
    void fields(Archive& a) { a(items); }
  };
  struct Reply {
    Vec weights;
    void fields(Archive& a) { a(weights); }
  };
  Job<Note, Reply> look("look", [&](const Shelf& shelf, const Note&, ClientView& view) {
    return Reply{run.algorithm->settle(shelf, view)};
  });
  const Lent lent(*run.program, look);
  Collect<Reply, Vec> out([](Reply& r) { return r.weights; });
  std::vector<ClientId> all{0, 1};
  run.fleet->ask_eval(look, all, Shelf(run.algorithm->offer().items(), Precision::f64),
                      [](ClientId) { return Note{}; }, {&out});
  // Client 1: w <- w e^0 / (w + (1 - w) e^-2), 20 times from a half.
  double w = 0.5;
  for (int s = 0; s < 20; ++s) {
    const double next = w / (w + (1 - w) * std::exp(-2.0));
    if (std::fabs(next - w) <= 1e-6) {
      w = next;
      break;
    }
    w = next;
  }
  EXPECT_NEAR(out.items[1].second[1], w, 1e-12);
  EXPECT_NEAR(out.items[0].second[0], 0.5, 1e-12);
  EXPECT_EQ(run.models(), (std::vector<Vec>{{0.0}, {2.0}}));
}

TEST(FedEm, SendsAllModelsBothWays) {
  TinyRun run(kTwo, em());
  run.start({{0.0}, {2.0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().down, 2u * 2 * 8);
  // Two models, two weights, the loss and the largest weight's place.
  EXPECT_EQ(run.fleet->traffic().up, 2u * (2 * 8 + 2 * 8 + 8 + 4));
}

}  // namespace
}  // namespace coterie::fedem_test
