#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/shrink/client.h"
#include "coterie/methods/newton.h"
#include "support/given_federation.h"
#include "support/small_session.h"
#include "support/tiny_federation.h"

namespace coterie::shrink_test {
namespace {

// The models by which clients predict.
template <class Run>
std::vector<Vec> own_models(Run& run) {
  Job<JoinNote, TriedReply> look("look", [&](const Shelf& shelf, const JoinNote&, ClientView& view) {
    const Vec weights = run.algorithm->settle(shelf, view);
    return TriedReply{Numbers(run.algorithm->model_of(shelf, weights, view).values()), 1};
  });
  const Lent lent(*run.program, look);
  Collect<TriedReply, Vec> models([](TriedReply& reply) { return Vec(reply.losses); });
  auto note = [&](ClientId i) { return JoinNote{run.algorithm->offer_items(i)}; };
  run.fleet->ask_eval(look, run.fleet->everyone(), Shelf(run.algorithm->offer().items(), Precision::f64),
                      note, {&models});
  std::vector<Vec> out;
  for (auto& [client, model] : models.items) out.push_back(model);
  return out;
}

std::vector<Event> pulls(Fleet& fleet) {
  std::vector<Event> out;
  for (Event& event : fleet.take_events()) {
    if (event.kind == "pull") out.push_back(std::move(event));
  }
  return out;
}
double told_number(const Event& event, const std::string& name) {
  for (const auto& [key, value] : event.numbers) {
    if (key == name) return value;
  }
  return std::nan("");
}

// Client 0: x = 1, 1 with y = 0, 2. Client 1: x = 2 with y = 10. X'X = 6 over three rows, X'y = 22, so the
// one model is 22/6 and the mean curvature 2.
const std::vector<TinyFederation::Client> kTwo = {{{{1}, {1}}, {0, 2}, 0}, {{{2}}, {10}, 0}};

TEST(Shrink, PullsByTheCurvatureOfEverybody) {
  TinyRun run(kTwo, {.algorithm = "shrink", .algorithm_toml = "pull = \"given\"\nlambda = 3"});
  run.start({{0.0}});
  run.round({0, 1});
  EXPECT_NEAR(run.models()[0][0], 22.0 / 6, 1e-9);
  const std::vector<Vec> own = own_models(run);
  // (X'y + lambda 2 w) / (X'X + lambda 2)
  EXPECT_NEAR(own[0][0], (2 + 3 * 2 * 22.0 / 6) / (2 + 6), 1e-9);
  EXPECT_NEAR(own[1][0], (20 + 3 * 2 * 22.0 / 6) / (4 + 6), 1e-9);
  EXPECT_TRUE(run.algorithm->finished());
}

TEST(Shrink, WithoutAPullIsAloneAndWithAFullOneHasNoOwnModels) {
  TinyRun alone(kTwo, {.algorithm = "shrink", .algorithm_toml = "pull = \"none\""});
  alone.start({{0.0}});
  alone.round({0, 1});
  EXPECT_NEAR(own_models(alone)[0][0], 1, 1e-8);
  EXPECT_NEAR(own_models(alone)[1][0], 5, 1e-8);

  TinyRun full(kTwo, {.algorithm = "shrink", .algorithm_toml = "pull = \"full\""});
  EXPECT_FALSE(full.algorithm->personal());
  full.start({{0.0}});
  full.round({0, 1});
  for (const Vec& model : own_models(full)) EXPECT_NEAR(model[0], 22.0 / 6, 1e-9);
}

// The held-out losses by hand: fold f of client 0 leaves one of its rows out, of it and of the common model.
TEST(Shrink, TriesPullsOnRowsThatNeitherModelHasSeen) {
  TinyRun run(kTwo, {.algorithm = "shrink"});
  run.start({{0.0}});
  run.round({0, 1});
  const std::vector<Event> told = pulls(*run.fleet);
  ASSERT_EQ(told.size(), 1u);
  for (const double lambda : {0.0, 1.0, 10.0}) {
    double sum = 0;
    for (const double y : {0.0, 2.0}) {  // the row that is held out; the other has 2 - y
      const double w = (22 - y) / 5;     // X'X = 5 without it
      const double v = ((2 - y) + lambda * 2 * w) / (1 + lambda * 2);
      sum += 0.5 * (v - y) * (v - y);
    }
    const double w = 2.0 / 2;  // client 1 has no other row, so it predicts with the others' model
    sum += 0.5 * (2 * w - 10) * (2 * w - 10);
    EXPECT_NEAR(told_number(told[0], fmt::format("loss at {:g}", lambda)), sum / 3, 1e-8) << lambda;
  }
}

// `count` clients of `rows` rows, y = (slope_i) x + intercept_i + noise.
GivenFederation lines(std::size_t count, std::size_t rows, double slopes, double intercepts,
                      std::uint64_t seed) {
  std::vector<Samples> clients;
  for (std::uint32_t i = 0; i < count; ++i) {
    Stream stream(seed, {Purpose::test, 0, 0, i});
    const double slope = 1 + slopes * stream.normal(), intercept = intercepts * stream.normal();
    Samples samples;
    samples.shape = {Task::regression, 1, 0, 0, 0, 0};
    std::vector<double> x;
    for (std::size_t j = 0; j < rows; ++j) {
      x.push_back(stream.normal());
      samples.targets.push_back(slope * x.back() + intercept + stream.normal());
    }
    samples.features = std::move(x);
    clients.push_back(std::move(samples));
  }
  return GivenFederation(std::move(clients));
}

double chosen_pull(const GivenFederation& data, const std::string& toml = "") {
  MethodRun<GivenFederation> run(
      data, {.algorithm = "shrink", .algorithm_toml = toml, .model_toml = "intercept = true"});
  run.start({{0.0, 0.0}});
  run.round(run.fleet->everyone());
  return told_number(pulls(*run.fleet).at(0), "lambda");
}

// Noise 1 and a spread of s: the best pull is 1 / s^2 rows, in the directions of a unit curvature.
TEST(Shrink, ChoosesTheEndsAndTheMiddleWhereTheyAreRight) {
  std::size_t strong = 0;
  for (std::uint64_t seed = 10; seed < 19; ++seed) {
    const double alike = chosen_pull(lines(60, 20, 0, 0, seed));
    EXPECT_TRUE(alike < 0 || alike >= 10) << alike;
    strong += alike < 0 || alike >= 100 ? 1 : 0;
  }
  EXPECT_GE(strong, 6u);
  const double between = chosen_pull(lines(60, 20, 0.3, 0.3, 2));
  EXPECT_GE(between, 3);
  EXPECT_LE(between, 30);
  const double apart = chosen_pull(lines(60, 20, 10, 10, 3));
  EXPECT_GE(apart, 0);
  EXPECT_LE(apart, 0.3);
}

// Six visits of each of eight patients, all clients alike: a client that knows a patient's other visits
// predicts well by itself, which says nothing about new patients.
TEST(Shrink, HoldsRowsThatBelongTogetherOutTogether) {
  std::vector<TinyFederation::Client> clients(8);
  for (std::uint32_t i = 0; i < clients.size(); ++i) {
    Stream stream(7, {Purpose::test, 0, 0, i});
    for (std::uint32_t patient = 0; patient < 8; ++patient) {
      const Vec x = {stream.normal(), stream.normal(), stream.normal(), stream.normal()};
      const double y = x[0] + 2 * stream.normal();
      for (int visit = 0; visit < 6; ++visit) {
        clients[i].x.push_back(x);
        clients[i].y.push_back(y);
        clients[i].kin.push_back(patient);
      }
    }
  }
  const auto pull = [&] {
    TinyRun run(clients, {.algorithm = "shrink"});
    run.start({Vec(4, 0.0)});
    std::vector<ClientId> all;
    for (std::uint32_t i = 0; i < clients.size(); ++i) all.push_back(i);
    run.round(all);
    const double lambda = told_number(pulls(*run.fleet).at(0), "lambda");
    return lambda < 0 ? 1e9 : lambda;
  };
  EXPECT_GE(pull(), 100);
  for (auto& client : clients) client.kin.clear();
  EXPECT_LE(pull(), 10);
}

TEST(Shrink, CanLeaveClientsNothingButTheirIntercepts) {
  MethodRun<GivenFederation> run(
      lines(30, 20, 0, 3, 4),
      {.algorithm = "shrink", .algorithm_toml = "own = \"intercept\"", .model_toml = "intercept = true"});
  run.start({{0.0, 0.0}});
  run.round(run.fleet->everyone());
  const Vec common = run.models()[0];
  double spread = 0;
  for (const Vec& model : own_models(run)) {
    EXPECT_EQ(model[0], common[0]);
    spread += std::pow(model[1] - common[1], 2) / 30;
  }
  EXPECT_GT(spread, 3);
  EXPECT_THROW(TinyRun(kTwo, {.algorithm = "shrink", .algorithm_toml = "own = \"intercept\""}), Error);
}

// Rows (0, 0), (1, 1) and (2, 10), (3, 11). Around the means the slope inside clients is 1 (1 of 1), between
// them 5 (20 of 4). With own intercepts +-a under a pull of lambda rows, a = 2 (5 - b) / (2 + lambda), and
// (1 - b) + 4 (5 - b - a) = 0 gives the slope b.
TEST(Shrink, FindsTheCommonSlopeBesideOwnIntercepts) {
  const std::vector<TinyFederation::Client> clients = {{{{0}, {1}}, {0, 1}, 0}, {{{2}, {3}}, {10, 11}, 0}};
  const auto play = [&](const std::string& toml) {
    auto run = std::make_unique<TinyRun>(
        clients,
        TinyRun::Choices{.algorithm = "shrink", .algorithm_toml = toml, .model_toml = "intercept = true"});
    run->start({{0.0, 0.0}});
    run->round({0, 1});
    return run;
  };
  auto pulled = play("own = \"intercept\"\npull = \"given\"\nlambda = 2");
  EXPECT_NEAR(pulled->models()[0][0], 11.0 / 3, 1e-8);
  EXPECT_NEAR(pulled->models()[0][1], 0, 1e-8);
  const std::vector<Vec> own = own_models(*pulled);
  EXPECT_NEAR(own[0][0], 11.0 / 3, 1e-8);
  EXPECT_NEAR(own[0][1], -2.0 / 3, 1e-8);
  EXPECT_NEAR(own[1][1], 2.0 / 3, 1e-8);

  auto free = play("own = \"intercept\"\npull = \"none\"");
  EXPECT_NEAR(free->models()[0][0], 1, 0.01);
  EXPECT_NEAR(free->models()[0][1], 4, 0.02) << "the mean of the clients' intercepts, 0 and 8";
  auto common = play("pull = \"full\"");
  EXPECT_NEAR(common->models()[0][0], 21.0 / 5, 1e-8);
}

// The same rows. Pulls are tried beside the slope 23/7 and the intercept 4/7 of a pull of 1, which no
// held-out row moves. Alone, a client's intercept goes through its other row.
TEST(Shrink, TriesPullsOfInterceptsBesideTheSlopeThatClientsShare) {
  TinyRun run(
      {{{{0}, {1}}, {0, 1}, 0}, {{{2}, {3}}, {10, 11}, 0}},
      {.algorithm = "shrink", .algorithm_toml = "own = \"intercept\"", .model_toml = "intercept = true"});
  run.start({{0.0, 0.0}});
  run.round({0, 1});
  const std::vector<Event> told = pulls(*run.fleet);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NEAR(told_number(told[0], "loss at full"), 104.0 / 49, 1e-6);
  EXPECT_NEAR(told_number(told[0], "loss at 0"), 128.0 / 49, 1e-6);
}

// Clients with larger x have lower intercepts: over all rows the slope seems to be about -2, in each it is 1.
TEST(Shrink, IsNotBentByWhatClientsDifferInAsAWhole) {
  std::vector<Samples> clients;
  for (std::uint32_t i = 0; i < 20; ++i) {
    Stream stream(3, {Purpose::test, 0, 0, i});
    const double place = 2 * stream.normal();
    Samples samples;
    samples.shape = {Task::regression, 1, 0, 0, 0, 0};
    std::vector<double> x;
    for (std::size_t j = 0; j < 30; ++j) {
      x.push_back(place + stream.normal());
      samples.targets.push_back(x.back() - 4 * place + 0.5 * stream.normal());
    }
    samples.features = std::move(x);
    clients.push_back(std::move(samples));
  }
  const GivenFederation data(std::move(clients));
  MethodRun<GivenFederation> run(
      data,
      {.algorithm = "shrink", .algorithm_toml = "own = \"intercept\"", .model_toml = "intercept = true"});
  run.start({{0.0, 0.0}});
  run.round(run.fleet->everyone());
  EXPECT_NEAR(run.models()[0][0], 1, 0.1);
  EXPECT_EQ(pulls(*run.fleet).size(), 1u);
}

TEST(Shrink, PullsTowardsTheModelOfTheGroup) {
  TinyRun run({{{{1}}, {2}, 0}, {{{1}}, {4}, 0}, {{{1}}, {-3}, 0}, {{{1}}, {-5}, 0}},
              {.algorithm = "shrink", .algorithm_toml = "pull = \"given\"\nlambda = 1", .clusters = 3});
  run.algorithm->start(*run.fleet, {{{0.0}, {0.0}, {7.0}}, {0, 0, 1, 1}});
  run.round({0, 1, 2, 3});
  EXPECT_NEAR(run.models()[0][0], 3, 1e-9);
  EXPECT_NEAR(run.models()[1][0], -4, 1e-9);
  EXPECT_EQ(run.models()[2][0], 7) << "nobody's model stays";
  const std::vector<Vec> own = own_models(run);
  EXPECT_NEAR(own[0][0], 2.5, 1e-9);
  EXPECT_NEAR(own[3][0], -4.5, 1e-9);
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 0, 1, 1}));
}

TEST(Shrink, ClientsWithoutAGroupJoinTheModelThatSuitsThemAndStay) {
  TinyRun run({{{{1}}, {2}, 0}, {{{1}}, {-3}, 0}}, {.algorithm = "shrink", .clusters = 2});
  run.start({{1.0}, {-1.0}});
  run.round({0});
  EXPECT_NEAR(own_models(run)[1][0], -1, 1e-9) << "not asked yet: the better of the two models";
  EXPECT_FALSE(run.algorithm->finished());
  run.round({0, 1});
  EXPECT_EQ(run.algorithm->found_clusters(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(run.algorithm->finished());
}

TEST(Shrink, ClientsThatWereNotAskedKeepTheModelOfTheirGroup) {
  TinyRun run(kTwo, {.algorithm = "shrink", .algorithm_toml = "pull = \"given\"\nlambda = 1"});
  run.start({{0.0}});
  run.round({0});
  const std::vector<Vec> own = own_models(run);
  EXPECT_NEAR(own[0][0], 1, 1e-9);
  EXPECT_NEAR(own[1][0], 1, 1e-9);
}

TEST(Shrink, OfANetworkAveragesAndThenTunesInTheLastRound) {
  SmallSession run({.algorithm = "shrink", .participation = "0.5"});
  run.play(1, 3);
  const Offer averaged = run->algorithm().offer();
  for (ClientId i = 0; i < 12; ++i)
    EXPECT_TRUE(run->algorithm().offer_items(i).has(0) || run->algorithm().offer_items(i).has(1));
  run.play(4, 4);
  for (ClientId i = 0; i < 12; ++i)
    EXPECT_FALSE(run->algorithm().offer_items(i).has(0)) << "has its own model";
  std::size_t told = 0;
  for (const Event& event : run->fleet().take_events()) told += event.kind == "pull" ? 1 : 0;
  EXPECT_EQ(told, 1u);
}

// The small run with softmax regression, which is solved exactly.
struct ConvexRun {
  ConvexRun(const std::string& options, const std::string& fleet, unsigned threads,
            const std::string& folder = "")
      : config(read(options, fleet)), session(config, "", threads, folder) {}
  static Config read(const std::string& options, const std::string& fleet) {
    std::string text = small_toml({.algorithm = "shrink", .fleet = fleet, .options = options});
    const std::string network = "kind = \"mlp\"\nhidden = [3]\n";
    text.replace(text.find(network), network.size(), "kind = \"softmax\"\nl2 = 0.01\n");
    Problems problems;
    Config config = read_config(parse_toml(text, "small.toml"), "small.toml", problems);
    problems.raise_if_any();
    return config;
  }
  SmallEnd play(std::uint32_t first) {
    if (first == 1) session.start();
    for (std::uint32_t t = first; t <= 4; ++t) session.round(t);
    return SmallEnd(session);
  }
  Config config;
  Session session;
};

TEST(Shrink, GivesTheSameBitsForConvexModelsWhateverTheFleetAndWhenResumed) {
  for (const char* options : {"", "pull = \"full\"\n", "own = \"intercept\"\n"}) {
    const SmallEnd one = ConvexRun(options, "threads", 1).play(1);
    EXPECT_TRUE(one.finite());
    EXPECT_EQ(ConvexRun(options, "threads", 3).play(1), one) << options;
    EXPECT_EQ(ConvexRun(options, "scramble", 2).play(1), one) << options;
    TempFolder folder;
    Archive saved = Archive::writer(Precision::f64);
    {
      ConvexRun first(options, "threads", 1, folder.path());
      first.session.start();
      for (std::uint32_t t = 1; t <= 2; ++t) first.session.round(t);
      first.session.save(saved);
    }
    const Bytes bytes = saved.take();
    ConvexRun second(options, "threads", 1, folder.path());
    Archive read = Archive::reader(bytes, Precision::f64);
    second.session.load(read);
    EXPECT_EQ(second.play(3), one) << options;
  }
}

TEST(Shrink, RefusesExactModelsOfANetwork) {
  const SmallChoice choice{.algorithm = "shrink", .options = "models = \"exact\"\n"};
  EXPECT_THROW(SmallSession run(choice), Error);
}

}  // namespace
}  // namespace coterie::shrink_test
