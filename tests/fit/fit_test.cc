#include "fit/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "coterie/error.h"
#include "fit/planted_table.h"
#include "report/table.h"

namespace coterie::fit_test {
namespace {

using Json = nlohmann::json;

Json decide(const PlantedFit& fit) {
  EXPECT_TRUE(run_fit(fit.request()).finished);
  return Json::parse(fit.decision());
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// With a contest of two candidates.
FitRequest short_request(const PlantedFit& fit, const std::string& out = "fit") {
  FitRequest request = fit.request(out);
  set_path(request.config, "fit.minutes", {1e-9, {}});
  return request;
}

TEST(FitTest, ClientsThatAreAlikeGetOneModelAndNoGroups) {
  const Json decision = decide(PlantedFit(planted_table(Planted::alike, 16, 40, 1)));
  EXPECT_EQ(decision["use"], "one-model");
  EXPECT_EQ(decision["groups"]["there_are"], "no");
  EXPECT_EQ(decision["groups"]["clusters"], 1);
  EXPECT_TRUE(decision["groups"]["members"].empty());
}

TEST(FitTest, TwoGroupsAreFoundWithTheirMembersAndWhatDescribesThem) {
  const Json decision = decide(PlantedFit(planted_table(Planted::groups, 16, 40, 2)));
  EXPECT_EQ(decision["use"], "clusters");
  EXPECT_EQ(decision["clusters"], 2);
  EXPECT_EQ(decision["groups"]["there_are"], "yes");
  EXPECT_EQ(decision["groups"]["clusters"], 2);
  const Json& members = decision["groups"]["members"];
  ASSERT_EQ(members.size(), 16u);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(members[fmt::format("c{:02}", i)], members[fmt::format("c{:02}", i % 2)]) << i;
  EXPECT_EQ(members["c00"], 0);
  EXPECT_EQ(members["c01"], 1);
  const Json& size = decision["portrait"]["associations"][0];
  EXPECT_EQ(size["column"], "size");
  EXPECT_DOUBLE_EQ(size["strength"], 1.0);
  EXPECT_LT(size["p"], 0.01);
  // Slopes of the group of c00 are 1.6 higher for each column, whose deviation is about 1.
  for (const Json& one : decision["portrait"]["coefficients"]) {
    if (one["what"] == "intercept") continue;
    EXPECT_NEAR(one["value"][0].get<double>() - one["value"][1].get<double>(), 1.6, 0.4) << one["what"];
  }
}

TEST(FitTest, GroupsHaveTheSameNumbersInTheTestAndInTheRun) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const PlantedFit fit(planted_table(Planted::groups, 12, 30, seed));
    FitRequest request = fit.request();
    set_path(request.config, "fit.clusters", {std::string("2"), {}});
    run_fit(request);
    const Json decision = Json::parse(fit.decision());
    ASSERT_EQ(decision["clusters"], 2);
    for (const std::string& line : split(read_file(fit.file("fit", "run/clients.csv")), '\n')) {
      const std::vector<std::string> cells = split(line, ',');
      if (cells[0] == "id" || cells.size() < 7) continue;
      EXPECT_EQ(std::to_string(decision["groups"]["members"][cells[1]].get<int>()), cells[6]) << line;
    }
  }
}

TEST(FitTest, CoefficientsAreInTheUnitsThatTheirWordsSay) {
  const PlantedFit fit(planted_table(Planted::groups, 16, 40, 2));
  FitRequest request = short_request(fit);
  set_path(request.config, "data.standardise", {std::string("none"), {}});
  EXPECT_TRUE(run_fit(request).finished);
  const Json plain = Json::parse(fit.decision())["portrait"];
  EXPECT_EQ(plain["unit"], "change of y for one unit of the column; the intercept: against the overall mean");
  for (const Json& one : plain["coefficients"]) {
    if (one["what"] != "intercept") {
      EXPECT_NEAR(one["value"][0].get<double>() - one["value"][1].get<double>(), 1.6, 0.4) << one["what"];
    }
  }
  request = short_request(fit, "texts");
  std::get<Table>(request.config.find("fit")->data).erase("describe");
  EXPECT_TRUE(run_fit(request).finished);
  EXPECT_EQ(
      Json::parse(fit.decision("texts"))["portrait"]["unit"],
      "change of y for one standard deviation of the column, or for a text of it against the mean over its "
      "texts; the intercept: against the overall mean");
}

TEST(FitTest, AContinuumIsShrunkAndHasNoGroups) {
  const Json decision = decide(PlantedFit(planted_table(Planted::continuum, 24, 30, 3)));
  EXPECT_EQ(decision["use"], "shrink");
  EXPECT_NE(decision["groups"]["there_are"], "yes");
}

// The same table with independent noise, and with noise of which 0.7 goes over into the next row.
TEST(FitTest, RowsThatDependOnTheirNeighboursAreWarnedOf) {
  for (const double kept : {0.0, 0.7}) {
    Stream stream(8, {.purpose = Purpose::test});
    std::string table = "who,x0,x1,size,y\n";
    for (int i = 0; i < 14; ++i) {
      double noise = stream.normal();
      for (int j = 0; j < 30; ++j) {
        noise = kept * noise + std::sqrt(1 - kept * kept) * stream.normal();
        const double x0 = stream.normal(), x1 = stream.normal();
        table += fmt::format("c{:02},{:.6f},{:.6f},small,{:.6f}\n", i, x0, x1, x0 - x1 + noise);
      }
    }
    const PlantedFit fit(table);
    EXPECT_TRUE(run_fit(short_request(fit)).finished);
    const Json decision = Json::parse(fit.decision());
    const Json& order = decision["groups"]["evidence"]["neighbours"];
    EXPECT_GT(order["pairs"], 200);
    EXPECT_NEAR(order["correlation"].get<double>(), kept == 0 ? 0 : 0.5, 0.15);
    EXPECT_EQ(decision["warnings"].dump().find("residuals of rows next to each other") != std::string::npos,
              kept > 0);
  }
}

// Each client alone cannot tell its coefficient: only clients together can.
TEST(FitTest, AColumnMayBeConstantAtEveryClient) {
  const PlantedFit fit(planted_table(Planted::alike, 14, 20, 6));
  FitRequest request = fit.request();
  FitArguments arguments;
  arguments.table = request.file;
  arguments.client = "who";
  arguments.target = "y";
  arguments.clusters = "2";
  request.config = fit_config(arguments);
  EXPECT_TRUE(run_fit(request).finished);
  const Json decision = Json::parse(fit.decision());
  EXPECT_EQ(decision["data"]["features"], 5);  // size is small or large
  EXPECT_EQ(decision["groups"]["there_are"], "no");
}

TEST(FitTest, TheChosenRunIsAnOrdinaryRunWhoseTestRowsWereHeldBack) {
  PlantedFit fit(planted_table(Planted::groups, 12, 20, 4));
  const Json decision = decide(fit);
  EXPECT_EQ(decision["run"], "run");
  const Json summary = Json::parse(read_file(fit.file("fit", "run/summary.json")));
  EXPECT_EQ(summary["clients"], 12);
  EXPECT_DOUBLE_EQ(decision["test"]["value"], summary["metrics"]["rmse"]["mean"]);
  EXPECT_EQ(decision["data"]["train_rows"], 12 * 16);
  EXPECT_EQ(decision["data"]["test_rows"], 12 * 4);
}

TEST(FitTest, TheTextFitsATerminalAndSaysWhatToUse) {
  PlantedFit fit(planted_table(Planted::groups, 16, 40, 2));
  const FitOutcome outcome = run_fit(fit.request());
  for (const std::string& line : split(outcome.text, '\n')) EXPECT_LE(display_width(line), 102u) << line;
  EXPECT_NE(outcome.text.find("  Use 2 groups: its squared error is"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("Are there groups? Yes, 2: groups fit better"), std::string::npos);
}

TEST(FitTest, WarnsOfAColumnThatIsTheSameInEveryRowOfAClient) {
  std::string table = planted_table(Planted::alike, 12, 20, 8);
  std::string changed;
  for (const std::string& line : split(table, '\n')) {
    std::vector<std::string> cells = split(line, ',');
    if (cells[0] == "c03") cells[2] = "0";
    if (!line.empty()) changed += join(cells, ",") + "\n";
  }
  const Json warnings = decide(PlantedFit(changed))["warnings"];
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const Json& one) {
    return one.get<std::string>().starts_with("column \"x1\" is 0 in every row of c03");
  })) << warnings;
}

TEST(FitTest, ResumesAfterEveryCandidateWithTheSameBytes) {
  PlantedFit fit(planted_table(Planted::groups, 12, 20, 5));
  run_fit(fit.request("whole"));
  const std::vector<std::string> steps = names_in(fit.file("whole", "steps"));
  ASSERT_GT(steps.size(), 5u);
  for (std::size_t kept = 0; kept < steps.size(); kept += 3) {
    const std::string out = "part" + std::to_string(kept);
    make_folders(fit.file(out, "steps"));
    write_atomically(fit.file(out, "fit.toml"), read_file(fit.file("whole", "fit.toml")));
    for (std::size_t k = 0; k < kept; ++k) {
      if (steps[k].ends_with(".json"))
        write_atomically(fit.file(out, "steps/" + steps[k]),
                         read_file(fit.file("whole", "steps/" + steps[k])));
    }
    FitRequest request = fit.request(out);
    request.resume = true;
    run_fit(request);
    EXPECT_EQ(fit.decision(out), fit.decision("whole")) << kept;
  }
}

// A fit of one table, then of another at the same place with --resume, and of the other by itself.
void expect_a_resumed_fit_is_new(const std::string& before, const std::string& after) {
  const PlantedFit fit(before);
  run_fit(short_request(fit, "resumed"));
  const std::string first = fit.decision("resumed");
  write_atomically(fit.request().file, after);
  FitRequest again = short_request(fit, "resumed");
  again.resume = true;
  run_fit(again);
  run_fit(short_request(fit, "fresh"));
  EXPECT_EQ(fit.decision("resumed"), fit.decision("fresh"));
  EXPECT_NE(fit.decision("resumed"), first);
}

TEST(FitTest, AResumeAfterTheTableChangedRunsTheChoiceAgain) {
  expect_a_resumed_fit_is_new(planted_table(Planted::alike, 12, 20, 11),
                              planted_table(Planted::alike, 12, 20, 12));
}

TEST(FitTest, AResumeAfterADescriptionChangedComparesGroupsWithTheNewOne) {
  const std::string before = planted_table(Planted::groups, 16, 40, 2);
  std::string after;
  for (const std::string& line : split(before, '\n')) {
    const bool first = line.starts_with("c00,");
    if (!line.empty()) after += (first ? replaced(line, ",small,", ",large,") : line) + "\n";
  }
  expect_a_resumed_fit_is_new(before, after);
}

TEST(FitTest, ANetworkHasNoTestAndTheSameReasonAfterAResume) {
  const PlantedFit fit(planted_table(Planted::alike, 8, 10, 13));
  FitRequest request = short_request(fit);
  set_path(request.config, "fit.model", {std::string("mlp"), {}});
  set_path(request.config, "rounds.count", {std::int64_t{2}, {}});
  run_fit(request);
  const std::string whole = fit.decision();
  EXPECT_NE(Json::parse(whole)["groups"]["why"].get<std::string>().find("not linear"), std::string::npos);
  request.resume = true;
  run_fit(request);
  EXPECT_EQ(fit.decision(), whole);
}

TEST(FitTest, DamagedStepsAreMadeAgain) {
  PlantedFit fit(planted_table(Planted::alike, 12, 20, 6));
  run_fit(fit.request());
  const std::string before = fit.decision();
  std::string step = read_file(fit.file("fit", "steps/one-model.json"));
  step[step.find("\"parameters\":") + 13] = '9';
  write_atomically(fit.file("fit", "steps/one-model.json"), step);
  write_atomically(fit.file("fit", "steps/local.json"), "{");
  FitRequest request = fit.request();
  request.resume = true;
  run_fit(request);
  EXPECT_EQ(fit.decision(), before);
}

TEST(FitTest, TwoThreadsGiveTheSameBytes) {
  PlantedFit fit(planted_table(Planted::continuum, 12, 20, 7));
  run_fit(fit.request("one"));
  FitRequest request = fit.request("two");
  request.threads = 2;
  run_fit(request);
  EXPECT_EQ(fit.decision("one"), fit.decision("two"));
}

TEST(FitTest, MinutesCutAfterAWholeCandidateAndSayWhere) {
  PlantedFit fit(planted_table(Planted::alike, 12, 20, 8));
  FitRequest request = fit.request();
  set_path(request.config, "fit.minutes", {1e-9, {}});
  run_fit(request);
  const Json decision = Json::parse(fit.decision());
  EXPECT_EQ(decision["cut_after"], "one-model");
  EXPECT_EQ(decision["candidates"].size(), 2u);
  EXPECT_GT(decision["candidates_planned"], 2);
  request = fit.request();  // more time, the same folder
  request.resume = true;
  run_fit(request);
  EXPECT_TRUE(Json::parse(fit.decision())["cut_after"].is_null());
}

TEST(FitTest, OneColumnToLeaveOutMayBeAText) {
  const PlantedFit fit(planted_table(Planted::alike, 8, 10, 14));
  FitRequest request = short_request(fit);
  set_path(request.config, "data.drop", {std::string("x0"), {}});
  run_fit(request);
  EXPECT_EQ(Json::parse(fit.decision())["data"]["columns"], (std::vector<std::string>{"x1", "x2"}));
}

TEST(FitTest, NamedMethodsAreListedByWhatTheyTurnOutToBe) {
  const PlantedFit fit(planted_table(Planted::groups, 12, 20, 15));
  FitRequest request = fit.request();
  std::get<Table>(request.config.find("fit")->data).erase("describe");
  set_path(request.config, "data.truth", {std::string("size"), {}});
  set_path(request.config, "rounds.count", {std::int64_t{2}, {}});
  Array methods;
  for (const char* name : {"fedavg", "local", "ditto", "oracle", "ifca"})
    methods.push_back({std::string(name), {}});
  set_path(request.config, "fit.methods", {methods, {}});
  const FitOutcome outcome = run_fit(request);
  std::map<std::string, std::pair<std::string, int>> listed;
  const Json decision = Json::parse(fit.decision());
  for (const Json& one : decision["candidates"]) {
    ASSERT_FALSE(one.contains("error")) << one;
    listed[one["name"]] = {one["use"], one["clusters"]};
  }
  using Listed = std::pair<std::string, int>;
  EXPECT_EQ(listed["method-fedavg"], (Listed{"one-model", 1}));
  EXPECT_EQ(listed["method-local"], (Listed{"local", 1}));
  EXPECT_EQ(listed["method-ditto"], (Listed{"shrink", 1}));
  EXPECT_EQ(listed["method-oracle"], (Listed{"clusters", 2}));
  EXPECT_EQ(listed["method-ifca"], (Listed{"clusters", 2}));
  EXPECT_NE(outcome.text.find("method oracle is told the true groups: it is listed, and never chosen"),
            std::string::npos);
}

TEST(FitTest, SaysWhenNoJudgedClientHasRows) {
  std::string table;  // of clients with two rows each but for one
  for (const std::string& line : split(planted_table(Planted::alike, 12, 40, 16), '\n')) {
    static std::map<std::string, int> seen;
    const std::string who = line.substr(0, line.find(','));
    if (who == "c07" || ++seen[who] <= 2) table += line + (line.empty() ? "" : "\n");
  }
  const PlantedFit fit(table);
  FitRequest request = short_request(fit);
  set_path(request.config, "evaluate.clients", {std::int64_t{1}, {}});
  const FitOutcome outcome = run_fit(request);
  EXPECT_EQ(outcome.error, "every candidate failed; fit.txt says why");
  EXPECT_NE(outcome.text.find("no client that is judged has held-out rows"), std::string::npos);
}

TEST(FitTest, NamesCannotActOnATerminalAndWhatIsNoNumberIsADash) {
  std::string table;
  for (const std::string& line : split(planted_table(Planted::alike, 1, 40, 3), '\n'))
    table += replaced(line, "c00", "c\x1b[31m\x07") + (line.empty() ? "" : "\n");
  const PlantedFit fit(table);
  const std::string text = run_fit(short_request(fit)).text;
  EXPECT_TRUE(
      std::none_of(text.begin(), text.end(), [](char c) { return c != '\n' && (c >= 0 && c < ' '); }));
  EXPECT_NE(text.find("c?[31m?"), std::string::npos) << text;
  EXPECT_EQ(read_file(fit.file("fit", "fit.txt")), text);
  const std::string page = read_file(fit.file("fit", "fit.html"));
  for (const std::string& shown : {text, page}) {
    for (const char* wrong : {" nan ", ">nan<", "\"nan", "error nan"})
      EXPECT_EQ(shown.find(wrong), std::string::npos) << wrong;
  }
}

std::string refused(const FitRequest& request) {
  try {
    run_fit(request);
  } catch (const BadConfig& e) {
    return e.what();
  }
  return "";
}

TEST(FitTest, RefusesBeforeAnythingIsWritten) {
  PlantedFit fit(planted_table(Planted::alike, 4, 20, 9));
  FitRequest request = fit.request();
  set_path(request.config, "fit.clusters", {std::string("6..2"), {}});
  EXPECT_NE(refused(request).find("fit.clusters"), std::string::npos);
  request = fit.request();
  set_path(request.config, "fit.methods", {Array{{std::string("icfa"), {}}}, {}});
  EXPECT_NE(refused(request).find("did you mean \"ifca\""), std::string::npos);
  request = fit.request();
  set_path(request.config, "data.client", {std::string("whom"), {}});
  EXPECT_NE(refused(request).find("\"who\""), std::string::npos);
  request = fit.request();
  set_path(request.config, "fit.describe", {Array{{std::string("x0"), {}}}, {}});
  EXPECT_THROW(run_fit(request), Error);
  EXPECT_FALSE(is_there(fit.file("fit", "")));
}

TEST(FitTest, RefusesATargetThatIsTheSameEverywhere) {
  std::string table = "who,x,size,y\n";
  for (int row = 0; row < 60; ++row) table += fmt::format("c{},{},small,7.5\n", row % 3, row * row % 17);
  const PlantedFit fit(table);
  EXPECT_NE(refused(fit.request()).find("target \"y\" is the same in every training row"), std::string::npos);
}

TEST(FitTest, SaysOfWhichRowsNoneCanBeHeldOut) {
  std::string table = "who,x,day,size,y\n";
  for (int row = 0; row < 60; ++row)
    table += fmt::format("c{},{},d{},small,{}\n", row % 3, row * row % 17, row % 3, row * 0.1);
  const PlantedFit fit(table);
  FitRequest request = fit.request();
  set_path(request.config, "data.group", {std::string("day"), {}});
  EXPECT_NE(refused(request).find("two training rows with different values of \"day\""), std::string::npos);
}

TEST(FitTest, OfOneClientSaysNothingFalse) {
  const PlantedFit fit(planted_table(Planted::alike, 1, 40, 3));
  const Json decision = decide(fit);
  EXPECT_EQ(decision["use"], "one-model");
  for (const Json& warning : decision["warnings"])
    EXPECT_EQ(warning.get<std::string>().find("no column helps"), std::string::npos);
}

TEST(FitTest, SaysWhenNoGroupsWereTried) {
  const PlantedFit fit(planted_table(Planted::alike, 3, 40, 3));
  bool said = false;
  const Json decision = decide(fit);
  for (const Json& warning : decision["warnings"])
    said = said || warning.get<std::string>().find("no groups were tried") == 0;
  EXPECT_TRUE(said);
}

TEST(FitTest, KeepsAFolderThatItDoesNotKnow) {
  PlantedFit fit(planted_table(Planted::alike, 12, 20, 10));
  make_folders(fit.file("fit", ""));
  write_atomically(fit.file("fit", "mine.txt"), "mine");
  EXPECT_NE(refused(fit.request()).find("holds no fit"), std::string::npos);
  run_fit(fit.request("other"));
  EXPECT_NE(refused(fit.request("other")).find("--resume"), std::string::npos);
  FitRequest changed = fit.request("other");
  changed.resume = true;
  set_path(changed.config, "seed", {std::int64_t{2}, {}});
  EXPECT_NE(refused(changed).find("other options"), std::string::npos);
}

}  // namespace
}  // namespace coterie::fit_test
