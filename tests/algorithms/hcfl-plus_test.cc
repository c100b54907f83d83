// HCFL+ on a few clients: eqs. (6) and (7), splits and removals that reach everybody, bytes.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/tiers/program.h"
#include "support/class_run.h"

namespace coterie {
namespace {

ClassRun::Choices plus(const std::string& toml, const std::string& tiers = "") {
  ClassRun::Choices choices;
  choices.algorithm = "hcfl-plus";
  choices.algorithm_toml = toml;
  choices.tiers_toml = tiers;
  return choices;
}
const Clusters& clusters(const ClassRun& run) {
  return dynamic_cast<const Tiered&>(*run.algorithm).clusters();
}

// What a client keeps, edits included.
struct LookNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
struct LookReply {
  Vec weights, rows;
  void fields(Archive& a) { a(weights, rows); }
};
LookReply kept_by(ClassRun& run, ClientId client) {
  Job<LookNote, LookReply> look("look", [](const Shelf&, const LookNote&, ClientView& view) {
    const TierState& state = view.state<TierState>();
    return LookReply{state.weights, state.rows};
  });
  Collect<LookReply, LookReply> out([](LookReply& reply) { return reply; });
  std::vector<ClientId> one{client};
  run.fleet->ask_eval(look, one, Shelf(), [](ClientId) { return LookNote{}; }, {&out});
  return out.items[0].second;
}

std::vector<Event> of_kind(ClassRun& run, const std::string& kind) {
  std::vector<Event> some;
  for (Event& event : run.fleet->take_events()) {
    if (event.kind == kind) some.push_back(std::move(event));
  }
  return some;
}
double number(const Event& event, const std::string& name) {
  for (const auto& [key, value] : event.numbers) {
    if (key == name) return value;
  }
  return std::nan("");
}

// --- eqs. (6) and (7) ------------------------------------------------------------------------------------
const std::vector<LabelledRow> kRows = {{{1.0, 0.5}, 0}, {{-1.0, 0.2}, 1}, {{0.3, -2.0}, 1}};

// Gradients of  1/n sum_j gamma_jk loss_k  by a whole model, for each of two models.
std::vector<Vec> gradients(const ClassRun& run, const std::vector<Vec>& models,
                           const std::vector<Vec>& gamma) {
  const auto samples = run.federation.samples(0, Part::train, 0);
  const auto& x = std::get<std::vector<double>>(samples->features);
  std::vector<Vec> out;
  for (std::size_t k = 0; k < models.size(); ++k) {
    out.emplace_back(run.model->size());
    run.model->gradient(models[k], Batch<double>{3, 2, x, samples->targets, gamma[k]}, out.back());
  }
  return out;
}
// Responsibilities from equal weights: cluster, row.
std::vector<Vec> responsibilities(const ClassRun& run, const std::vector<Vec>& models) {
  std::vector<Vec> gamma(models.size(), Vec(3));
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < models.size(); ++k)
      sum += gamma[k][j] = std::exp(-run.losses(models[k], 0)[j]);
    for (Vec& one : gamma) one[j] /= sum;
  }
  return gamma;
}

void check_update(const std::string& update) {
  ClassRun::Choices choices = plus("backbone = \"fedem\"\nupdate = \"" + update + "\"", "adapt = \"fixed\"");
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  std::vector<Vec> models = run.models();
  const std::vector<Vec> gamma = responsibilities(run, models);
  const std::size_t head = run.model->head();
  run.round({0});

  auto step = [&](bool heads, bool extractor) {
    const std::vector<Vec> g = gradients(run, models, gamma);
    for (std::size_t j = 0; j < run.model->size(); ++j) {
      for (std::size_t k = 0; k < 2; ++k) {
        if (j < head && extractor) models[k][j] -= 0.1 * (g[0][j] + g[1][j]);
        if (j >= head && heads) models[k][j] -= 0.1 * g[k][j];
      }
    }
  };
  if (update == "joint") {
    step(true, true);
  } else {
    step(true, false);
    step(false, true);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < run.model->size(); ++j)
      EXPECT_NEAR(run.models()[k][j], models[k][j], 1e-13) << k << j;
  }
}
TEST(HcflPlus, HeadsAndExtractorStepTogether) { check_update("joint"); }
TEST(HcflPlus, OrTheExtractorAfterTheHeads) { check_update("alternating"); }

TEST(HcflPlus, SendsOneExtractorAndAHeadForEachCluster) {
  ClassRun::Choices choices = plus("", "adapt = \"fixed\"");
  choices.model = "mlp";
  choices.model_toml = "hidden = [3]";
  ClassRun run(GivenFederation({samples_of(kRows, 2)}), choices);
  run.start();
  run.round({0});
  const std::size_t extractor = (2 + 1) * 3, heads = 2 * (3 + 1) * 2, shares = 2 * 2;
  EXPECT_EQ(run.fleet->traffic().down, 8 * (extractor + heads + shares));
  // The largest weight's place, the loss, the weights, and the counts of classes as well.
  EXPECT_EQ(run.fleet->traffic().up, 4 + 8 * (1 + 2 + extractor + heads + shares));
}

// --- splits and removals ---------------------------------------------------------------------------------
// Labels follow the axis, or the other one: class prototypes of the two concepts are at right angles.
Samples concept_of(bool swapped) {
  return samples_of({{{1, 0}, swapped ? 1.0 : 0.0}, {{0, 1}, swapped ? 0.0 : 1.0}}, 2);
}
GivenFederation concepts() {
  return GivenFederation({concept_of(false), concept_of(false), concept_of(true), concept_of(false)});
}

TEST(HcflPlus, SplitsByRuleEightAndThoseNotAskedFollow) {
  ClassRun::Choices choices = plus("rho = 0.5\nmu = 0.4");
  choices.clusters = 1;
  ClassRun run(concepts(), choices);
  run.start({Vec(run.model->size(), 0.0)});
  run.round({0, 1, 3});
  EXPECT_EQ(run.models().size(), 1u) << "one concept";
  const Vec before = run.models()[0];
  run.round({0, 1, 2});
  ASSERT_EQ(run.models().size(), 2u);
  const std::vector<Event> events = of_kind(run, "split");
  ASSERT_EQ(events.size(), 1u);
  // D is 0 between the first two and 1 from them to the third: largest 1, mean 4/9.
  EXPECT_NEAR(number(events[0], "largest"), 1, 1e-12);
  EXPECT_NEAR(number(events[0], "mean"), 4.0 / 9, 1e-12);
  EXPECT_EQ(number(events[0], "stay"), 2);
  EXPECT_EQ(number(events[0], "go"), 1);
  EXPECT_EQ(number(events[0], "clusters"), 2);

  // The parts' models are what their members trained: one step of gradient descent from `before`.
  for (const auto& [cluster, client] : {std::pair{0, 0u}, std::pair{1, 2u}}) {
    const auto samples = run.federation.samples(client, Part::train, 0);
    const auto& x = std::get<std::vector<double>>(samples->features);
    Vec gradient(before.size());
    run.model->gradient(before, Batch<double>{2, 2, x, samples->targets, {}}, gradient);
    for (std::size_t j = 0; j < before.size(); ++j) {
      EXPECT_NEAR(run.models()[static_cast<std::size_t>(cluster)][j], before[j] - 0.1 * gradient[j], 1e-13);
    }
  }
  // Algorithm 4 at clients: those asked, and the one that was not; weights of samples too.
  for (ClientId i : {0u, 2u, 3u}) {
    const LookReply kept = kept_by(run, i);
    EXPECT_EQ(kept.weights, (Vec{0.5, 0.5})) << i;
    EXPECT_EQ(kept.rows, Vec(4, 0.5)) << i;
    EXPECT_EQ(clusters(run).weights[i], (Vec{0.5, 0.5})) << i;
  }
  // Whoever was not asked since the split may still belong to the new part: it stays.
  run.round({0, 1});
  EXPECT_EQ(run.models().size(), 2u);
}

TEST(HcflPlus, RemovesWhatIsNobodysFirstAndWeightsSumToOne) {
  ClassRun run(concepts(), plus("backbone = \"fedem\"\nrho = 10\nmu = 0.4"));
  // The second model is wrong about everything.
  Vec good(run.model->size(), 0.0), bad = good;
  good[0] = 1;
  bad[0] = bad[3] = -5;
  run.start({good, bad});
  run.round({0, 1});
  EXPECT_EQ(of_kind(run, "removed").size(), 1u);
  ASSERT_EQ(run.models().size(), 1u);
  EXPECT_EQ(kept_by(run, 0).weights, Vec{1.0});
  EXPECT_EQ(kept_by(run, 0).rows, (Vec{1.0, 1.0}));
  EXPECT_TRUE(kept_by(run, 3).weights.empty()) << "never asked";
  run.round({3});
  EXPECT_EQ(clusters(run).weights[3], Vec{1.0});
}

TEST(HcflPlus, RemovesNothingBeforeHalfOfTheClientsWereHeardOf) {
  ClassRun run(concepts(), plus("rho = 10"));
  run.start();
  run.round({0});
  EXPECT_EQ(run.models().size(), 2u);
}

TEST(HcflPlus, HardBackbonesMoveMembersWholeAndOthersChooseAgain) {
  ClassRun::Choices choices = plus("backbone = \"fesem\"\nrho = 0.5");
  choices.clusters = 1;
  ClassRun run(concepts(), choices);
  run.start({Vec(run.model->size(), 0.0)});
  run.round({0, 1, 3});
  run.round({0, 1, 2});
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_EQ(clusters(run).home(0), 0u);
  EXPECT_EQ(clusters(run).home(2), 1u);
  EXPECT_EQ(clusters(run).home(3), kUnknownCluster);
  run.round({3});
  EXPECT_EQ(clusters(run).home(3), 0u);
}

TEST(HcflPlus, NeverExceedsTheMostClusters) {
  ClassRun::Choices choices = plus("rho = 0\nmost = 2");
  choices.clusters = 2;
  ClassRun run(concepts(), choices);
  run.start();
  for (int t = 0; t < 4; ++t) {
    run.round({0, 1, 2, 3});
    EXPECT_LE(run.models().size(), 2u);
  }
}

}  // namespace
}  // namespace coterie
