#include "run/config.h"

#include <gtest/gtest.h>

namespace coterie::config_test {
namespace {

std::string problems_of(const std::string& text) {
  Problems problems;
  read_config(parse_toml(text, "exp.toml"), "exp.toml", problems);
  return problems.text();
}

TEST(Config, EverythingHasADefault) {
  Problems problems;
  Config config = read_config(Table{}, "exp.toml", problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  EXPECT_EQ(config.federation.source_name, "digits");
  EXPECT_EQ(config.algorithm_kind, "fedavg");
  EXPECT_NE(config.model, nullptr);
}

TEST(Config, FiveMistakesAreFiveErrorsWithTheirLines) {
  std::string text = problems_of(R"(seed = -1
[data]
source = "digit"
[clusters]
count = 0
[algorithm]
kind = "icfa"
[rounds]
cout = 5
)");
  EXPECT_NE(text.find("exp.toml:1: seed = -1: must be at least 0"), std::string::npos) << text;
  EXPECT_NE(text.find("exp.toml:3: data.source = \"digit\" is unknown; did you mean \"digits\"?"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("exp.toml:5: clusters.count = 0: must be at least 1"), std::string::npos) << text;
  EXPECT_NE(text.find("exp.toml:7: algorithm.kind = \"icfa\" is unknown; did you mean \"ifca\"?"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("exp.toml:9: rounds.cout is unknown; did you mean \"rounds.count\"?"),
            std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(Config, ChecksTablesOfMethodsNotInUse) {
  EXPECT_NE(problems_of("[algorithm]\nkind = \"fedavg\"\n[algorithm.fedprox]\nmu = -1\n")
                .find("algorithm.fedprox.mu"),
            std::string::npos);
  EXPECT_NE(problems_of("[algorithm.fedprox]\nnu = 1\n").find("exp.toml:2"), std::string::npos);
  EXPECT_EQ(problems_of("[algorithm.fedprox]\nmu = 1\n"), "");
}

TEST(Config, AShiftIsDealtInOneWay) {
  const std::string shift = "[[shift]]\nkind = \"rotate\"\n";
  EXPECT_NE(
      problems_of(shift + "variants = [0, 1]\nshares = [0.5, 0.5, 0, 0]\n").find("shares must be left out"),
      std::string::npos);
  EXPECT_NE(problems_of(shift + "variants = [0, 1]\ndeal = \"random\"\n").find("deal must be left out"),
            std::string::npos);
  EXPECT_NE(problems_of(shift + "deal = \"evenly\"\n").find("\"random\", \"in-turn\" or \"in-blocks\""),
            std::string::npos);
  Problems problems;
  const std::string text = "variants = [1, 0, 3]\nshared_tests = false\n";
  const Config listed = read_config(parse_toml(shift + text, "exp.toml"), "exp.toml", problems);
  const Config drawn =
      read_config(parse_toml(shift + "deal = \"random\"\n", "exp.toml"), "exp.toml", problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  EXPECT_EQ(listed.federation.shifts[0].variants, (std::vector<std::int64_t>{1, 0, 3}));
  EXPECT_FALSE(listed.federation.shifts[0].shared_tests);
  EXPECT_EQ(drawn.federation.shifts[0].deal, "random");
  EXPECT_TRUE(drawn.federation.shifts[0].shared_tests);
}

TEST(Config, AWrongNameIsOneErrorHoweverManyOptionsFollow) {
  EXPECT_EQ(problems_of("[model]\nkind = \"mpl\"\nhidden = [8]\nl2 = 0.1\n"),
            "error: exp.toml:2: model.kind = \"mpl\" is unknown; did you mean \"mlp\"?");
}

TEST(Config, MetricsAreNamedAloneOrInAList) {
  EXPECT_EQ(problems_of("[evaluate]\nmetrics = \"all\"\n"), "");
  EXPECT_EQ(problems_of("[evaluate]\nmetrics = [\"auc\", \"balanced-accuracy\"]\n"), "");
  EXPECT_EQ(
      problems_of("[evaluate]\nmetrics = [\"auc\", \"balanced_accuracy\"]\n"),
      "error: exp.toml:2: evaluate.metrics = [\"auc\", \"balanced_accuracy\"]: \"balanced_accuracy\" is "
      "unknown; did you mean \"balanced-accuracy\"?");
}

// The runs of a sweep are read one after the other into one list, which holds a problem once.
TEST(Config, AWrongNameIsOneErrorInASweepToo) {
  Problems problems;
  const Table table = parse_toml(
      "[data]\nsource = \"digit\"\nclasses = 3\n[model]\nkind = \"mpl\"\nhidden = [8]\n", "exp.toml");
  for (int run = 0; run < 2; ++run) read_config(table, "exp.toml", problems);
  EXPECT_EQ(problems.text(),
            "error: exp.toml:2: data.source = \"digit\" is unknown; did you mean \"digits\"?\n"
            "error: exp.toml:5: model.kind = \"mpl\" is unknown; did you mean \"mlp\"?");
}

TEST(Config, SaysWhichPluginHasNoSuchOption) {
  const std::string model = problems_of("[model]\nkind = \"softmax\"\nhidden = [8]\n");
  EXPECT_EQ(
      model.find("error: exp.toml:3: model.kind = \"softmax\" has no option \"hidden\"; known are kind"), 0u)
      << model;
  const std::string shift = problems_of("[[shift]]\nkind = \"label-noise\"\nangles = [0, 90]\n");
  EXPECT_EQ(
      shift.find("error: exp.toml:3: shift.0.kind = \"label-noise\" has no option \"angles\"; known are "),
      0u)
      << shift;
}

TEST(Config, SaysWhatAnOptionIsCalledNow) {
  EXPECT_EQ(problems_of("[clients]\nassign = \"random\"\n"),
            "error: exp.toml:2: clients.assign is now called \"clients.deal\"");
  EXPECT_EQ(problems_of("[[shift]]\nkind = \"rotate\"\nassign = \"random\"\n"),
            "error: exp.toml:3: shift.0.assign is now called \"shift.0.deal\"");
}

TEST(Config, NamesThePlaceOfAnOptionThatIsGivenInTheWrongTable) {
  EXPECT_NE(problems_of("[clusters]\ninit = \"restarts\"\ntrials = 3\n")
                .find("exp.toml:3: clusters.trials is unknown; did you mean \"clusters.restarts.trials\"?"),
            std::string::npos);
}

TEST(Config, NamesTheSectionOfAnOptionThatIsGivenElsewhere) {
  EXPECT_EQ(problems_of("[algorithm.ifca]\nl2 = 0.1\n"),
            "error: exp.toml:2: algorithm.ifca.l2 is unknown; did you mean \"model.l2\"?");
  EXPECT_EQ(problems_of("count = 3\n"),
            "error: exp.toml:1: count is unknown; did you mean \"clients.count\", \"clusters.count\", "
            "\"model.count\", \"rounds.count\" or \"unseen.count\"?");
  const std::string count = problems_of("[algorithm.odcl]\ncount = 4\n");
  EXPECT_NE(count.find("algorithm.odcl.count = 4: must be \"given\""), std::string::npos) << count;
  EXPECT_NE(count.find("clusters.count"), std::string::npos) << count;
}

TEST(Config, ListsTablesOfMethodsAndStartsThatAreNotInUse) {
  Problems problems;
  Config config = read_config(parse_toml("[clusters]\ninit = \"restarts\"\n[clusters.restarts]\ntrials = 3\n"
                                         "[clusters.odcl]\n[algorithm.ifca]\n[algorithm.fedavg]\n",
                                         "exp.toml"),
                              "exp.toml", problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  ASSERT_EQ(config.unused.size(), 2u);
  EXPECT_EQ(config.unused[0].name, "clusters.odcl");
  EXPECT_EQ(config.unused[0].where.text(), "exp.toml:5");
  EXPECT_EQ(config.unused[1].name, "algorithm.ifca");
}

TEST(Config, RefusesToAskMoreClientsThanItNames) {
  EXPECT_NE(problems_of("[clients]\ncount = 10\n[rounds]\ncohort = 11\n")
                .find("exp.toml:4: rounds.cohort = 11: there are only 10 clients"),
            std::string::npos);
  EXPECT_EQ(problems_of("[clients]\ncount = 10\n[rounds]\ncohort = 10\n"), "");
}

TEST(Config, OwnersAreTheClientsUnlessAPartitionIsNamed) {
  auto partition_of = [](const std::string& text) {
    Problems problems;
    Config config = read_config(parse_toml(text, "exp.toml"), "exp.toml", problems);
    EXPECT_TRUE(problems.empty()) << problems.text();
    return config.partition;
  };
  std::string csv = "[data]\nsource = \"csv\"\nfile = \"x.csv\"\ntarget = \"y\"\n";
  EXPECT_EQ(partition_of(csv), "iid");
  EXPECT_EQ(partition_of(csv + "client = \"site\"\n"), "natural");
  EXPECT_EQ(partition_of(csv + "client = \"site\"\n[clients]\npartition = \"iid\"\n"), "iid");
}

TEST(Config, RefusesAnAttackWithoutMeaning) {
  const std::string found =
      problems_of("[algorithm]\nkind = \"local\"\n[attack]\nfraction = 0.2\nkind = \"nan\"\n");
  EXPECT_EQ(found.find("error: exp.toml:5: attack.kind"), 0u) << found;
  EXPECT_NE(found.find("send no vectors"), std::string::npos) << found;
  EXPECT_EQ(problems_of("[algorithm]\nkind = \"fedem\"\n[attack]\nkind = \"nan\"\n"), "");
}

TEST(Config, RefusesAShareAndANumberAtOnce) {
  EXPECT_NE(problems_of("[rounds]\nparticipation = 0.5\ncohort = 3\n").find("not both"), std::string::npos);
}

TEST(Config, RefusesSectionsOfTheWrongForm) {
  EXPECT_NE(problems_of("data = 3\n").find("must be a table"), std::string::npos);
  EXPECT_NE(problems_of("[shift]\nkind = \"rotate\"\n").find("[[shift]]"), std::string::npos);
  EXPECT_NE(problems_of("[[shift]]\nangles = [0]\n").find("needs a kind"), std::string::npos);
  EXPECT_NE(problems_of("[modell]\nkind = \"mlp\"\n").find("did you mean \"model\"?"), std::string::npos);
}

// Writing out every default and reading it again changes nothing.
TEST(Config, ResolvedReadsBackToItself) {
  std::string text = R"(
name = "a \"quoted\" name"
seed = 7
precision = "double"
[data]
source = "mixed-linear"
clusters = 3
dimension = 5
noise = 0.1
[[shift]]
kind = "label-noise"
[clients]
count = 9
samples = 20
partition = "iid"
[model]
kind = "linear"
intercept = false
[clusters]
count = 3
init = "random"
[algorithm]
kind = "ifca"
[algorithm.ifca]
average = "gradients"
[local]
solver = "gd"
rate = 0.01
[rounds]
cohort = 4
)";
  Problems problems;
  Config first = read_config(parse_toml(text, "a"), "a", problems);
  EXPECT_TRUE(problems.empty()) << problems.text();
  std::string once = write_toml(first.resolved());
  Config second = read_config(parse_toml(once, "b"), "b", problems);
  EXPECT_TRUE(problems.empty()) << problems.text() << once;
  EXPECT_EQ(write_toml(second.resolved()), once);
  EXPECT_EQ(second.rounds.cohort, 4);
  EXPECT_EQ(second.name, "a \"quoted\" name");
}

}  // namespace
}  // namespace coterie::config_test
