// Liars between clients and folds, on federations of one number a client.
#include "adversary/liars.h"

#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/personal_models.h"
#include "coterie/methods/score.h"
#include "support/attacked_run.h"

namespace coterie::liars_test {
namespace {

// Each client has the sample x = 1, and local training finds its y.
struct Attacked : AttackedRun {
  Attacked(const Vec& y, TinyRun::Choices choices, const std::string& kind, const std::string& toml,
           double fraction)
      : AttackedRun(clients(y), finish(choices), kind, toml, fraction) {}
  static std::vector<TinyFederation::Client> clients(const Vec& y) {
    std::vector<TinyFederation::Client> all;
    for (const double one : y) all.push_back({{{1}}, {one}, 0});
    return all;
  }
  static TinyRun::Choices finish(TinyRun::Choices choices) {
    choices.solver_toml = "rate = 1.0\nsteps = 1";
    return choices;
  }
};

TinyRun::Choices ifca(const std::string& toml, std::size_t clusters) {
  TinyRun::Choices choices;
  choices.algorithm = "ifca";
  choices.algorithm_toml = toml;
  choices.clusters = clusters;
  return choices;
}

TEST(AttackOptions, ChoosesTheShareRoundedButNeverEverybody) {
  AttackOptions options;
  options.attack = make_plugin<Attack>("nan");
  options.fraction = 0.2;
  const std::vector<ClientId> liars = options.choose(48, 3);
  EXPECT_EQ(liars.size(), 10u);
  EXPECT_TRUE(std::is_sorted(liars.begin(), liars.end()));
  EXPECT_LT(liars.back(), 48u);
  EXPECT_EQ(options.choose(48, 3), liars);
  EXPECT_NE(options.choose(48, 4), liars);
  options.fraction = 0.99;
  EXPECT_EQ(options.choose(3, 1).size(), 2u);
  options.fraction = 0;
  EXPECT_TRUE(options.choose(48, 3).empty());
  options.fraction = 0.5;
  options.attack = make_plugin<Attack>("none");
  EXPECT_TRUE(options.choose(48, 3).empty());
}

TEST(AttackOptions, StartCountsRoundsAndZeroIsTheMakingOfFirstModelsToo) {
  AttackOptions options;
  EXPECT_TRUE(options.strikes(1, true));
  EXPECT_TRUE(options.strikes(1, false));
  options.start = 2;
  EXPECT_FALSE(options.strikes(3, true));
  EXPECT_FALSE(options.strikes(1, false));
  EXPECT_TRUE(options.strikes(2, false));
}

// Honest models are 3, from a start of 2; the liar's is 2 - (3 - 2) = 1.
TEST(Liars, AModelIsAChangeFromTheModelThatWasSent) {
  Attacked it({3, 3, 3, 3, 3}, {}, "sign-flip", "scale = 1", 0.2);
  it.run.start({{2.0}});
  it.run.round(it.everyone);
  EXPECT_NEAR(it.run.models()[0][0], (4 * 3 + 1) / 5.0, 1e-12);
}

// Gradients at 2 are -1; the liar's is 1. A step of 1 over 5 clients.
TEST(Liars, AGradientIsAChangeFromZero) {
  Attacked it({3, 3, 3, 3, 3}, ifca("average = \"gradients\"", 1), "sign-flip", "scale = 1", 0.2);
  it.run.start({{2.0}});
  it.run.round(it.everyone);
  EXPECT_NEAR(it.run.models()[0][0], 2 + 3 / 5.0, 1e-12);
}

// At 2 the gradients are 1.8, which is nearer to the model that was sent than to 0; the liar's is -1.8.
TEST(Liars, AGradientIsAChangeFromZeroHoweverNearAModelItIs) {
  Attacked it({0.2, 0.2, 0.2, 0.2, 0.2}, ifca("average = \"gradients\"", 1), "sign-flip", "scale = 1", 0.2);
  it.run.start({{2.0}});
  it.run.round(it.everyone);
  EXPECT_NEAR(it.run.models()[0][0], 2 - (4 * 1.8 - 1.8) / 5, 1e-12);
}

// Two clusters, models at 10 and -20, which clients move by their own numbers. The liars of a cluster send
// minus the mean of their own changes, and know nothing of the other cluster's.
TEST(Liars, AgreeAmongThoseWhoBeganAtTheSameModel) {
  Vec y;
  for (int i = 0; i < 12; ++i) y.push_back(i % 2 == 0 ? 11 + i : -21 - i);
  Attacked it(y, ifca("", 2), "inner-product", "scale = 1", 0.5);
  ASSERT_EQ(it.liars->all().size(), 6u);
  it.run.start({{10.0}, {-20.0}});
  it.run.round(it.everyone);
  for (const int cluster : {0, 1}) {
    const double start = cluster == 0 ? 10 : -20;
    double honest = 0, liars = 0, change = 0, members = 0;
    for (ClientId i = 0; i < y.size(); ++i) {
      if (static_cast<int>(i % 2) != cluster) continue;
      members += 1;
      if (it.lies(i)) {
        liars += 1;
        change += y[i] - start;
      } else {
        honest += y[i];
      }
    }
    ASSERT_GT(liars, 0);
    const double lie = start - change / liars;
    EXPECT_NEAR(it.run.models()[static_cast<std::size_t>(cluster)][0], (honest + liars * lie) / members,
                1e-12);
  }
}

// The same with gradients, whose senders name their clusters: a step of 1 over 12 clients.
TEST(Liars, AgreeOnGradientsAmongThoseWhoNameTheSameCluster) {
  Vec y;
  for (int i = 0; i < 12; ++i) y.push_back(i % 2 == 0 ? 11 + i : -21 - i);
  Attacked it(y, ifca("average = \"gradients\"", 2), "inner-product", "scale = 1", 0.5);
  it.run.start({{10.0}, {-20.0}});
  it.run.round(it.everyone);
  for (const int cluster : {0, 1}) {
    const double start = cluster == 0 ? 10 : -20;
    double honest = 0, lied = 0;
    for (ClientId i = 0; i < y.size(); ++i) {
      if (static_cast<int>(i % 2) == cluster) (it.lies(i) ? lied : honest) += start - y[i];
    }
    ASSERT_NE(lied, 0);
    EXPECT_NEAR(it.run.models()[static_cast<std::size_t>(cluster)][0], start - (honest - lied) / 12, 1e-12);
  }
}

// Groups of federated-clustering that are asked at once, in balls that hold everybody: a group steps along
// the mean of what its members send, where its liars send minus the mean of their own gradients.
TEST(Liars, AgreeOnGradientsWithinTheirGroupOnly) {
  Vec y;
  for (int i = 0; i < 12; ++i) y.push_back(i * i);
  TinyRun::Choices choices;
  choices.algorithm = "federated-clustering";
  choices.algorithm_toml = "rule = \"fixed\"\nradius = 1e6\ngroups = 3";
  Attacked it(y, choices, "inner-product", "scale = 1", 0.5);
  it.run.start({{5.0}});
  it.run.round(it.everyone);
  const std::vector<std::uint32_t> groups = it.run.algorithm->found_clusters();
  std::vector<double> steps(3, 0.0), lies(3, 0.0);
  for (ClientId i = 0; i < y.size(); ++i) {
    steps.at(groups[i]) += (it.lies(i) ? -1 : 1) * (5 - y[i]) / 4;
    if (it.lies(i)) lies[groups[i]] += 5 - y[i];
  }
  ASSERT_NE(lies[0], lies[1]);
  for (ClientId i = 0; i < y.size(); ++i) {
    if (it.lies(i)) continue;
    EXPECT_NEAR(model_of(it.run, i), 5 - steps[groups[i]], 1e-9) << "client " << i;
  }
}

// The loss of every client's own model, which a client tells however it is reached.
Vec own_losses(TinyRun& run) {
  ScoreNote note;
  note.reports = {"loss"};
  note.packing = run.algorithm->offer().packing();
  Collect<ScoreReply, double> told([](ScoreReply& reply) { return reply.own.number(0); });
  run.fleet->ask_eval(score_job(), run.fleet->everyone(), Shelf(run.models(), run.fleet->precision()),
                      [&](ClientId) { return note; }, {&told});
  Vec losses;
  for (const auto& [client, loss] : told.items) losses.push_back(loss);
  return losses;
}

// Running means of gradients are kept in double, so what arrives is rounded; liars hear what arrives.
TEST(Liars, AgreeOnTheSameBitsWhetherRepliesAreEncodedOrNot) {
  Vec y;
  for (int i = 0; i < 10; ++i) y.push_back(std::sqrt(1.0 + i));
  std::vector<Vec> ends;
  for (const std::string fleet : {"threads", "scramble"}) {
    TinyRun::Choices choices;
    choices.algorithm = "momentum-clustering";
    choices.algorithm_toml = "alpha = 0.3\nrule = \"fixed\"\nradius = 100";
    choices.precision = Precision::f32;
    choices.fleet.kind = fleet;
    Attacked it(y, choices, "inner-product", "scale = 0.37", 0.5);
    it.run.start({{0.3}});
    for (int t = 0; t < 5; ++t) it.run.round(it.everyone);
    ends.push_back(own_losses(it.run));
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(Liars, ARehearsalLeavesNoBytesAndNoEvents) {
  Attacked honest({3, 4, 5, 6}, {}, "none", "", 0.5);
  Attacked it({3, 4, 5, 6}, {}, "inner-product", "", 0.5);
  for (Attacked* one : {&honest, &it}) {
    one->run.start({{2.0}});
    one->run.round(one->everyone);
  }
  EXPECT_EQ(it.run.fleet->traffic().up, honest.run.fleet->traffic().up);
  EXPECT_EQ(it.run.fleet->traffic().down, honest.run.fleet->traffic().down);
  EXPECT_TRUE(it.run.fleet->take_events().empty());
  EXPECT_NE(it.run.models(), honest.run.models());
}

// Eight clients at 10 and two at -20: the smaller cluster is the second. In round 1 nobody has voted yet; in
// round 2 the liars of the first cluster name the second, and bring their own numbers along.
TEST(Liars, VoteForTheSmallestClusterOnceThereAreVotes) {
  Vec y(10, 11);
  Attacked probe(y, ifca("", 2), "cluster-capture", "", 0.2);
  std::vector<ClientId> honest;
  for (ClientId i = 0; i < 10; ++i) {
    if (!probe.lies(i)) honest.push_back(i);
  }
  y[honest[0]] = y[honest[1]] = -21;
  for (const char* method : {"ifca", "tiered"}) {
    TinyRun::Choices choices = ifca("", 2);
    choices.algorithm = method;
    Attacked it(y, choices, "cluster-capture", "", 0.2);
    it.run.start({{10.0}, {-20.0}});
    it.run.round(it.everyone);
    EXPECT_EQ(it.run.models(), (std::vector<Vec>{{11}, {-21}})) << method << ": honest so far";
    it.run.round(it.everyone);
    EXPECT_EQ(it.run.models(), (std::vector<Vec>{{11}, {(2 * -21.0 + 2 * 11.0) / 4}})) << method;
  }
}

// Federated-Clustering from 0: gradients are -y, and one update (4) with radius 2 is worked out at each
// honest client's model, where all liars stand at one place beyond its gradient, seen from the mean of
// theirs.
TEST(Liars, WhoKnowTheOwnersLieOtherwiseAtEachModel) {
  const Vec y = {1, 1.5, 2, 2.5, 3, 3.5};
  TinyRun::Choices choices;
  choices.algorithm = "federated-clustering";
  choices.algorithm_toml = "rule = \"fixed\"\nradius = 2\nsteps = 1";
  Attacked it(y, choices, "edge-of-radius", "knows = \"owners\"\nstand = \"first\"\nradius = 2\nreach = 0.9",
              0.34);
  ASSERT_EQ(it.liars->all().size(), 2u);
  it.run.start({{0.0}});
  it.run.round(it.everyone);
  for (ClientId i = 0; i < y.size(); ++i) {
    if (it.lies(i)) continue;
    double mean = 0;  // of the liars' honest gradients: all are within 4
    for (const ClientId l : it.liars->all()) mean -= y[l] / 2;
    if (mean == -y[i]) continue;
    const double lie = -y[i] + 0.9 * 2 * (-y[i] > mean ? 1 : -1);
    double step = 0;
    for (ClientId j = 0; j < y.size(); ++j) {
      const double sent = it.lies(j) ? lie : -y[j];
      step += (std::fabs(sent + y[i]) <= 2 ? sent : -y[i]) / 6;
    }
    EXPECT_NEAR(model_of(it.run, i), -step, 1e-12) << i;
  }
}

// As after a trial of a start: the votes of the trial say nothing about what begins now.
TEST(Liars, ForgetVotesWhenClientsForget) {
  Vec y(10, 11);
  Attacked probe(y, ifca("", 2), "cluster-capture", "", 0.2);
  ClientId other = 0;
  while (probe.lies(other)) ++other;
  y[other] = -21;
  Attacked it(y, ifca("", 2), "cluster-capture", "", 0.2);
  it.run.start({{10.0}, {-20.0}});
  it.run.round(it.everyone);
  it.run.fleet->before_rounds([](const Fleet::Begin&) {});
  it.run.start({{10.0}, {-20.0}});
  it.run.round(it.everyone);
  EXPECT_EQ(it.run.models(), (std::vector<Vec>{{11}, {-21}})) << "nobody has voted yet";
  it.run.fleet->edit({});
  it.run.round(it.everyone);
  EXPECT_EQ(it.run.models(), (std::vector<Vec>{{11}, {-21}})) << "clusters may have other numbers now";
  it.run.round(it.everyone);
  EXPECT_NE(it.run.models()[1][0], -21) << "those of the last round are known";
}

TEST(Liars, BeforeTheirRoundTheyAreHonest) {
  Attacked it({3, 3, 3, 3, 3}, {}, "sign-flip", "scale = 1", 0.2);
  it.options.start = 2;
  it.run.start({{2.0}});
  it.run.round(it.everyone);
  EXPECT_EQ(it.run.models()[0][0], 3);
}

// Whatever an attack sends that is not finite or too large costs the liar its turn, and says so.
TEST(Liars, LiesThatCannotBeFoldedAreLeftOutWithAnEvent) {
  const std::vector<std::pair<std::string, std::string>> attacks = {
      {"nan", ""},
      {"huge", "value = 1e6"},
      {"huge", "value = 1e300"},
      {"gaussian", "mean = 1e6\ndeviation = 200"},
      {"sign-flip", "scale = 1e9"},
      {"inner-product", "scale = 1e9"},
      {"alie", "z = 1e9"},
      {"edge-of-radius", "reach = 1e9"}};
  for (const auto& [kind, toml] : attacks) {
    Attacked it({3, 4, 5, 6, 7}, {}, kind, toml, 0.4);
    it.run.start({{2.0}});
    it.run.round(it.everyone);
    double sum = 0;
    for (ClientId i = 0; i < 5; ++i) sum += it.lies(i) ? 0 : 3.0 + i;
    EXPECT_NEAR(it.run.models()[0][0], sum / 3, 1e-12) << kind;
    std::vector<ClientId> left_out;
    for (const Event& event : it.run.fleet->take_events()) {
      EXPECT_EQ(event.kind, "rejected") << kind;
      left_out.push_back(event.client.value_or(1000));
    }
    EXPECT_EQ(left_out, it.liars->all()) << kind << " " << toml;
  }
}

TEST(Liars, AnAttackWithoutMeaningIsRefused) {
  AttackOptions options;
  auto refusal = [&](const std::string& kind, const std::string& method, Task task,
                     const std::string& toml = "") -> std::string {
    options.kind = kind;
    options.attack = make_plugin<Attack>(kind);
    const auto algorithm = make_plugin<Algorithm>(method, toml);
    const Shape shape{task, 1, task == Task::classification ? std::size_t{2} : std::size_t{0}, 0, 0, 0};
    try {
      check_attack(options, method, algorithm->jobs(), shape);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(refusal("nan", "local", Task::classification).find("send no vectors"), std::string::npos);
  EXPECT_NE(refusal("nan", "ditto", Task::classification, "learn = 'nothing'"), "");
  EXPECT_EQ(refusal("nan", "ditto", Task::classification), "");
  EXPECT_NE(refusal("cluster-capture", "fedavg", Task::classification).find("name their clusters"),
            std::string::npos);
  EXPECT_NE(refusal("label-flip", "ifca", Task::regression).find("needs classes"), std::string::npos);
  EXPECT_EQ(refusal("label-flip", "ifca", Task::classification), "");
  EXPECT_EQ(refusal("cluster-capture", "ifca", Task::regression), "");
  EXPECT_NE(refusal("cluster-capture", "one-shot", Task::regression), "") << "the server groups its clients";
  EXPECT_EQ(refusal("nan", "fedavg", Task::regression), "");
  EXPECT_EQ(refusal("none", "local", Task::regression), "");
}

}  // namespace
}  // namespace coterie::liars_test
