// PACFL on instances of a few clients, worked out by hand, and on turned digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/tier_states.h"
#include "coterie/metric.h"
#include "run/session.h"
#include "support/tampered_fleet.h"
#include "support/tiny_federation.h"

namespace coterie::pacfl_test {
namespace {

using Client = TinyFederation::Client;
using Groups = std::vector<std::uint32_t>;

double cosine(double degrees) { return std::cos(degrees * std::numbers::pi / 180); }
double sine(double degrees) { return std::sin(degrees * std::numbers::pi / 180); }

// A client whose samples lie on a line of the plane.
Client on_line(double degrees, double length = 1, double target = 1) {
  return {{{length * cosine(degrees), length * sine(degrees)}}, {target}, 0};
}

TinyRun::Choices pacfl(const std::string& toml = "", std::size_t clusters = 2) {
  TinyRun::Choices choices;
  choices.algorithm = "pacfl";
  choices.algorithm_toml = toml;
  choices.clusters = clusters;
  return choices;
}

// The cluster of each client: the only model that it is offered, or 99 for several.
template <class Run>
Groups groups(const Run& run) {
  Groups all;
  for (ClientId i = 0; i < run.fleet->clients(); ++i) {
    std::vector<std::uint32_t> offered;
    for (std::uint32_t k = 0; k < run.models().size(); ++k) {
      if (run.algorithm->offer_items(i).has(k)) offered.push_back(k);
    }
    const bool told = !run.algorithm->offer_items(i).has(1000);
    all.push_back(told && offered.size() == 1 ? offered[0] : 99);
  }
  return all;
}

// The angle between two clients, as the event tells it.
double angle(const Client& a, const Client& b, const std::string& toml) {
  TinyRun run({a, b}, pacfl(toml));
  run.start({Vec(a.x[0].size(), 0.0)});
  run.round({0, 1});
  const std::vector<Event> events = of_kind(*run.fleet, "grouped");
  EXPECT_EQ(events.size(), 1u);
  return number(events.at(0), "next_join");
}
const char* const kSmallest = "rule = \"smallest\"";
const char* const kSum = "rule = \"sum\"\ndirections = 2";

// Planes in four dimensions with the principal angles 20 and 50 degrees. First vectors are the longer ones.
const Client kPlane = {{{2, 0, 0, 0}, {0, 1, 0, 0}}, {1, 1}, 0};
const Client kTilted = {{{2 * cosine(20), 0, 2 * sine(20), 0}, {0, cosine(50), 0, sine(50)}}, {1, 1}, 0};

TEST(Pacfl, AnglesOfTwoPlanes) {
  EXPECT_NEAR(angle(kPlane, kTilted, kSmallest), 20, 1e-9);
  EXPECT_NEAR(angle(kPlane, kTilted, kSum), 20 + 50, 1e-9);
  EXPECT_NEAR(angle(kPlane, kPlane, kSum), 0, 1e-5);
}

// Only "sum" depends on which vector comes first: here e2 meets what is beside e1, and the reverse.
TEST(Pacfl, TheSmallestAngleBelongsToSubspacesAndTheSumToVectorsInTheirOrder) {
  Client other = kTilted;
  for (double& value : other.x[1]) value *= 9;
  EXPECT_NEAR(angle(kPlane, other, kSmallest), 20, 1e-9);
  EXPECT_NEAR(angle(kPlane, other, kSum), 90 + 90, 1e-9);
}

// Lines at -40 and 130 degrees are 10 apart, though their vectors are 170: neither sums to less than 0.
TEST(Pacfl, AVectorAndItsOppositeAreOneDirection) {
  EXPECT_NEAR(angle(on_line(-40), on_line(130), "rule = \"sum\"\ndirections = 1"), 10, 1e-9);
}

TEST(Pacfl, SignsLengthsAndRepeatsOfSamplesDoNotMatter) {
  Client other = kTilted;
  for (Vec& row : other.x) {
    for (double& value : row) value *= -7;
  }
  for (int more = 0; more < 5; ++more) {
    other.x.insert(other.x.end(), {other.x[0], other.x[1]});
    other.y.insert(other.y.end(), {1, 1});
  }
  EXPECT_NEAR(angle(kPlane, other, kSmallest), 20, 1e-9);
  EXPECT_NEAR(angle(kPlane, other, kSum), 70, 1e-9);
}

// One vector on a side: p times the angle between the first ones. No vector at all: right angles.
TEST(Pacfl, AClientWithFewSamplesTellsFewerVectors) {
  const Client one = {{{3, 0, 0, 0}}, {1}, 0}, none = {{{0, 0, 0, 0}}, {1}, 0};
  const Client same = {{{3, 0, 0, 0}, {6, 0, 0, 0}, {1, 0, 0, 0}}, {1, 1, 1}, 0};
  for (const Client& few : {one, same}) {
    EXPECT_NEAR(angle(few, kTilted, "rule = \"sum\"\ndirections = 3"), 3 * 20, 1e-9);
    EXPECT_NEAR(angle(few, kTilted, "directions = 3"), 20, 1e-9);
  }
  EXPECT_NEAR(angle(none, kTilted, kSum), 180, 1e-9);
  EXPECT_NEAR(angle(none, kTilted, kSmallest), 90, 1e-9);
}

// Clients 0 and 2 share a line. From 0 a step of 0.1 goes 0.1 y x.
TEST(Pacfl, ClientsOfOneSubspaceAreAveraged) {
  TinyRun run({on_line(0, 1, 1), on_line(90, 1, 5), on_line(0, 2, 4)}, pacfl());
  run.start({{0, 0}});
  EXPECT_EQ(groups(run), (Groups{99, 99, 99}));
  run.round({0, 1, 2});
  EXPECT_EQ(groups(run), (Groups{0, 1, 0}));
  ASSERT_EQ(run.models().size(), 2u);
  EXPECT_NEAR(run.models()[0][0], (0.1 + 0.8) / 2, 1e-12);
  EXPECT_NEAR(run.models()[0][1], 0, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 0.5, 1e-12);
}

// Three vectors of two numbers each, without a model; then models alone.
// As the method's reply is encoded.
struct Spoken {
  Vec vectors;
  void fields(Archive& a) { a.about_sender(vectors); }
};

TEST(Pacfl, VectorsMustHaveLengthOne) {
  TinyRun::Choices choices = pacfl();
  choices.fleet.kind = "tampered";
  TinyRun run({on_line(0), on_line(5), on_line(90)}, choices);
  run.start({{0.0, 0.0}});
  const Tampering<Spoken> lie(1, "pacfl-vectors", [](Spoken& said) {
    for (double& value : said.vectors) value *= 1.1;
  });
  run.round({0, 1, 2});
  const std::vector<Event> events = of_kind(*run.fleet, "rejected");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].client, ClientId{1});
  EXPECT_EQ(groups(run)[1], 99u) << "it is in no cluster";
}

TEST(Pacfl, VectorsAreToldOnce) {
  TinyRun run({on_line(0), on_line(90), on_line(0)}, pacfl());
  run.start({{0, 0}});
  run.round({0, 1, 2});
  const std::uint64_t told = 3 * (3 * 2) * 8, models = 3 * 2 * 8;
  EXPECT_EQ(run.fleet->traffic().up, told + models);
  EXPECT_EQ(run.fleet->traffic().down, models);
  run.round({0, 1, 2});
  EXPECT_EQ(run.fleet->traffic().up, told + 2 * models);
}

TEST(Pacfl, OneClusterAsksNobodyForVectors) {
  TinyRun run({on_line(0), on_line(90)}, pacfl("", 1));
  run.start({{0, 0}});
  run.round({0, 1});
  EXPECT_EQ(run.fleet->traffic().up, 2u * 2 * 8);
  EXPECT_EQ(groups(run), (Groups{0, 0}));
}

TEST(Pacfl, OneClusterThatIsFoundIsFedAvg) {
  const std::vector<Client> clients = {on_line(0, 1, 3), on_line(40, 2, 1), on_line(80, 1, -1)};
  TinyRun::Choices fedavg;
  TinyRun found(clients, pacfl("threshold = 90.0", 3)), average(clients, fedavg);
  for (TinyRun* run : {&found, &average}) {
    run->start({{0.5, 0.25}});
    for (const std::vector<ClientId>& cohort : {std::vector<ClientId>{0, 2}, {1, 2}, {0, 1, 2}})
      run->round(cohort);
  }
  EXPECT_EQ(found.models(), average.models());
}

// Lines at 0, 10 and 50 degrees: the last is 40, 45 and 50 away from the others by linkage.
TEST(Pacfl, TheThresholdHoldsForTheLinkage) {
  const auto found = [](const std::string& linkage, const std::string& threshold) {
    TinyRun run({on_line(0), on_line(10), on_line(50)},
                pacfl("linkage = \"" + linkage + "\"\nthreshold = " + threshold, 7));
    run.start({{0, 0}});
    run.round({0, 1, 2});
    return run.models().size();
  };
  EXPECT_EQ(found("single", "9.0"), 3u);
  EXPECT_EQ(found("single", "39.0"), 2u);
  EXPECT_EQ(found("single", "42.0"), 1u);
  EXPECT_EQ(found("average", "42.0"), 2u);
  EXPECT_EQ(found("average", "47.0"), 1u);
  EXPECT_EQ(found("complete", "47.0"), 2u);
  EXPECT_EQ(found("complete", "52.0"), 1u);
}

TEST(Pacfl, SaysBetweenWhichThresholdsTheGroupsStay) {
  TinyRun run({on_line(0), on_line(10), on_line(50)}, pacfl("linkage = \"single\""));
  run.start({{0, 0}});
  run.round({0, 1, 2});
  const std::vector<Event> events = of_kind(*run.fleet, "grouped");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "last_join"), 10, 1e-9);
  EXPECT_NEAR(number(events[0], "next_join"), 40, 1e-9);
}

// Client 1 joins 0, whose model goes on; client 2 is too far from both and begins with the initial model.
TEST(Pacfl, NewcomersJoinTheNearestClusterOrBeginOne) {
  TinyRun run({on_line(0, 1, 1), on_line(5, 1, 0), on_line(90, 1, 5)}, pacfl("threshold = 20.0", 1));
  run.start({{0, 0}});
  run.round({0});
  EXPECT_EQ(groups(run), (Groups{0, 99, 99})) << "not asked yet";
  EXPECT_NEAR(run.models()[0][0], 0.1, 1e-12);
  run.round({1, 2});
  EXPECT_EQ(groups(run), (Groups{0, 0, 1}));
  const double gap = 0.1 * cosine(5);  // of client 1 at the model of client 0
  EXPECT_NEAR(run.models()[0][0], 0.1 - 0.1 * gap * cosine(5), 1e-12);
  EXPECT_NEAR(run.models()[0][1], -0.1 * gap * sine(5), 1e-12);
  EXPECT_NEAR(run.models()[1][0], 0, 1e-12);
  EXPECT_NEAR(run.models()[1][1], 0.5, 1e-12);
}

// Two of a kind are two clusters of two, until the third comes. The first model goes on.
TEST(Pacfl, GroupsOfAGivenCountAreFoundAgainWhenNewcomersTell) {
  TinyRun run({on_line(0, 1, 1), on_line(1, 1, 2), on_line(90, 1, 5)}, pacfl());
  run.start({{0, 0}});
  run.round({0, 1});
  EXPECT_EQ(groups(run), (Groups{0, 1, 99}));
  const Vec first = run.models()[0];
  run.round({2});
  EXPECT_EQ(groups(run), (Groups{0, 0, 1}));
  EXPECT_EQ(run.models()[0], first);
  EXPECT_NEAR(run.models()[1][0], 0, 1e-12) << "not the model of client 1";
  EXPECT_NEAR(run.models()[1][1], 0.5, 1e-12);
}

// A cluster keeps its number when a newcomer of a smaller id, of the other, comes.
TEST(Pacfl, ClustersKeepTheirNumbers) {
  TinyRun run({on_line(90), on_line(0), on_line(1), on_line(91)}, pacfl("threshold = 20.0"));
  run.start({{0, 0}});
  run.round({1, 3});
  EXPECT_EQ(groups(run), (Groups{99, 0, 99, 1}));
  run.round({0, 1, 2, 3});
  EXPECT_EQ(groups(run), (Groups{1, 0, 0, 1}));
}

TEST(Pacfl, AClientWhoseSamplesAreNotFiniteIsAskedAgainAndNeverTrains) {
  std::vector<Client> clients = {on_line(0), on_line(90), on_line(0)};
  clients[2].x[0][1] = std::nan("");
  TinyRun run(clients, pacfl());
  run.start({{0, 0}});
  for (const std::size_t rounds : {1u, 2u}) {
    run.round({0, 1, 2});
    EXPECT_EQ(groups(run), (Groups{0, 1, 99})) << rounds;
    const std::vector<Event> rejected = of_kind(*run.fleet, "rejected");
    ASSERT_EQ(rejected.size(), 1u) << "for its vectors, and not for a model";
    EXPECT_EQ(rejected[0].client, ClientId{2});
  }
  EXPECT_THROW(run.round({2}), BelowQuorum) << "nobody else can train";
  for (const Vec& model : run.models()) EXPECT_TRUE(std::isfinite(model[0]) && std::isfinite(model[1]));
}

TEST(Pacfl, SavedWithWhatClientsToldItGoesOnAlike) {
  const std::vector<Client> clients = {on_line(0), on_line(90), on_line(3, 1, 2), on_line(88, 2, 1)};
  TinyRun whole(clients, pacfl()), resumed(clients, pacfl());
  whole.start({{0.5, 0.25}});
  whole.round({0, 1});
  Archive out = Archive::writer(Precision::f64);
  whole.algorithm->fields(out);
  const Bytes saved = out.take();
  Archive in = Archive::reader(saved, Precision::f64);
  resumed.algorithm->fields(in);
  in.expect_end();
  resumed.rounds = 1;
  for (TinyRun* run : {&whole, &resumed}) run->round({0, 2, 3});
  EXPECT_EQ(groups(resumed), (Groups{0, 1, 0, 1}));
  EXPECT_EQ(resumed.models(), whole.models());
}

TEST(Pacfl, RefusesOptionsWithoutMeaning) {
  for (const char* toml :
       {"directions = 0", "rule = \"largest\"", "threshold = -1.0", "linkage = \"ward\""}) {
    EXPECT_THROW(make_plugin<Algorithm>("pacfl", toml), Error) << toml;
  }
}

// Classes at right angles: e1 and e2; the same with labels swapped; the first class alone, beside e1.
GivenFederation of_classes() {
  return GivenFederation({samples_of({{{1, 0}, 0}, {{0, 2}, 1}}, 2),
                          samples_of({{{0, 2}, 0}, {{1, 0}, 1}}, 2),
                          samples_of({{{cosine(6), sine(6)}, 0}}, 2)});
}
Groups groups_of_classes(const std::string& toml) {
  ClassRun::Choices choices;
  choices.algorithm = "pacfl";
  choices.algorithm_toml = toml;
  ClassRun run(of_classes(), choices);
  run.start();
  run.round({0, 1, 2});
  return groups(run);
}

TEST(Pacfl, AClassIsComparedWithTheSameClass) {
  EXPECT_EQ(groups_of_classes(""), (Groups{0, 1, 0}));
  EXPECT_EQ(groups_of_classes("rule = \"sum\""), (Groups{0, 1, 0}));
  EXPECT_EQ(groups_of_classes("by_class = false\ndirections = 1\nrule = \"sum\""), (Groups{0, 0, 1}))
      << "0 and 1 have the same samples, of which (0, 2) is first";
}

// Agreement with the four angles of digits.
double found_on_digits(const std::string& alpha, const std::string& participation, const std::string& more,
                       std::uint64_t seed) {
  const std::string text = "seed = " + std::to_string(seed) +
                           "\n[data]\nsource = \"digits\"\n[[shift]]\nkind = \"rotate\"\n"
                           "angles = [0, 90, 180, 270]\n[clients]\ncount = 40\nreuse = \"per-cluster\"\n"
                           "partition = \"dirichlet\"\nminimum = 8\nalpha = " +
                           alpha +
                           "\n[model]\nkind = \"mlp\"\nhidden = [16]\n[local]\nbatch = 16\nrate = 0.2\n" +
                           "[rounds]\ncount = 20\nparticipation = " + participation + "\n" + more;
  Problems problems;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  Session session(config, "", 2, "");
  session.start();
  for (std::uint32_t t = 1; t <= 20; ++t) session.round(t);
  Record record;
  Registry<Metric>::instance().make("ari")->measure(session.evaluate(20, false), record);
  return record.number("ari");
}

TEST(Pacfl, FindsTheAnglesOfDigits) {
  const std::string text = "[clusters]\ncount = 4\ninit = \"random\"\n[algorithm]\nkind = \"pacfl\"\n";
  for (const std::uint64_t seed : {1, 2}) {
    EXPECT_EQ(found_on_digits("0.5", "0.25", text, seed), 1) << seed;
    EXPECT_EQ(found_on_digits("0.5", "0.25", text + "[algorithm.pacfl]\nrule = \"sum\"\n", seed), 1) << seed;
  }
}

// --- the distance of tier 4
// ---------------------------------------------------------------------------------

// 30 degrees in the first class, 60 in the second; the third client has no second class.
TEST(PacflTier, DistancesAreMeanAnglesOverClassesByTheWeightsOfBoth) {
  const ClassRun run(of_classes(), {});
  const auto distance = Registry<TierDistance>::instance().make("principal-angles");
  const TierOptions options;
  distance->prepare(options, *run.setting);
  EXPECT_EQ(distance->trace_size(), 4u);
  std::vector<Told> told(3);
  told[0].trace = {1, 0, 0, 1};
  told[1].trace = {cosine(30), sine(30), sine(60), cosine(60)};
  told[2].trace = {0, 1, 0, 0};
  const Vec weights = {1, 0.5, 1};
  std::vector<const Told*> who;
  for (std::size_t i = 0; i < 3; ++i) {
    told[i].weights = {weights[i]};
    who.push_back(&told[i]);
  }
  const Vec got = distance->matrix(who, 0, {}), want = {0,    0.25,    1,        // 45, 90 degrees
                                                        0.25, 0,       1.0 / 3,  // 45, 60
                                                        1,    1.0 / 3, 0};
  for (std::size_t j = 0; j < want.size(); ++j) EXPECT_NEAR(got[j], want[j], 1e-12) << j;
}

// Two pairs of clients whose first class lies on lines 60 degrees apart, and whose second is the same.
ClassRun tier_run(const std::string& algorithm, const std::string& toml) {
  const auto client = [](double degrees) {
    return samples_of({{{cosine(degrees), sine(degrees)}, 0}, {{1, 1}, 1}}, 2);
  };
  ClassRun::Choices choices;
  choices.algorithm = algorithm;
  choices.algorithm_toml = toml;
  choices.tiers_toml = "distance = \"principal-angles\"";
  choices.clusters = 1;
  return ClassRun(GivenFederation({client(0), client(60), client(0), client(60)}), choices);
}

TEST(PacflTier, HcflSplitsByIt) {
  ClassRun run = tier_run("hcfl", "backbone = \"fesem\"\neps1 = 100.0\neps2 = 1e-9");
  run.start();
  run.round({0, 1, 2, 3});
  const std::vector<Event> events = of_kind(*run.fleet, "split");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(number(events[0], "distance_within"), 0, 1e-6);
  EXPECT_NEAR(number(events[0], "distance_across"), (60.0 / 90 + 0) / 2, 1e-6);
  const ClientId moved = clusters(run).home(1);
  for (const ClientId i : {0u, 2u}) EXPECT_EQ(clusters(run).home(i), 1 - moved);
  EXPECT_EQ(clusters(run).home(3), moved);
}

// Cosines of what clients tell: (cos 60 + 1) / 2 between the pairs, 1 inside.
TEST(PacflTier, StoCflMergesByIt) {
  for (const auto& [tau, count] : {std::pair("0.8", 2u), std::pair("0.7", 1u)}) {
    ClassRun run = tier_run("stocfl", std::string("prox = 0.0\ntau = ") + tau);
    run.start();
    run.round({0, 1, 2, 3});
    EXPECT_EQ(run.models().size(), count);
    EXPECT_EQ(clusters(run).home(0), clusters(run).home(2));
    EXPECT_EQ(clusters(run).home(1), clusters(run).home(3));
  }
}

// Without being told how many there are.
TEST(PacflTier, FindsTheAnglesOfDigits) {
  const std::string text =
      "[clusters]\ncount = 1\ninit = \"random\"\n[algorithm]\nkind = "
      "\"hcfl-plus\"\n[algorithm.hcfl-plus]\nbackbone = "
      "\"fesem\"\nrho = 0.07\n"
      "[tiers]\ndistance = \"principal-angles\"\n";
  for (const std::uint64_t seed : {1, 2}) EXPECT_EQ(found_on_digits("5.0", "1.0", text, seed), 1) << seed;
}

}  // namespace
}  // namespace coterie::pacfl_test
