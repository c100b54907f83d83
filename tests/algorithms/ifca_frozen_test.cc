// IFCA as its authors run it on FEMNIST: a frozen extractor, and random groups at first.
#include <gtest/gtest.h>

#include <set>

#include "support/class_run.h"

namespace coterie::ifca_frozen_test {
namespace {

const std::vector<LabelledRow> kRows = {{{1, 0.5}, 0}, {{-0.5, 2}, 1}, {{0.3, -1}, 2}};
const std::vector<LabelledRow> kOthers = {{{1, 0.5}, 2}, {{-0.5, 2}, 0}};

ClassRun::Choices choices(const std::string& toml) {
  ClassRun::Choices out;
  out.algorithm = "ifca";
  out.algorithm_toml = toml;
  out.model = "mlp";
  out.model_toml = "hidden = [4]\nl2 = 0.1";
  return out;
}

GivenFederation two_clients() { return GivenFederation({samples_of(kRows, 3), samples_of(kOthers, 3)}); }

Vec gradient(const ClassRun& run, const Vec& w, const std::vector<LabelledRow>& rows) {
  const Samples samples = samples_of(rows, 3);
  const auto& x = std::get<std::vector<double>>(samples.features);
  Vec out(w.size());
  run.model->gradient(w, Batch<double>{rows.size(), 2, x, samples.targets, {}}, out);
  return out;
}

// A model with the extractor of one and the head of another.
Vec joined(const ClassRun& run, const Vec& extractor, const Vec& head) {
  Vec all = head;
  std::copy_n(extractor.begin(), run.model->head(), all.begin());
  return all;
}

TEST(IfcaFrozen, AHeadTakesItsOwnStepAndTheExtractorNone) {
  ClassRun run(GivenFederation({samples_of(kRows, 3)}), choices("frozen = true"));
  const std::vector<Vec> drawn = random_models(*run.setting, 2, 0);
  const std::vector<Vec> start = {drawn[0], joined(run, drawn[0], drawn[1])};
  run.start(drawn);
  ASSERT_EQ(run.models(), start) << "the extractor is the first model's";
  const std::size_t chosen = mean(run.losses(start[0], 0)) <= mean(run.losses(start[1], 0)) ? 0 : 1;
  Vec expected = start[chosen];
  const Vec slopes = gradient(run, expected, kRows);
  for (std::size_t j = run.model->head(); j < expected.size(); ++j) expected[j] -= 0.1 * slopes[j];
  run.round({0});
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(run.models()[chosen][j], expected[j], 1e-14) << j;
  }
  EXPECT_EQ(run.models()[1 - chosen], start[1 - chosen]);
}

TEST(IfcaFrozen, TheExtractorStaysThroughManyRoundsAndChoicesAreThoseOfTheLosses) {
  ClassRun run(two_clients(), choices("frozen = true\nwarm_up = 1"));
  const std::vector<Vec> drawn = random_models(*run.setting, 2, 0);
  run.start(drawn);
  for (int t = 0; t < 30; ++t) run.round({0, 1});
  for (const Vec& model : run.models()) {
    EXPECT_TRUE(std::equal(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(run.model->head()),
                           drawn[0].begin()));
  }
  const std::vector<Vec> before = run.models();
  const std::size_t of_first = mean(run.losses(before[0], 0)) <= mean(run.losses(before[1], 0)) ? 0 : 1;
  run.round({0});
  EXPECT_NE(run.models()[of_first], before[of_first]);
  EXPECT_EQ(run.models()[1 - of_first], before[1 - of_first]);
}

TEST(IfcaFrozen, RefusesWhatHasNoHeadOfItsOwnAndWhatItDoesNotGoWith) {
  ClassRun::Choices linear = choices("frozen = true");
  linear.model = "softmax";
  linear.model_toml = "";
  EXPECT_THROW(ClassRun(two_clients(), linear), Error);
  for (const char* more : {"shared = [\"layer1\"]", "skip = \"none\"", "choose_by = 1", "resample = true"}) {
    EXPECT_THROW(ClassRun(two_clients(), choices(std::string("frozen = true\n") + more)), Error) << more;
  }
  ClassRun::Choices momentum = choices("frozen = true");
  momentum.solver_toml = "rate = 0.1\nsteps = 1\nmomentum = 0.5\nmomentum_survives = true";
  EXPECT_THROW(ClassRun(two_clients(), momentum), Error);
}

// Two clients of the same rows prefer the same of two models; in the rounds of the warm-up each trains its
// own group's, and afterwards it chooses.
TEST(IfcaWarmUp, ClientsTrainTheModelOfTheirRandomGroupAndChooseLater) {
  GivenFederation same({samples_of(kRows, 3), samples_of(kRows, 3)});
  ClassRun run(std::move(same), choices("warm_up = 2"));
  const std::vector<Vec> start = random_models(*run.setting, 2, 0);
  run.start(start);
  for (int t = 0; t < 2; ++t) {
    const std::vector<Vec> before = run.models();
    run.round({0, 1});
    for (std::size_t k = 0; k < 2; ++k) {
      Vec expected = before[k];
      const Vec slopes = gradient(run, expected, kRows);
      for (std::size_t j = 0; j < expected.size(); ++j) {
        EXPECT_NEAR(run.models()[k][j], expected[j] - 0.1 * slopes[j], 1e-14);
      }
    }
  }
  const std::vector<Vec> before = run.models();
  run.round({0, 1});
  const bool first = mean(run.losses(before[0], 0)) <= mean(run.losses(before[1], 0));
  EXPECT_NE(run.models()[first ? 0 : 1], before[first ? 0 : 1]);
  EXPECT_EQ(run.models()[first ? 1 : 0], before[first ? 1 : 0]);
}

TEST(IfcaWarmUp, GroupsAreEqualAndAsRandomAsTheSeed) {
  std::set<std::vector<bool>> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ClassRun run(GivenFederation(std::vector<Samples>(6, samples_of(kRows, 3))), choices("warm_up = 1"));
    run.setting->seed = seed;
    std::vector<bool> of_first;
    for (ClientId i = 0; i < 6; ++i) {
      run.start(random_models(*run.setting, 2, 0));
      const Vec before = run.models()[0];
      run.rounds = 0;
      run.round({i});
      of_first.push_back(run.models()[0] != before);
    }
    EXPECT_EQ(std::count(of_first.begin(), of_first.end(), true), 3);
    seen.insert(of_first);
  }
  EXPECT_GT(seen.size(), 2u);
}

}  // namespace
}  // namespace coterie::ifca_frozen_test
