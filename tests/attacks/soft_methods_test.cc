// Liars among clients that send a model for each cluster, and tell how much of each they take.
#include <gtest/gtest.h>

#include "run/session.h"

namespace coterie::soft_methods_test {
namespace {

Config config_of(const std::string& method, const std::string& attack, const std::string& rule, int rounds) {
  Problems problems;
  Config config = read_config(
      parse_toml("[[shift]]\nkind = \"rotate\"\nangles = [0, 90]\n[clients]\ncount = 20\nreuse = "
                 "\"per-cluster\"\n[clusters]\ncount = 2\ninit = \"random\"\n[model]\nkind = \"mlp\"\nhidden "
                 "= [16]\n"
                 "[local]\nsolver = \"sgd\"\nrate = 0.2\nepochs = 2\n[algorithm]\nkind = \"" +
                     method + "\"\n[rounds]\ncount = " + std::to_string(rounds) +
                     "\n[fleet]\nquorum = 0\n[aggregate]\nkind = \"" + rule + "\"\n[attack]\nkind = \"" +
                     attack + "\"\n" + (attack == "none" ? "" : "fraction = 0.2\n"),
                 "test"),
      "test", problems);
  problems.raise_if_any();
  return config;
}

struct Outcomes {
  std::size_t left_out = 0;
  double accuracy = 0;  // of honest clients
};

Outcomes play(const std::string& method, const std::string& attack, const std::string& rule, int rounds) {
  const Config config = config_of(method, attack, rule, rounds);
  Session session(config, "", 1, "");
  session.start();
  for (int t = 1; t <= rounds; ++t) session.round(static_cast<std::uint32_t>(t));
  Outcomes out;
  for (const Event& event : session.fleet().take_events()) out.left_out += event.kind == "rejected" ? 1 : 0;
  double clients = 0;
  for (const ClientScore& score : session.evaluate(static_cast<std::uint32_t>(rounds), true).scores) {
    if (score.role != Role::train) continue;
    out.accuracy += score.accuracy;
    clients += 1;
  }
  out.accuracy /= clients;
  return out;
}

TEST(SoftMethodsAttacked, LiarsAreFoldedInSinceTheirWeightsAreHonest) {
  for (const std::string method : {"fedem", "fedrc", "fedsoft", "hcfl-plus"}) {
    EXPECT_EQ(play(method, "sign-flip", "median", 2).left_out, 0u) << method;
  }
}

TEST(SoftMethodsAttacked, TheMeanSuffersAndARobustRuleHelps) {
  const double honest = play("fedem", "none", "mean", 40).accuracy;
  const double ruined = play("fedem", "sign-flip", "mean", 40).accuracy;
  const double saved = play("fedem", "sign-flip", "multi-krum", 40).accuracy;
  EXPECT_GT(honest, 0.85);
  EXPECT_LT(ruined, honest - 0.3);
  EXPECT_GT(saved, honest - 0.05);
}

}  // namespace
}  // namespace coterie::soft_methods_test
