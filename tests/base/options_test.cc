#include "coterie/options.h"

#include <gtest/gtest.h>

#include "base/option_readers.h"

namespace coterie::options_test {
namespace {

// One option of every kind.
struct Sample {
  bool flag = false;
  std::int64_t count = 4;
  double rate = 0.5;
  std::string name = "plain";
  std::string kind = "ifca";
  std::optional<double> decay;
  std::optional<std::int64_t> cohort;
  std::optional<std::string> file;
  std::vector<double> shares = {0.25, 0.75};
  std::vector<std::int64_t> hidden = {64};
  std::vector<std::string> words;
  std::vector<std::vector<double>> centers;
  double train = 0.8;
  double test = 0.2;

  void options(Options& o) {
    o("flag", &flag, "a switch");
    o("count", &count, "how many", at_least(1));
    o("rate", &rate, "how fast", above(0));
    o("name", &name, "any text");
    o.choice("kind", kind, {"fedavg", "ifca", "oracle"}, "which method");
    o("decay", &decay, "how fast it ends", share());
    o("cohort", &cohort, "clients a round", at_least(1));
    o("file", &file, "a path");
    o("shares", &shares, "one for each", share());
    o("hidden", &hidden, "widths", at_least(1));
    o("words", &words, "some words");
    o("centers", &centers, "points");
    o.section("parts", "how a client's samples are divided", [&](Options& p) {
      p("train", &train, "to learn from", share());
      p("test", &test, "to be scored on", share());
      p.require(train + test <= 1, "test", "needs train + test <= 1");
    });
  }
};

struct Outcome {
  Sample sample;
  std::string complaint;
};

Outcome parse(const std::string& text) {
  Outcome outcome;
  Table table = parse_toml(text, "exp.toml");
  Problems problems;
  OptionParser parser(table, "clusters", {"exp.toml", 0}, problems);
  outcome.sample.options(parser);
  parser.finish();
  outcome.complaint = problems.text();
  return outcome;
}

TEST(OptionParser, LeavesDefaultsAlone) {
  auto [sample, complaint] = parse("");
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(sample.count, 4);
  EXPECT_EQ(sample.rate, 0.5);
  EXPECT_FALSE(sample.decay.has_value());
  EXPECT_EQ(sample.hidden, (std::vector<std::int64_t>{64}));
}

TEST(OptionParser, ReadsEveryKind) {
  auto [sample, complaint] = parse(R"(
flag = true
count = 7
rate = 0.25
name = "x"
kind = "oracle"
decay = 0.5
cohort = 10
file = "a/b"
shares = [1, 0.5]
hidden = []
words = ["a", "b"]
centers = [[1, 2], [3.5]]
parts = { train = 0.5, test = 0.5 }
)");
  EXPECT_EQ(complaint, "");
  EXPECT_TRUE(sample.flag);
  EXPECT_EQ(sample.count, 7);
  EXPECT_EQ(sample.rate, 0.25);
  EXPECT_EQ(sample.name, "x");
  EXPECT_EQ(sample.kind, "oracle");
  EXPECT_EQ(sample.decay, 0.5);
  EXPECT_EQ(sample.cohort, 10);
  EXPECT_EQ(sample.file, "a/b");
  EXPECT_EQ(sample.shares, (std::vector<double>{1, 0.5}));
  EXPECT_TRUE(sample.hidden.empty());
  EXPECT_EQ(sample.words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sample.centers, (std::vector<std::vector<double>>{{1, 2}, {3.5}}));
  EXPECT_EQ(sample.train, 0.5);
}

TEST(OptionParser, TakesAnIntegerForANumberButNotTheOtherWay) {
  EXPECT_EQ(parse("rate = 2").sample.rate, 2.0);
  EXPECT_EQ(parse("count = 4.0").complaint, "error: exp.toml:1: clusters.count = 4.0: must be an integer");
}

TEST(OptionParser, SaysWhatTypeIsWanted) {
  EXPECT_EQ(parse("rate = \"fast\"").complaint,
            "error: exp.toml:1: clusters.rate = \"fast\": must be a number");
  EXPECT_EQ(parse("flag = 1").complaint, "error: exp.toml:1: clusters.flag = 1: must be true or false");
  EXPECT_EQ(parse("name = 1").complaint, "error: exp.toml:1: clusters.name = 1: must be a string");
  EXPECT_EQ(parse("hidden = 64").complaint,
            "error: exp.toml:1: clusters.hidden = 64: must be a list of integers");
  EXPECT_EQ(parse("centers = 64").complaint,
            "error: exp.toml:1: clusters.centers = 64: must be a list of lists of numbers");
  EXPECT_EQ(parse("decay = true").complaint, "error: exp.toml:1: clusters.decay = true: must be a number");
  EXPECT_EQ(parse("parts = 3").complaint, "error: exp.toml:1: clusters.parts = 3: must be a table");
}

TEST(OptionParser, RefusesWhatIsNotFinite) {
  EXPECT_EQ(parse("rate = nan").complaint, "error: exp.toml:1: clusters.rate = nan: must be finite");
  EXPECT_EQ(parse("decay = inf").complaint, "error: exp.toml:1: clusters.decay = inf: must be finite");
  EXPECT_EQ(parse("shares = [0.5, -inf]").complaint,
            "error: exp.toml:1: clusters.shares[1] = -inf: must be finite");
}

TEST(OptionParser, AppliesRulesToEveryNumber) {
  EXPECT_EQ(parse("count = 0").complaint, "error: exp.toml:1: clusters.count = 0: must be at least 1");
  EXPECT_EQ(parse("rate = 0.0").complaint, "error: exp.toml:1: clusters.rate = 0.0: must be above 0");
  EXPECT_EQ(parse("decay = 1.5").complaint,
            "error: exp.toml:1: clusters.decay = 1.5: must be between 0 and 1");
  EXPECT_EQ(parse("hidden = [\n64,\n0,\n]").complaint,
            "error: exp.toml:3: clusters.hidden[1] = 0: must be at least 1");
  EXPECT_EQ(parse("count = 1\nrate = 1e-9\ndecay = 1").complaint, "");
}

TEST(OptionParser, SuggestsTheNearestChoiceAndKey) {
  EXPECT_EQ(parse("kind = \"icfa\"").complaint,
            "error: exp.toml:1: clusters.kind = \"icfa\" is unknown; did you mean \"ifca\"?");
  EXPECT_EQ(parse("kind = \"banana\"").complaint,
            "error: exp.toml:1: clusters.kind = \"banana\" is unknown; known are fedavg, ifca, oracle");
  EXPECT_EQ(parse("cuont = 3").complaint,
            "error: exp.toml:1: clusters.cuont is unknown; did you mean \"clusters.count\"?");
  EXPECT_EQ(parse("[parts]\ntrian = 0.5").complaint,
            "error: exp.toml:2: clusters.parts.trian is unknown; did you mean \"clusters.parts.train\"?");
  EXPECT_EQ(parse("parts = { zebra = 1 }").complaint,
            "error: exp.toml:1: clusters.parts.zebra is unknown; known are train, test");
}

TEST(OptionParser, ReportsRulesOverSeveralOptions) {
  EXPECT_EQ(parse("parts = { test = 0.5 }").complaint,
            "error: exp.toml:1: clusters.parts.test = 0.5: needs train + test <= 1");
  EXPECT_EQ(parse("[parts]\ntrain = 0.9").complaint,
            "error: exp.toml:1: clusters.parts.test: needs train + test <= 1");
}

TEST(OptionParser, ReportsAllMistakesTogetherByLine) {
  EXPECT_EQ(parse("count = 0\n"
                  "rate = \"fast\"\n"
                  "kind = \"icfa\"\n"
                  "hiden = [3]\n"
                  "flag = true\n"
                  "parts = { train = 2, test = 0 }\n")
                .complaint,
            "error: exp.toml:1: clusters.count = 0: must be at least 1\n"
            "error: exp.toml:2: clusters.rate = \"fast\": must be a number\n"
            "error: exp.toml:3: clusters.kind = \"icfa\" is unknown; did you mean \"ifca\"?\n"
            "error: exp.toml:4: clusters.hiden is unknown; did you mean \"clusters.hidden\"?\n"
            "error: exp.toml:6: clusters.parts.train = 2: must be between 0 and 1");
}

TEST(OptionParser, KeepsTheDefaultWhereAValueIsWrong) {
  Sample sample = parse("hidden = [8, 0]\ncount = 0").sample;
  EXPECT_EQ(sample.hidden, (std::vector<std::int64_t>{64}));
  EXPECT_EQ(sample.count, 4);
}

TEST(OptionParser, LeavesClaimedKeysToOthers) {
  Table table = parse_toml("other = { x = 1 }\n", "exp.toml");
  Problems problems;
  OptionParser parser(table, "", {"exp.toml", 0}, problems);
  EXPECT_TRUE(parser.has("other"));
  EXPECT_FALSE(parser.has("x"));
  parser.claim("other");
  parser.finish();
  EXPECT_TRUE(problems.empty()) << problems.text();
}

TEST(OptionParser, SaysWhereAKeyLivesThatIsUnknownHere) {
  const std::vector<std::string> keys{"clients.count", "clusters.count", "model.l2", "x.often", "y.often",
                                      "z.often",       "v.often",        "w.often",  "u.often"};
  auto complaint = [&](const std::string& toml) {
    Problems problems;
    Table table = parse_toml(toml, "exp.toml");
    OptionParser parser(table, "algorithm.odcl", {"exp.toml", 0}, problems);
    parser.directory(keys);
    double lambda = 1;
    parser("l3", &lambda, "near l2");
    parser.section("inner", "", [](Options&) {});
    parser.finish();
    return problems.text();
  };
  EXPECT_EQ(complaint("l2 = 1"),
            "error: exp.toml:1: algorithm.odcl.l2 is unknown; did you mean \"model.l2\"?");
  EXPECT_EQ(complaint("inner.count = 1"),
            "error: exp.toml:1: algorithm.odcl.inner.count is unknown; did you mean \"clients.count\" or "
            "\"clusters.count\"?");
  EXPECT_EQ(complaint("often = 1"), "error: exp.toml:1: algorithm.odcl.often is unknown; known are l3, inner")
      << "too many to be of use";
}

TEST(OptionParser, ANumberInPlaceOfAChoiceSaysWhatTheOptionIsFor) {
  Problems problems;
  Table table = parse_toml("count = 4", "exp.toml");
  OptionParser parser(table, "algorithm.odcl", {"exp.toml", 0}, problems);
  std::string count = "given";
  parser.choice("count", count, {"given", "elbow"}, "clusters.count, or chosen");
  EXPECT_EQ(problems.text(),
            "error: exp.toml:1: algorithm.odcl.count = 4: must be \"given\" or \"elbow\" (clusters.count, or "
            "chosen)");
}

TEST(OptionParser, KnowsItsPath) {
  Problems problems;
  const Table none;
  OptionParser parser(none, "algorithm.odcl", {}, problems);
  EXPECT_EQ(parser.path(), "algorithm.odcl");
  std::string inside;
  parser.section("convex", "", [&](Options& o) { inside = o.path(); });
  EXPECT_EQ(inside, "algorithm.odcl.convex");
  EXPECT_EQ(OptionLister().path(), "");
}

TEST(OptionLister, DocumentsEveryOption) {
  Sample sample;
  OptionLister lister;
  sample.options(lister);
  auto doc = [&](const std::string& name) {
    for (const OptionDoc& d : lister.docs) {
      if (d.name == name) return d.kind + " | " + d.fallback + " | " + d.rule + " | " + d.sentence;
    }
    return std::string("missing");
  };
  EXPECT_EQ(lister.docs.size(), 15u);
  EXPECT_EQ(doc("flag"), "true or false | false |  | a switch");
  EXPECT_EQ(doc("count"), "integer | 4 | must be at least 1 | how many");
  EXPECT_EQ(doc("rate"), "number | 0.5 | must be above 0 | how fast");
  EXPECT_EQ(doc("kind"), "one of fedavg, ifca, oracle | \"ifca\" |  | which method");
  EXPECT_EQ(doc("decay"), "number |  | must be between 0 and 1 | how fast it ends");
  EXPECT_EQ(doc("hidden"), "list of integers | [64] | must be at least 1 | widths");
  EXPECT_EQ(doc("centers"), "list of lists of numbers | [] |  | points");
  EXPECT_EQ(doc("parts.train"), "number | 0.8 | must be between 0 and 1 | to learn from");
}

TEST(OptionWriter, WritesWhatTheParserReadsBack) {
  Sample sample;
  sample.flag = true;
  sample.rate = 1.0 / 3;
  sample.cohort = 12;
  sample.centers = {{1, 2}, {}};
  sample.train = 0.1;
  Table table;
  OptionWriter writer(table);
  sample.options(writer);
  EXPECT_EQ(table.find("decay"), nullptr);

  auto [again, complaint] = parse(write_toml(table));
  EXPECT_EQ(complaint, "");
  EXPECT_TRUE(again.flag);
  EXPECT_EQ(again.rate, 1.0 / 3);
  EXPECT_EQ(again.cohort, 12);
  EXPECT_EQ(again.centers, sample.centers);
  EXPECT_EQ(again.train, 0.1);
  EXPECT_FALSE(again.decay.has_value());
}

TEST(Rules, SayWhatTheyAllow) {
  EXPECT_EQ(at_most(0.5).text, "must be at most 0.5");
  EXPECT_TRUE(at_most(0.5).holds(0.5));
  EXPECT_FALSE(at_most(0.5).holds(0.51));
  EXPECT_TRUE(between(1, 2).holds(2));
  EXPECT_FALSE(between(1, 2).holds(0.99));
  EXPECT_FALSE(above(1).holds(1));
}

}  // namespace
}  // namespace coterie::options_test
