// Every registered attack in runs on the embedded digits: ten clients in two clusters, three rounds of ifca.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "coterie/run.h"
#include "run/session.h"
#include "support/temp_folder.h"

namespace coterie::runs_test {
namespace {

struct Given {
  std::string attack;  // the lines of [attack]
  std::string more;
  std::string fleet = "kind = \"threads\"";
  unsigned threads = 1;
};

std::string toml_of(const Given& given) {
  return "[[shift]]\nkind = \"rotate\"\nangles = [0, 90]\n[clients]\ncount = 10\n[clusters]\ncount = 2\ninit "
         "= \"random\"\n"
         "[model]\nkind = \"mlp\"\nhidden = [4]\n[local]\nsolver = \"sgd\"\nrate = 0.2\n"
         "[algorithm]\nkind = \"ifca\"\n[rounds]\ncount = 3\n[fleet]\nquorum = 0\n" +
         given.fleet + "\n" + given.more + (given.attack.empty() ? "" : "[attack]\n" + given.attack);
}

Config config_of(const Given& given) {
  Problems problems;
  Config config = read_config(parse_toml(toml_of(given), "test"), "test", problems);
  problems.raise_if_any();
  return config;
}

std::vector<Vec> models_of(const Given& given, std::uint32_t rounds = 3) {
  const Config config = config_of(given);
  Session session(config, "", given.threads, "");
  session.start();
  for (std::uint32_t t = 1; t <= rounds; ++t) session.round(t);
  return session.algorithm().offer().models;
}

std::string kind(const std::string& name, const std::string& more = "fraction = 0.3\n") {
  return "kind = \"" + name + "\"\n" + more;
}

class EveryAttack : public testing::TestWithParam<std::string> {};

TEST_P(EveryAttack, WithoutLiarsGivesTheBitsOfNoAttack) {
  EXPECT_EQ(models_of({kind(GetParam(), "fraction = 0\n"), ""}), models_of({"", ""}));
}

TEST_P(EveryAttack, ChangesTheModelsUnlessItIsNone) {
  EXPECT_EQ(models_of({kind(GetParam()), ""}) == models_of({"", ""}), GetParam() == "none");
}

TEST_P(EveryAttack, GivesTheSameBitsOnEveryFleet) {
  const std::vector<Vec> expected = models_of({kind(GetParam()), ""});
  EXPECT_EQ(models_of({kind(GetParam()), "", "kind = \"threads\"\nblock = 1", 1}), expected)
      << "client by client";
  EXPECT_EQ(models_of({kind(GetParam()), "", "kind = \"threads\"", 2}), expected) << "two threads";
  EXPECT_EQ(models_of({kind(GetParam()), "", "kind = \"scramble\"", 1}), expected) << "over a bad network";
}

TEST_P(EveryAttack, IsHonestBeforeItsRound) {
  const std::string late = kind(GetParam(), "fraction = 0.3\nstart = 3\n");
  EXPECT_EQ(models_of({late, ""}, 2), models_of({"", ""}, 2));
  EXPECT_EQ(models_of({late, ""}, 3) == models_of({"", ""}, 3), GetParam() == "none");
}

TEST_P(EveryAttack, GoesOnFromACheckpointWithTheSameBits) {
  const Given given{kind(GetParam()), ""};
  const Config config = config_of(given), again = config_of(given);
  Session first(config, "", 1, "");
  first.start();
  first.round(1);
  first.round(2);
  Archive saved = Archive::writer(Precision::f64);
  first.save(saved);
  const Bytes bytes = saved.take();
  Session second(again, "", 1, "");
  Archive read = Archive::reader(bytes, Precision::f64);
  second.load(read);
  second.round(3);
  EXPECT_EQ(second.algorithm().offer().models, models_of(given));
}

TEST_P(EveryAttack, IsWrittenIntoTheResolvedConfigAndReadBack) {
  const Config config = config_of({kind(GetParam()), ""});
  Problems problems;
  const Table resolved = config.resolved();
  const Config again = read_config(resolved, "again", problems);
  problems.raise_if_any();
  EXPECT_EQ(write_toml(again.resolved()), write_toml(resolved));
  EXPECT_EQ(resolved.find("attack") != nullptr, GetParam() != "none");
}

INSTANTIATE_TEST_SUITE_P(Attacks, EveryAttack, testing::ValuesIn(Registry<Attack>::instance().names()),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(AttackedRuns, BadSettingsAreRefused) {
  for (const std::string bad : {"kind = \"nan\"\nfraction = 1.0\n", "kind = \"nan\"\nfraction = -0.1\n",
                                "kind = \"nan\"\nstart = -1\n", "kind = \"nann\"\n", "fraction = 0.2\n",
                                "kind = \"nan\"\nscale = 3\n"}) {
    EXPECT_THROW(config_of({bad, ""}), BadConfig) << bad;
  }
  const Config local = [] {
    Problems problems;
    return read_config(parse_toml("[algorithm]\nkind = \"local\"\n[attack]\nkind = \"nan\"\n", "test"),
                       "test", problems);
  }();
  EXPECT_THROW(Session(local, "", 1, ""), BadConfig);
}

TEST(AttackedRuns, JudgesHonestClientsOnly) {
  const Config config = config_of({kind("sign-flip"), ""});
  Session session(config, "", 1, "");
  ASSERT_EQ(session.liars().size(), 3u);
  session.start();
  session.round(1);
  std::size_t training = 0;
  for (const ClientScore& score : session.evaluate(1, true).scores) {
    if (score.role != Role::train) continue;
    ++training;
    EXPECT_EQ(std::count(session.liars().begin(), session.liars().end(), score.client), 0);
  }
  EXPECT_EQ(training, 7u);
  EXPECT_EQ(session.evaluator().judged(), 7u);
}

TEST(AttackedRuns, AShareThatIsNobodyIsSaid) {
  auto warnings = [](const std::string& fraction) {
    const Config config = config_of({kind("sign-flip", "fraction = " + fraction + "\n"), ""});
    Session session(config, "", 1, "");
    session.report_notes();
    std::string all;
    for (const Event& event : session.fleet().take_events()) all += event.text + "\n";
    return all;
  };
  EXPECT_NE(
      warnings("0.04").find("attack.fraction = 0.04 of 10 clients is less than half a client: nobody lies"),
      std::string::npos);
  EXPECT_EQ(warnings("0.0").find("nobody lies"), std::string::npos);
  EXPECT_EQ(warnings("0.1").find("nobody lies"), std::string::npos);
}

// Liars whose gradients are no numbers are nobody's neighbours, so that each is a group of its own.
TEST(AttackedRuns, GroupsOfClientsCountHonestOnesOnly) {
  TempFolder folder;
  RunRequest request;
  request.text =
      "[clients]\ncount = 10\n[algorithm]\nkind = \"federated-clustering\"\n"
      "[algorithm.federated-clustering]\nrule = \"fixed\"\nradius = 1000\n"
      "[rounds]\ncount = 1\n[fleet]\nquorum = 0\n[attack]\nkind = \"nan\"\nfraction = 0.3\n";
  request.file = "test.toml";
  request.out = folder.file("run");
  request.threads = 1;
  request.quiet = true;
  ASSERT_TRUE(run_experiment(request).at(0).finished);
  std::ifstream summary_file(request.out + "/summary.json");
  const nlohmann::json summary = nlohmann::json::parse(summary_file);
  EXPECT_EQ(summary["liars"], 3);
  EXPECT_EQ(summary["clusters"], 1) << "the seven honest ones";
}

TEST(AttackedRuns, TheRunFolderSaysWhoLied) {
  TempFolder folder;
  RunRequest request;
  request.text = toml_of({kind("nan"), ""});
  request.file = "test.toml";
  request.out = folder.file("run");
  request.threads = 1;
  request.quiet = true;
  ASSERT_TRUE(run_experiment(request).at(0).finished);

  const std::vector<ClientId> liars = config_of({kind("nan"), ""}).attack.choose(10, 1);
  std::ifstream clients(request.out + "/clients.csv");
  std::vector<ClientId> written;
  std::size_t rows = 0;
  for (std::string line; std::getline(clients, line); ++rows) {
    if (line.find(",liar,") != std::string::npos) written.push_back(static_cast<ClientId>(std::stoul(line)));
  }
  EXPECT_EQ(written, liars);
  EXPECT_EQ(rows, 1u + 10 + 2) << "a header, the clients, a test set for each cluster";

  std::ifstream summary_file(request.out + "/summary.json");
  const nlohmann::json summary = nlohmann::json::parse(summary_file);
  EXPECT_EQ(summary["attack"], "nan");
  EXPECT_EQ(summary["liars"], 3);
  EXPECT_EQ(summary["judged"], 7);

  std::ifstream events(request.out + "/events.jsonl");
  std::size_t said = 0, rejected = 0;
  for (std::string line; std::getline(events, line);) {
    const nlohmann::json event = nlohmann::json::parse(line);
    if (event["kind"] == "rejected") ++rejected;
    if (event["kind"] != "liars") continue;
    ++said;
    std::ostringstream list;
    for (const ClientId liar : liars) list << (list.str().empty() ? "" : ", ") << liar;
    EXPECT_NE(event["text"].get<std::string>().find("3 of 10 clients lie (nan)"), std::string::npos);
    EXPECT_NE(event["text"].get<std::string>().find(": " + list.str()), std::string::npos);
  }
  EXPECT_EQ(said, 1u);
  EXPECT_EQ(rejected, 9u) << "three liars in three rounds";
}

}  // namespace
}  // namespace coterie::runs_test
