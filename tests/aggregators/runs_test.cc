// [aggregate] kind reaches every method that combines vectors, in federations of a few numbers and in runs on
// the embedded digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "run/session.h"
#include "support/tiny_federation.h"

namespace coterie::runs_test {
namespace {

struct Method {
  std::string name;
  std::string toml;
  bool clustered = true;
};

const std::vector<Method> kMethods = {{"fedavg", "", false},
                                      {"fedprox", "", false},
                                      {"naive-average", "", false},
                                      {"ifca", "average = \"models\""},
                                      {"ifca", "average = \"gradients\""},
                                      {"one-shot", ""},
                                      {"odcl", ""},
                                      {"oracle", ""},
                                      {"oracle-average", ""}};

// Each client has the sample x = 1, so that its own model is y: five of 1 to 3, one that says 30, and another
// cluster far below.
std::vector<TinyFederation::Client> clients(bool clustered) {
  std::vector<TinyFederation::Client> all;
  for (const double y : {1.0, 2.0, 3.0, 30.0, 2.0, 2.0}) all.push_back({{{1}}, {y}, 0});
  for (const double y : {-21.0, -22.0, -23.0, -22.0, -22.0}) {
    if (clustered) all.push_back({{{1}}, {y}, 1});
  }
  return all;
}

// The first cluster's model after a round in which local training finds y.
double first_model(const Method& method, const std::string& kind) {
  TinyRun::Choices choices;
  choices.algorithm = method.name;
  choices.algorithm_toml = method.toml;
  choices.solver_toml = "rate = 1.0\nsteps = 1";
  choices.clusters = method.clustered ? 2 : 1;
  TinyRun run(clients(method.clustered), choices);
  run.aggregate.kind = kind;
  run.aggregate.aggregator = make_plugin<Aggregator>(kind);
  run.start(method.clustered ? std::vector<Vec>{{2.0}, {-22.0}} : std::vector<Vec>{{2.0}});
  std::vector<ClientId> everyone(run.federation.size());
  for (std::size_t i = 0; i < everyone.size(); ++i) everyone[i] = static_cast<ClientId>(i);
  run.round(everyone);
  double first = -HUGE_VAL;  // the other cluster is below
  for (const Vec& model : run.models()) first = std::max(first, model[0]);
  return first;
}

TEST(AggregateInRuns, ALieMovesNoMethodOutOfTheHonestRangeExceptByTheMean) {
  for (const Method& method : kMethods) {
    for (const std::string& kind : Registry<Aggregator>::instance().names()) {
      const double model = first_model(method, kind);
      if (kind == "mean") {
        EXPECT_GT(model, 3) << method.name << " " << method.toml;
      } else {
        EXPECT_GE(model, 1) << method.name << " " << method.toml << " " << kind;
        EXPECT_LE(model, 3) << method.name << " " << method.toml << " " << kind;
      }
    }
  }
}

// Five rounds on rotated digits, with ten clients in two clusters.
struct DigitsRun {
  std::vector<Vec> models;
  double accuracy = 0;
};

DigitsRun on_digits(const Method& method, const std::string& kind,
                    std::shared_ptr<const Federation>& federation) {
  const std::string toml = "[[shift]]\nkind = \"rotate\"\nangles = [0, 90]\n[clients]\ncount = 10\n" +
                           std::string("[clusters]\ncount = ") + (method.clustered ? "2" : "1") +
                           "\n[model]\nkind = \"softmax\"\nl2 = 0.01\n" +
                           "[local]\nsolver = \"gd\"\nrate = 0.5\nsteps = 1\n[algorithm]\nkind = \"" +
                           method.name + "\"\n[algorithm." + method.name + "]\n" + method.toml +
                           "\n[aggregate]\nkind = \"" + kind + "\"\n";
  Problems problems;
  const Config config = read_config(parse_toml(toml, "test"), "test", problems);
  problems.raise_if_any();
  Session session(config, "", 2, "", federation);
  federation = session.shared_federation();
  session.start();
  for (std::uint32_t t = 1; t <= 5; ++t) session.round(t);
  double right = 0, count = 0;
  for (const ClientScore& score : session.evaluate(5, true).scores) {
    right += score.accuracy * score.samples;
    count += score.samples;
  }
  return {session.algorithm().offer().models, right / count};
}

TEST(AggregateInRuns, DigitsAreLearntByEveryMethodWithEveryRule) {
  std::shared_ptr<const Federation> federation;
  for (const Method& method : kMethods) {
    const DigitsRun by_mean = on_digits(method, "mean", federation);
    for (const std::string& kind : Registry<Aggregator>::instance().names()) {
      if (kind == "mean") continue;
      const std::string what = method.name + " " + method.toml + " " + kind;
      const DigitsRun run = on_digits(method, kind, federation);
      EXPECT_NE(run.models, by_mean.models) << what;
      EXPECT_GT(run.accuracy, 0.2) << what << ": by chance it would be 0.1";
    }
  }
}

}  // namespace
}  // namespace coterie::runs_test
