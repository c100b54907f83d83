// Whether a run went astray, and what is said of replies that are too large.
#include "run/divergence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/run.h"
#include "support/temp_folder.h"

namespace coterie::divergence_test {
namespace {

// Least squares without noise: one step of `rate` multiplies the distance by 1 - rate times a curvature
// near 1.
std::string text(const std::string& rate, const std::string& more = "") {
  return "precision = \"double\"\n[data]\nsource = \"mixed-linear\"\nclusters = 1\ndimension = 4\nnoise = "
         "0.0\n"
         "[clients]\ncount = 6\nsamples = 40\n[model]\nkind = \"linear\"\n[rounds]\ncount = 8\n"
         "[local]\nsolver = \"gd\"\nrate = " +
         rate + "\n" + more;
}

struct Finished {
  explicit Finished(const std::string& toml) {
    Problems problems;
    config = read_config(parse_toml(toml, "test"), "test", problems);
    problems.raise_if_any();
    session = std::make_unique<Session>(config, "", 1, "");
    session->start();
    for (std::uint32_t t = 1; t <= config.rounds.count; ++t) session->round(t);
  }
  Config config;
  std::unique_ptr<Session> session;
};

TEST(Divergence, IsALossAboveThatOfARandomModel) {
  Finished good(text("0.5"));
  const Verdict fine = judge_training(*good.session);
  EXPECT_FALSE(fine.diverged) << fine.text;
  EXPECT_LT(fine.loss, 0.2 * fine.random);
  EXPECT_STREQ(fine.name(), "finished");

  Finished bad(text("2.5", "[aggregate]\nlimit = 1e6\n"));
  const Verdict astray = judge_training(*bad.session);
  EXPECT_TRUE(astray.diverged);
  EXPECT_GT(astray.loss, astray.random);
  EXPECT_STREQ(astray.name(), "diverged");
  for (const char* word : {"local.rate = 2.5", "\"auto\"", "local.clip"})
    EXPECT_NE(astray.text.find(word), std::string::npos) << astray.text;
  // The random model is the first that the model draws, whatever the run began with.
  EXPECT_EQ(fine.random, astray.random);
}

TEST(Divergence, DoesNotHappenWithTheRateThatIsFound) {
  Finished run(text("\"auto\""));
  const Verdict verdict = judge_training(*run.session);
  EXPECT_FALSE(verdict.diverged) << verdict.text;
  EXPECT_LT(verdict.loss, 0.1 * verdict.random);
}

// Slopes of a logistic loss are bounded: the middle client decides, and a step too long for another is
// harmless.
TEST(Divergence, DoesNotHappenWithClassesWhereTheMiddleClientDecides) {
  Finished run(
      "[data]\nsource = \"mixed-logistic\"\nclusters = 1\ndimension = 4\n[clients]\ncount = 9\nsamples = "
      "30\n[model]\nkind = \"logistic\"\n[rounds]\ncount = 8\n");
  run.session->report_notes();
  double rate = 0, median = 0, largest = 0;
  for (const Event& event : run.session->fleet().take_events()) {
    if (event.kind != "rate") continue;
    for (const auto& [name, value] : event.numbers)
      (name == "rate" ? rate : name == "median" ? median : largest) = value;
  }
  EXPECT_LT(median, largest);
  EXPECT_LE(rate, 1 / median);
  EXPECT_GT(rate, 0.99 / median);
  EXPECT_FALSE(judge_training(*run.session).diverged);
}

TEST(Divergence, IsPreventedByClipping) {
  Finished run(text("2.5", "clip = 0.5\n[aggregate]\nlimit = 1e6\n"));
  EXPECT_LT(judge_training(*run.session).loss, 1.0);
}

TEST(Divergence, IsTheSameHoweverTheRunBegan) {
  Finished run(text(
      "0.5",
      "[clusters]\ninit = \"near-truth\"\n[clusters.near-truth]\nunit = \"absolute\"\ndistance = 0.0\n"));
  const Verdict verdict = judge_training(*run.session);
  EXPECT_FALSE(verdict.diverged) << "a start without any loss leaves nothing to compare with: "
                                 << verdict.text;
}

// What a run dies of.
std::string death(const std::string& toml) {
  TempFolder temp;
  RunRequest request;
  request.file = "test.toml";
  request.text = toml;
  request.out = temp.file("run");
  request.threads = 1;
  request.quiet = true;
  try {
    run_experiment(request);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Divergence, OfLocalTrainingIsNamedWhereRepliesAreTooLarge) {
  const std::string why = death(text("50", "steps = 20\n"));
  for (const char* word : {"aggregate.limit", "its training diverges", "local.rate = 50", "client 0"})
    EXPECT_NE(why.find(word), std::string::npos) << why;
  EXPECT_EQ(why.find("clients lie"), std::string::npos) << why;
}

TEST(Divergence, IsNotBlamedForTargetsInLargeUnits) {
  std::string toml = text("0.5", "steps = 20\n");
  toml.replace(toml.find("noise = 0.0"), 11, "radius = 1e6");
  const std::string why = death(toml);
  for (const char* word : {"aggregate.limit", "nobody diverges", "standardise the target"})
    EXPECT_NE(why.find(word), std::string::npos) << why;
}

// one-shot trains after its first round; what is too large there are exact minima.
TEST(Divergence, IsNotBlamedForExactMinima) {
  for (const char* method : {"odcl", "one-shot"}) {
    std::string toml = text("0.5", "steps = 20\n");
    toml.replace(toml.find("noise = 0.0"), 11, "radius = 1e6");
    toml += "[algorithm]\nkind = \"" + std::string(method) + "\"\n";
    const std::string why = death(toml);
    for (const char* word : {"aggregate.limit", "its exact minimum", "no step is too long", "model.l2"})
      EXPECT_NE(why.find(word), std::string::npos) << method << ": " << why;
  }
}

TEST(Divergence, LeavesLiarsToBlameWhereThereAre) {
  const std::string why =
      death(text("0.5", "[fleet]\nquorum = 1.0\n[attack]\nkind = \"nan\"\nfraction = 0.5\n"));
  EXPECT_NE(why.find("clients lie (nan)"), std::string::npos) << why;
  EXPECT_EQ(why.find("diverges"), std::string::npos) << why;
}

}  // namespace
}  // namespace coterie::divergence_test
