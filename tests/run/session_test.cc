// A session end to end: who is asked, how a round is judged, what delivery costs.
#include "run/session.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coterie::session_test {
namespace {

struct Made {
  explicit Made(const std::string& text) {
    Problems problems;
    config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    session = std::make_unique<Session>(config, "", 2, "");
  }
  Config config;
  std::unique_ptr<Session> session;
};

const char* kDigits = R"(
[[shift]]
kind = "rotate"
angles = [0, 90]
[clients]
count = 10
[unseen]
count = 3
[clusters]
count = 2
init = "random"
)";

TEST(Session, JudgesClientsUnseenOnesAndSharedTestSets) {
  Made made(std::string(kDigits) + "[algorithm]\nkind = \"ifca\"\n");
  made.session->start();
  made.session->round(1);
  Evaluation evaluation = made.session->evaluate(1, true);
  std::map<Role, int> roles;
  for (const ClientScore& s : evaluation.scores) {
    ++roles[s.role];
    EXPECT_EQ(s.samples, made.session->federation().info(s.client).test);
    EXPECT_GE(s.accuracy, 0);
    EXPECT_LE(s.accuracy, 1);
    EXPECT_TRUE(std::isfinite(s.loss));
    EXPECT_EQ(s.weights.size(), 2u);
  }
  EXPECT_EQ(roles[Role::train], 10);
  EXPECT_EQ(roles[Role::unseen], 3);
  EXPECT_EQ(roles[Role::test], 2);
  EXPECT_TRUE(evaluation.previous.empty());
  for (std::uint32_t t = 2; t <= 3; ++t) EXPECT_EQ(made.session->evaluate(t, true).previous.size(), 10u) << t;
}

// The metrics that only a summary has are asked for once, at the end.
TEST(Session, AsksForAllMetricsInTheLastEvaluation) {
  Made made(std::string(kDigits) + "[algorithm]\nkind = \"ifca\"\n");
  made.session->start();
  made.session->round(1);
  EXPECT_TRUE(made.session->evaluate(1, false).reports.empty());
  const Evaluation last = made.session->evaluate(1, true);
  EXPECT_EQ(last.reports,
            (std::vector<std::string>{"auc", "brier", "class_counts", "log_loss", "score_histogram"}));
  EXPECT_EQ(last.scores[0].told.size(), 5u);
  EXPECT_EQ(last.scores[0].told[2].size(), 30u);
  EXPECT_EQ(measure(last).find("auc"), nullptr) << "not in rounds.jsonl";
  EXPECT_TRUE(made.session->evaluate(1, true, false).reports.empty()) << "no summary is written";
}

TEST(Session, MetricsThatAConfigNamesAreInEveryEvaluation) {
  const std::string text = std::string(kDigits) + "[algorithm]\nkind = \"ifca\"\n[evaluate]\nmetrics = ";
  Made named(text + "[\"f1\", \"loss\"]\n");
  named.session->start();
  const Evaluation first = named.session->evaluate(1, false);
  EXPECT_EQ(first.reports, std::vector<std::string>{"class_counts"});
  EXPECT_TRUE(std::isfinite(measure(first).number("f1")));
  EXPECT_TRUE(std::isfinite(measure(first).number("f1_worst")));
  EXPECT_TRUE(std::isfinite(measure(first).number("test_f1")));
  EXPECT_EQ(measure(first).find("auc"), nullptr);
  EXPECT_EQ(named.session->evaluate(1, true).reports, std::vector<std::string>{"class_counts"});
  Made all(text + "\"all\"\n");
  all.session->start();
  EXPECT_TRUE(std::isfinite(measure(all.session->evaluate(1, false)).number("auc")));
  Made basic(text + "\"basic\"\n");
  basic.session->start();
  EXPECT_TRUE(basic.session->evaluate(1, true).reports.empty());
}

TEST(Session, RefusesMetricsOfAnotherTask) {
  try {
    Made made(std::string(kDigits) + "[evaluate]\nmetrics = [\"rmse\"]\n");
    FAIL();
  } catch (const BadConfig& e) {
    EXPECT_NE(std::string(e.what()).find("evaluate.metrics: \"rmse\" is not for a classification"),
              std::string::npos)
        << e.what();
  }
}

// 15 clients with 999 rows and 100 classes: up to three numbers for each row and class.
TEST(Session, AutoLeavesOutMetricsWhoseReportsAreTooLarge) {
  Made made(R"(
[data]
source = "blobs"
classes = 100
dimension = 2
[clients]
count = 15
samples = 1000
parts = {train = 0.001, test = 0.999}
[model]
kind = "softmax"
[algorithm]
kind = "fedavg"
)");
  made.session->start();
  const Evaluation last = made.session->evaluate(1, true);
  EXPECT_EQ(last.reports, (std::vector<std::string>{"brier", "class_counts", "log_loss"}));
  bool told = false;
  for (const Event& event : made.session->fleet().take_events()) {
    told = told || event.text.find("not measured, because clients would report more than 32.0 MB: auc") == 0;
  }
  EXPECT_TRUE(told);
}

TEST(Session, PersonalModelsAreScoredOnTheTestSetOfTheirOwnClusterAtTheEnd) {
  Made made(std::string(kDigits) + "[algorithm]\nkind = \"local\"\n");
  made.session->start();
  made.session->round(1);
  auto tests = [](const Evaluation& e) {
    return std::count_if(e.scores.begin(), e.scores.end(),
                         [](const auto& s) { return s.role == Role::test; });
  };
  EXPECT_EQ(tests(made.session->evaluate(1, false)), 0);
  EXPECT_EQ(tests(made.session->evaluate(1, true)), 10);
}

TEST(Session, ClientsAreScoredOnTheTestSetOfTheirTrueClusterWhenTold) {
  Made made(std::string(kDigits) + "[algorithm]\nkind = \"ifca\"\n[evaluate]\ntests = \"clients\"\n");
  made.session->start();
  made.session->round(1);
  auto tests = [](const Evaluation& e) {
    std::vector<ClientScore> found;
    for (const ClientScore& s : e.scores) {
      if (s.role == Role::test) found.push_back(s);
    }
    return found;
  };
  EXPECT_TRUE(tests(made.session->evaluate(1, false)).empty());
  const Evaluation last = made.session->evaluate(1, true);
  ASSERT_EQ(tests(last).size(), 10u);
  for (const ClientScore& s : tests(last)) {
    EXPECT_LT(s.client, 10u);
    const ClientScore& own = last.scores[s.client];
    EXPECT_EQ(s.cluster, own.cluster) << "by the model that it settled on";
    EXPECT_GT(s.samples, 2 * own.samples) << "but on the shared set";
  }
}

TEST(Session, ClientsAreScoredOnTestSetsInAllRoundsWhenTold) {
  Made made(std::string(kDigits) + "[algorithm]\nkind = \"ifca\"\n[evaluate]\ntests = \"clients-always\"\n");
  made.session->start();
  made.session->round(1);
  const Evaluation between = made.session->evaluate(1, false), last = made.session->evaluate(1, true);
  EXPECT_EQ(between.scores.size(), last.scores.size());
  EXPECT_TRUE(std::any_of(between.scores.begin(), between.scores.end(),
                          [](const ClientScore& s) { return s.role == Role::test; }));
}

// With two true parameters, theta_0 and theta_1 of norm 2, and one model, w: the mean of |w - theta_k|^2 / 4.
TEST(Session, ErrorsOfClientsAreRelativeToTheirOwnParameters) {
  const std::string text = R"(
precision = "double"
[data]
source = "mixed-linear"
dimension = 3
rescale = true
test_samples = 10
[clients]
count = 6
samples = 20
[model]
kind = "linear"
intercept = false
[algorithm]
kind = ")";
  Made one(text + "naive-average\"\n");
  one.session->start();
  one.session->round(1);
  const Vec w = one.session->algorithm().offer().models.at(0);
  double expected = 0;
  for (const auto& theta : one.session->federation().truth().parameters) {
    for (std::size_t j = 0; j < 3; ++j) expected += (w[j] - theta->at(j)) * (w[j] - theta->at(j)) / 4 / 2;
  }
  EXPECT_NEAR(measure(one.session->evaluate(1, true)).number("normalised_error"), expected, 1e-12);

  for (const char* personal : {"local", "local-erm"}) {
    Made alone(text + personal + "\"\n");
    alone.session->start();
    const double before = measure(alone.session->evaluate(0, false)).number("normalised_error");
    alone.session->round(1);
    const double after = measure(alone.session->evaluate(1, true)).number("normalised_error");
    EXPECT_LT(after, personal == std::string("local") ? before : 0.01) << personal;
  }
}

TEST(Session, JudgesAFixedSampleWhenTold) {
  Made made(std::string(kDigits) + "[evaluate]\nclients = 4\n");
  made.session->start();
  auto ids = [&] {
    std::vector<ClientId> out;
    for (const ClientScore& s : made.session->evaluate(1, false).scores) {
      if (s.role == Role::train) out.push_back(s.client);
    }
    return out;
  };
  std::vector<ClientId> first = ids();
  EXPECT_EQ(first.size(), 4u);
  EXPECT_EQ(ids(), first);
}

// The figures of a start's rounds count as evaluation, and leave the run as it is.
TEST(Session, RoundsOfAStartAreJudgedWhenItSaysWhatItHas) {
  const std::string text = R"(
[data]
source = "mixed-linear"
clusters = 2
dimension = 3
[clients]
count = 30
samples = 10
[model]
kind = "linear"
intercept = false
[clusters]
count = 2
init = "fedmd"
[clusters.fedmd]
rounds = 3
[algorithm]
kind = "ifca"
)";
  Made judged(text), unjudged(text);
  std::vector<double> errors;
  judged.session->start([&](std::uint32_t round) {
    const auto evaluation = judged.session->evaluate_start(round);
    ASSERT_TRUE(evaluation.has_value());
    errors.push_back(measure(*evaluation).number("parameter_error"));
  });
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_LT(errors[2], errors[0]);
  EXPECT_FALSE(judged.session->evaluate_start(4)) << "the start is over";
  unjudged.session->start();
  EXPECT_EQ(judged.session->algorithm().offer().models, unjudged.session->algorithm().offer().models);
  EXPECT_EQ(judged.session->fleet().traffic().down, unjudged.session->fleet().traffic().down);
  EXPECT_GT(judged.session->fleet().traffic().eval, 0u);
}

TEST(Session, DeliveryCountsWhatClientsAreSentAtTheEnd) {
  for (auto [algorithm, models] : {std::pair("ifca", 2), std::pair("oracle", 1), std::pair("fedavg", 1)}) {
    Made made(std::string(kDigits) + "[algorithm]\nkind = \"" + algorithm + "\"\n");
    made.session->start();
    std::uint64_t before = made.session->fleet().traffic().down;
    made.session->deliver();
    std::uint64_t sent = made.session->fleet().traffic().down - before;
    EXPECT_EQ(sent, 10u * static_cast<unsigned>(models) * made.config.model->size() * 4) << algorithm;
    EXPECT_EQ(made.session->fleet().traffic().eval, 0u);
  }
}

TEST(Session, ADivergedModelIsJudgedAsNotANumber) {
  Made made(
      "precision = \"double\"\n[data]\nsource = \"mixed-linear\"\nclusters = 2\ndimension = "
      "3\n[clients]\ncount = 4\nsamples = "
      "10\n[model]\nkind = \"linear\"\nintercept = false\n[local]\nsolver = \"gd\"\nrate = 50.0\nsteps = "
      "60\n[algorithm]\nkind "
      "= \"local\"\n"
      "[fleet]\nquorum = 0\n");
  made.session->start();
  for (std::uint32_t t = 1; t <= 3; ++t) made.session->round(t);
  Record record = measure(made.session->evaluate(3, true));
  EXPECT_TRUE(std::isnan(record.number("loss")) || record.number("loss") > 1e100);
}

TEST(Session, SaysWhatAUserMayNotExpect) {
  auto notes = [](const std::string& text) {
    Made made(text);
    made.session->report_notes();
    std::string all;
    for (const Event& event : made.session->fleet().take_events()) {
      if (event.kind == "note") all += event.text + "\n";
    }
    return all;
  };
  EXPECT_EQ(notes("[algorithm]\nkind = \"oracle\"\n"),
            "no true clusters are known: oracle treats all clients as one cluster\n");
  EXPECT_EQ(notes(std::string(kDigits) + "[algorithm]\nkind = \"oracle\"\n"), "");
  EXPECT_EQ(
      notes("[clients]\ncount = 3\n[clusters]\ncount = 4\ninit = \"random\"\n[algorithm]\nkind = \"ifca\"\n"),
      "clusters.count = 4: there are only 3 clients, so some models stay unused\n");
}

// A mixture of linear rules; `more` goes on in [data].
std::string linear(int clusters, int samples, const std::string& more) {
  return "precision = \"double\"\n[model]\nkind = \"linear\"\nintercept = false\n[clients]\ncount = "
         "12\nsamples = " +
         std::to_string(samples) +
         "\n[data]\nsource = \"mixed-linear\"\ndimension = 4\nclusters = " + std::to_string(clusters) + "\n" +
         more;
}

// What it warns of before it starts, and in its first round.
struct Warned {
  explicit Warned(const std::string& text) : made(text) {
    made.session->report_notes();
    take(before);
  }
  void run() {
    made.session->start();
    made.session->round(1);
    take(after);
  }
  void take(std::string& all) {
    for (const Event& event : made.session->fleet().take_events()) {
      if (event.kind == "warning") all += event.text + "\n";
    }
  }
  Made made;
  std::string before;
  std::string after;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Session, WarnsOfClientsWithFewerRowsThanParameters) {
  const std::string odcl = "[algorithm]\nkind = \"odcl\"\n";
  const std::string few = Warned(linear(2, 3, odcl)).before;
  EXPECT_TRUE(says(few, "12 of 12 clients have fewer training rows than the model has parameters (4)"))
      << few;
  EXPECT_TRUE(says(few, "least norm")) << few;
  EXPECT_TRUE(says(few, "model.l2 = 0.001")) << few;
  EXPECT_TRUE(says(few, "algorithm.odcl.radius = 10")) << few;
  EXPECT_EQ(Warned(linear(2, 40, odcl)).before, "");
  EXPECT_EQ(Warned(linear(2, 3, odcl + "[algorithm.odcl]\nradius = 3.0\n")).before, "");
  EXPECT_EQ(Warned(linear(2, 3, "[algorithm]\nkind = \"ifca\"\n")).before, "");
  const std::string start =
      Warned(linear(2, 3, "[clusters]\ninit = \"odcl\"\n[algorithm]\nkind = \"ifca\"\n")).before;
  EXPECT_TRUE(says(start, "clusters.odcl.radius = 10")) << start;
  const std::string classes = Warned(std::string(kDigits) + "[algorithm]\nkind = \"local-erm\"\n").before;
  EXPECT_TRUE(says(classes, "has no best model and is left out")) << classes;
}

TEST(Session, WarnsThatTheMinimumOfANetworkIsALocalOne) {
  const std::string mlp = std::string(kDigits) + "[model]\nkind = \"mlp\"\n[algorithm]\nkind = ";
  const std::string alone = Warned(mlp + "\"odcl\"\n").before;
  EXPECT_TRUE(says(alone, "not convex")) << alone;
  EXPECT_TRUE(says(alone, "algorithm.odcl.solver = \"local\"")) << alone;
  EXPECT_TRUE(says(Warned(mlp + "\"cluster-oracle\"\n").before, "not convex"));
  EXPECT_EQ(Warned(mlp + "\"odcl\"\n[algorithm.odcl]\nsolver = \"local\"\n").before, "");
}

TEST(Session, WarnsWhenAsManyGroupsWereChosenAsCouldBe) {
  auto odcl = [](const std::string& options) {
    Warned warned(linear(4, 60, "[algorithm]\nkind = \"odcl\"\n[algorithm.odcl]\n" + options));
    warned.run();
    return warned.after;
  };
  EXPECT_TRUE(says(odcl("count = \"silhouette\"\nmost = 3\n"), "algorithm.odcl.most = 3: raise it"));
  EXPECT_EQ(odcl("count = \"silhouette\"\nmost = 8\n"), "");
  EXPECT_TRUE(says(odcl("count = \"elbow\"\nmost = 3\n"), "2 groups are as many")) << "the ends are no elbow";
  EXPECT_EQ(odcl("count = \"elbow\"\nmost = 8\n"), "");
}

TEST(Session, WarnsWhenNoLambdaFitsTheTrueClusters) {
  auto odcl = [](int clusters, int samples, const std::string& data) {
    return linear(clusters, samples,
                  data +
                      "[algorithm]\nkind = \"odcl\"\n[algorithm.odcl]\nclustering = \"convex\"\n"
                      "[algorithm.odcl.convex]\nrule = \"interval\"\n");
  };
  Warned noisy(odcl(2, 8, "noise = 20.0\n"));
  noisy.run();
  EXPECT_TRUE(says(noisy.after, "no lambda meets condition (13)")) << noisy.after;
  EXPECT_TRUE(says(noisy.after, "algorithm.odcl.convex.rule = \"clusterpath\"")) << noisy.after;
  Warned clear(odcl(2, 60, "noise = 0.01\n"));
  clear.run();
  EXPECT_EQ(clear.before + clear.after, "");
  EXPECT_TRUE(says(Warned(odcl(1, 60, "")).before, "fewer than two"));
}

TEST(Session, MethodsOfOneRoundAreFinishedOnceAllWereAsked) {
  for (const char* kind : {"odcl", "naive-average", "oracle-average", "local-erm", "cluster-oracle"}) {
    const std::string algorithm = "[algorithm]\nkind = \"" + std::string(kind) + "\"\n";
    Made all(linear(2, 40, algorithm));
    all.session->start();
    EXPECT_FALSE(all.session->algorithm().finished()) << kind;
    all.session->round(1);
    EXPECT_TRUE(all.session->algorithm().finished()) << kind;
    Archive saved = Archive::writer(Precision::f64);
    all.session->algorithm().fields(saved);
    Made again(linear(2, 40, algorithm));
    const Bytes bytes = saved.take();
    Archive read = Archive::reader(bytes, Precision::f64);
    again.session->algorithm().fields(read);
    EXPECT_TRUE(again.session->algorithm().finished()) << kind << ", resumed";

    Made some(linear(2, 40, algorithm + "[rounds]\ncohort = 8\n"));
    some.session->start();
    some.session->round(1);
    EXPECT_FALSE(some.session->algorithm().finished()) << kind << ", four clients are left";
  }
  for (const char* kind : {"odcl", "local-erm"}) {
    Made some(linear(2, 40, "[algorithm]\nkind = \"" + std::string(kind) + "\"\n[rounds]\ncohort = 8\n"));
    some.session->start();
    std::uint32_t t = 0;
    while (!some.session->algorithm().finished() && t < 100) some.session->round(++t);
    EXPECT_LT(t, 100u) << kind;
  }
  Made fedavg(linear(2, 40, ""));
  fedavg.session->start();
  fedavg.session->round(1);
  EXPECT_FALSE(fedavg.session->algorithm().finished());
}

TEST(Session, AlwaysAsksSomebody) {
  Made made(linear(2, 40, "[rounds]\nparticipation = 0.01\n"));
  made.session->start();
  made.session->round(1);
  EXPECT_GT(made.session->fleet().traffic().up, 0u);
}

// Liars that strike from round 1 on are honest in the rounds of a start.
TEST(Session, AStartIsSparedByLiarsWhoBeginWithTheRounds) {
  auto start_of = [](const std::string& attack) {
    Made made(
        "[[shift]]\nkind = \"rotate\"\nangles = [0, 90]\n[clients]\ncount = 10\n[clusters]\ncount = 2\n"
        "init = \"restarts\"\n[clusters.restarts]\ntrials = 2\nrounds = 2\n[algorithm]\nkind = \"ifca\"\n" +
        attack);
    made.session->start();
    return made.session->algorithm().offer().models;
  };
  const std::string attack = "[attack]\nkind = \"label-flip\"\nfraction = 0.4\n";
  EXPECT_EQ(start_of(attack + "start = 1\n"), start_of(""));
  EXPECT_NE(start_of(attack + "start = 0\n"), start_of(""));
}

TEST(Session, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Made("[rounds]\ncohort = 50\n[clients]\ncount = 10\n"), BadConfig);
  EXPECT_THROW(Made("[model]\nkind = \"linear\"\nintercept = false\n"), BadConfig);
}

}  // namespace
}  // namespace coterie::session_test
