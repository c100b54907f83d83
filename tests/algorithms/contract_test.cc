// What every algorithm promises, tested for whatever is registered.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/option_readers.h"
#include "coterie/methods/train.h"
#include "run/session.h"
#include "support/temp_folder.h"
#include "support/tiny_federation.h"

namespace coterie::contract_test {
namespace {

class AlgorithmContract : public testing::TestWithParam<std::string> {};

// Minima of a network take hundreds of steps, which promise no more than a few do.
std::string few_iterations(const std::string& algorithm) {
  OptionLister lister;
  Registry<Algorithm>::instance().make(algorithm)->options(lister);
  const bool has = std::any_of(lister.docs.begin(), lister.docs.end(),
                               [](const OptionDoc& doc) { return doc.name == "iterations"; });
  return has ? "[algorithm." + algorithm + "]\niterations = 5\n" : "";
}

// Rotated digits in small: unequal clients, half of them asked in a round, stochastic local training.
std::string config_text(const std::string& algorithm, const std::string& more = "") {
  return R"(
seed = 5
[data]
source = "digits"
[[shift]]
kind = "rotate"
angles = [0, 180]
[clients]
count = 24
partition = "dirichlet"
alpha = 5
minimum = 8
[unseen]
count = 4
[model]
kind = "mlp"
hidden = [8]
[local]
batch = 8
rate = 0.1
momentum = 0.5
momentum_survives = true
[clusters]
init = "random"
count = 2
[rounds]
count = 6
participation = 0.5
[algorithm]
kind = ")" +
         algorithm + "\"\n" + few_iterations(algorithm) + more;
}

Config config_of(const std::string& text) {
  Problems problems;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  return config;
}

// A session that has run some rounds, and everything that could differ.
struct Played {
  Played(const std::string& text, unsigned threads, int rounds, const std::string& folder = "")
      : config(config_of(text)), session(config, "", threads, folder) {
    session.start();
    for (int t = 1; t <= rounds; ++t) session.round(static_cast<std::uint32_t>(t));
  }
  Bytes algorithm_bytes() {
    Archive a = Archive::writer(Precision::f64);
    session.algorithm().fields(a);
    return a.take();
  }
  // Scores of all clients by the offered models and their own states.
  std::vector<double> scores() {
    Evaluation evaluation = session.evaluate(6, true);
    std::vector<double> out;
    for (const ClientScore& s : evaluation.scores) {
      out.insert(out.end(), {double(s.client), double(s.cluster), s.loss, s.accuracy});
    }
    return out;
  }
  Config config;
  Session session;
};

TEST_P(AlgorithmContract, SameBitsAtAnyNumberOfThreads) {
  Played one(config_text(GetParam()), 1, 4);
  auto scores = one.scores();
  for (unsigned threads : {2u, 7u}) {
    Played many(config_text(GetParam()), threads, 4);
    EXPECT_EQ(many.algorithm_bytes(), one.algorithm_bytes()) << threads;
    EXPECT_EQ(many.scores(), scores) << threads;
  }
}

TEST_P(AlgorithmContract, SameBitsThroughAScramblingNetwork) {
  Played one(config_text(GetParam(), "[fleet]\nblock = 1\n"), 2, 4);
  Played scrambled(config_text(GetParam(), "[fleet]\nkind = \"scramble\"\n"), 1, 4);
  EXPECT_EQ(scrambled.algorithm_bytes(), one.algorithm_bytes());
  EXPECT_EQ(scrambled.session.fleet().traffic().down, one.session.fleet().traffic().down);
  EXPECT_EQ(scrambled.session.fleet().traffic().up, one.session.fleet().traffic().up);
  EXPECT_EQ(scrambled.scores(), one.scores());
}

TEST_P(AlgorithmContract, BlocksAgreeWithOneClientAtATime) {
  Played single(config_text(GetParam(), "[fleet]\nblock = 1\n"), 2, 4);
  Played blocks(config_text(GetParam(), "[fleet]\nblock = 5\n"), 2, 4);
  EXPECT_EQ(blocks.algorithm_bytes(), single.algorithm_bytes());
  EXPECT_EQ(blocks.scores(), single.scores());
}

TEST_P(AlgorithmContract, SavedAndLoadedEqualsUnbroken) {
  Played whole(config_text(GetParam()), 2, 6);
  TempFolder folder;
  Bytes saved;
  {
    Played half(config_text(GetParam()), 2, 3, folder.path());
    Archive a = Archive::writer(Precision::f64);
    half.session.save(a);
    saved = a.take();
    half.session.round(4);  // done after the checkpoint, and lost
  }
  Config config = config_of(config_text(GetParam()));
  Session resumed(config, "", 1, folder.path());
  Archive a = Archive::reader(saved, Precision::f64);
  resumed.load(a);
  a.expect_end();
  for (std::uint32_t t = 4; t <= 6; ++t) resumed.round(t);
  Archive end = Archive::writer(Precision::f64);
  resumed.algorithm().fields(end);
  EXPECT_EQ(end.take(), whole.algorithm_bytes());
  EXPECT_EQ(resumed.fleet().traffic().up, whole.session.fleet().traffic().up);
  Evaluation ea = resumed.evaluate(6, true);
  Evaluation eb = whole.session.evaluate(6, true);
  ASSERT_EQ(ea.scores.size(), eb.scores.size());
  for (std::size_t i = 0; i < ea.scores.size(); ++i) EXPECT_EQ(ea.scores[i].loss, eb.scores[i].loss);
}

TEST_P(AlgorithmContract, MembershipsSumToOne) {
  Played played(config_text(GetParam()), 2, 3);
  for (const ClientScore& s : played.session.evaluate(3, false).scores) {
    double sum = 0;
    for (double w : s.weights) sum += w;
    EXPECT_NEAR(sum, 1, 1e-6) << "client " << s.client;
  }
}

TEST_P(AlgorithmContract, WithOneClusterIsFedAvg) {
  std::string one = "[algorithm.fedprox]\nmu = 0\n[algorithm.stocfl]\nprox = 0\n[tiers]\nadapt = \"fixed\"\n";
  std::string text = config_text(GetParam(), one);
  text.replace(text.find("count = 2\n[rounds]"), 9, "count = 1");
  text.replace(text.find("[0, 180]"), 8, "[0]     ");  // one true cluster as well
  std::string fedavg = text;
  fedavg.replace(fedavg.find("kind = \"" + GetParam() + "\""), 8 + GetParam().size() + 1,
                 "kind = \"fedavg\"");
  // Some methods make clients' own models in the last round.
  const int rounds = Played(text, 2, 0).session.algorithm().plans_ahead() ? 6 : 3;
  Played method(text, 2, rounds);
  Played average(fedavg, 2, rounds);
  if (method.session.algorithm().personal()) {
    EXPECT_NE(method.scores(), average.scores()) << "personal models do not average";
  } else if (!method.session.algorithm().trains()) {
    EXPECT_EQ(method.session.algorithm().offer().models.size(), 1u);
    EXPECT_NE(method.session.algorithm().offer().models, average.session.algorithm().offer().models);
  } else {
    EXPECT_EQ(method.session.algorithm().offer().models, average.session.algorithm().offer().models);
  }
}

// Regression with one number for each client: easy to poison and to watch.
std::vector<TinyFederation::Client> four_clients() {
  return {{{{1}, {2}}, {1, 2}, 0}, {{{1}}, {1.5}, 0}, {{{1}, {1}, {2}}, {-3, -3, -6}, 1}, {{{1}}, {-3.5}, 1}};
}

TEST_P(AlgorithmContract, AClientThatIsNotAskedIsNeverTouched) {
  TinyRun run(four_clients(), {.algorithm = GetParam(), .clusters = 2});
  run.start(std::vector<Vec>(run.algorithm->start_models(), Vec{0.1}));
  // A method may ask everybody once before its rounds (one-shot).
  std::vector<int> before(run.federation.touched.begin(), run.federation.touched.end());
  run.round({0, 3});
  run.round({3});
  EXPECT_GT(run.federation.touched[0], before[0]);
  EXPECT_EQ(run.federation.touched[1], before[1]);
  EXPECT_EQ(run.federation.touched[2], before[2]);
}

TEST_P(AlgorithmContract, AClientWhoseNumbersAreNotFiniteIsLeftOut) {
  auto clients = four_clients();
  clients[1].y[0] = std::nan("");
  TinyRun run(clients, {.algorithm = GetParam(), .clusters = 2});
  std::vector<Vec> start;
  for (std::size_t k = 0; k < run.algorithm->start_models(); ++k) start.push_back({k == 0 ? 0.1 : -0.1});
  run.start(start);
  run.fleet->take_events();  // what a start that asks everybody has said
  for (int t = 0; t < 3; ++t) run.round({0, 1, 2, 3});
  for (const Vec& model : run.models()) EXPECT_TRUE(std::isfinite(model[0]));
  std::vector<Event> events = run.fleet->take_events();
  std::size_t rejected = 0;
  for (const Event& e : events) rejected += e.kind == "rejected" && e.client == ClientId{1} ? 1 : 0;
  EXPECT_EQ(rejected, 3u);
}

TEST_P(AlgorithmContract, WorksWithASingleClient) {
  TinyRun run({{{{1}}, {2}, 0}}, {.algorithm = GetParam(), .clusters = 2});
  run.start(std::vector<Vec>(run.algorithm->start_models(), Vec{0.0}));
  for (int t = 0; t < 150; ++t) run.round({0});
  Job<TrainNote, TrainReply> look("look", [&](const Shelf& shelf, const TrainNote&, ClientView& view) {
    Vec weights = run.algorithm->settle(shelf, view);
    return TrainReply{run.algorithm->predict(shelf, weights, view, Part::test).outputs};
  });
  const Lent lent(*run.program, look);
  Collect<TrainReply, double> out([](TrainReply& r) { return Vec(r.model)[0]; });
  std::vector<ClientId> one{0};
  auto note = [&](ClientId i) { return TrainNote{run.algorithm->offer_items(i)}; };
  run.fleet->ask_eval(look, one, Shelf(run.algorithm->offer().items(), Precision::f64), note, {&out});
  EXPECT_NEAR(out.items[0].second, 2.0, 0.05) << "it learns its one sample";
}

INSTANTIATE_TEST_SUITE_P(All, AlgorithmContract, testing::ValuesIn(Registry<Algorithm>::instance().names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace coterie::contract_test
