// A run that is killed and resumed after any round, so also in the round before and after each split, removal
// and merger, has the bits of one that was not.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "run/session.h"
#include "support/temp_folder.h"

namespace coterie::tiers_resume_test {
namespace {

constexpr std::uint32_t kRounds = 7;

// Few digits at few clients, under two concepts; some are not asked when clusters change.
std::string config_text(const std::string& participation, const std::string& method) {
  return R"(
seed = 3
[data]
source = "digits"
[[shift]]
kind = "permute-labels"
rule = "opposite"
[clients]
count = 8
samples = 30
[model]
kind = "mlp"
hidden = [6]
[local]
batch = 8
rate = 0.3
momentum = 0.5
momentum_survives = true
[rounds]
count = 7
participation = )" +
         participation + "\n" + method;
}

Config config_of(const std::string& text) {
  Problems problems;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  return config;
}

// Of the whole session, with its clients; and of the server alone, which has no times in it.
Bytes bytes_of(Session& session) {
  Archive a = Archive::writer(Precision::f64);
  session.save(a);
  return a.take();
}
Bytes server_of(Session& session) {
  Archive a = Archive::writer(Precision::f64);
  session.algorithm().fields(a);
  return a.take();
}

// Checks a resume after every round; returns what happened between the first and the last.
std::set<std::string> check(const std::string& participation, const std::string& method) {
  const std::string text = config_text(participation, method);
  TempFolder unbroken_folder;
  Config unbroken_config = config_of(text);
  Session unbroken(unbroken_config, "", 2, unbroken_folder.path());
  unbroken.start();
  for (std::uint32_t t = 1; t <= kRounds; ++t) unbroken.round(t);
  std::set<std::string> happened;
  for (const Event& event : unbroken.fleet().take_events()) {
    if (event.round > 1 && event.round < kRounds) happened.insert(event.kind);
  }
  const Bytes want = server_of(unbroken);
  const Evaluation want_scores = unbroken.evaluate(kRounds, false);

  for (std::uint32_t last = 1; last < kRounds; ++last) {
    TempFolder folder;
    Bytes saved;
    {
      Config config = config_of(text);
      Session broken(config, "", 2, folder.path());
      broken.start();
      for (std::uint32_t t = 1; t <= last; ++t) broken.round(t);
      saved = bytes_of(broken);
      broken.round(last + 1);  // done after the checkpoint, and lost
    }
    Config config = config_of(text);
    Session resumed(config, "", 1, folder.path());
    Archive a = Archive::reader(saved, Precision::f64);
    resumed.load(a);
    a.expect_end();
    for (std::uint32_t t = last + 1; t <= kRounds; ++t) resumed.round(t);
    EXPECT_EQ(server_of(resumed), want) << last;
    const Evaluation scores = resumed.evaluate(kRounds, false);
    EXPECT_EQ(scores.scores.size(), want_scores.scores.size()) << last;
    for (std::size_t i = 0; i < std::min(scores.scores.size(), want_scores.scores.size()); ++i) {
      EXPECT_EQ(scores.scores[i].loss, want_scores.scores[i].loss) << last << " " << i;
      EXPECT_EQ(scores.scores[i].weights, want_scores.scores[i].weights) << last << " " << i;
    }
  }
  return happened;
}

TEST(TierResume, AcrossSplitsAndRemovalsOfSoftClusters) {
  const std::set<std::string> happened = check("0.7",
                                               "[clusters]\ncount = 3\ninit = \"random\"\n[algorithm]\nkind "
                                               "= \"hcfl-plus\"\n[algorithm.hcfl-plus]\nrho = 0.05\n");
  EXPECT_TRUE(happened.count("split"));
  EXPECT_TRUE(happened.count("removed"));
}

TEST(TierResume, AcrossSplitsOfHardClusters) {
  EXPECT_TRUE(check("0.7",
                    "[algorithm]\nkind = \"cfl\"\n[algorithm.cfl]\neps1 = 10.0\neps2 = 0.1\nmost = 4\n"
                    "split_after = 1\n")
                  .count("split"));
}

TEST(TierResume, AcrossMergers) {
  EXPECT_TRUE(check("0.3",
                    "[clusters]\ncount = 4\ninit = \"random\"\n[algorithm]\nkind = "
                    "\"tiered\"\n[algorithm.tiered]\ntau = 0.2\n"
                    "[tiers]\nweights = \"lowest-loss\"\nadapt = \"merge\"\n")
                  .count("merged"));
}

}  // namespace
}  // namespace coterie::tiers_resume_test
