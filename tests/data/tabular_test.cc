#include "data/formats/tabular.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/error_text.h"
#include "data/table_scaling.h"

namespace coterie::tabular_test {
namespace {

const char* const kPatients =
    "site,age,smokes,group,bp\n"
    "b,30,yes,1,120\n"
    "a,40,no,0,130\n"
    "b,?,yes,1,125\n"
    "c,50,NA,2,\n"
    "a,60,no,1,140\n";

std::vector<float> features(const Pool& pool) { return std::get<std::vector<float>>(pool.train.features); }

// As one client would have it.
Pool pool_of(const TabularSpec& spec, const char* text = kPatients, bool floats = true) {
  Pool pool = make_pool(spec, Sheet(text, "p.csv", ','), floats);
  if (pool.table) settle_alone(pool, floats);
  return pool;
}
std::string error_of(const TabularSpec& spec, const char* text = kPatients) {
  return error_text<Error>([&] { pool_of(spec, text); });
}

TEST(Tabular, MakesFeaturesClassesAndOwners) {
  TabularSpec spec;
  spec.client = "site";
  spec.target = "group";
  spec.drop = {"bp"};
  spec.standardise = "none";
  Pool pool = pool_of(spec);
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::classification, .width = 4, .classes = 3}));
  // age with the mean of 30, 40, 50, 60 filled in; then smokes: no, yes, missing.
  EXPECT_EQ(features(pool), (std::vector<float>{30, 0, 1, 0,  //
                                                40, 1, 0, 0,  //
                                                45, 0, 1, 0,  //
                                                50, 0, 0, 1,  //
                                                60, 1, 0, 0}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{1, 0, 1, 2, 1}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{1, 0, 1, 2, 0}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(pool.test.size(), 0u);
  ASSERT_TRUE(pool.table);
  const TableSchema& table = *pool.table;
  ASSERT_EQ(table.features.size(), 4u);
  EXPECT_EQ(table.features[0].column, "age");
  EXPECT_FALSE(table.features[0].value);
  EXPECT_EQ(table.features[0].fill, 45);
  EXPECT_EQ(table.features[0].deviation, 1);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(table.features[i].column, "smokes");
  EXPECT_EQ(table.features[1].value, "no");
  EXPECT_EQ(table.features[2].value, "yes");
  EXPECT_EQ(table.features[3].value, "");
  EXPECT_EQ(table.target, "group");
  EXPECT_EQ(table.classes.size(), 3u);
}

TEST(Tabular, LeavesOutRowsWithoutTargetAndClientsWithoutRows) {
  TabularSpec spec;
  spec.client = "site";
  spec.target = "bp";
  spec.goal.task = "regression";
  spec.drop = {"smokes", "group"};
  spec.standardise = "none";
  spec.goal.standardise = false;
  Pool pool = pool_of(spec);
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::regression, .width = 1}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{120, 130, 125, 140}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(pool.notes.size(), 2u);
  EXPECT_NE(pool.notes[1].find("1 of the clients"), std::string::npos) << pool.notes[1];
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{1, 0, 1, 0}));
  EXPECT_NEAR(features(pool)[2], 130.0 / 3, 1e-5);  // the mean of the rows that are left
}

TEST(Tabular, ImputesAsAsked) {
  TabularSpec spec;
  spec.target = "group";
  spec.drop = {"site", "bp"};
  spec.standardise = "none";
  spec.impute = "zero";
  EXPECT_EQ(features(pool_of(spec))[2 * 4], 0);
  spec.impute = "drop-row";
  Pool pool = pool_of(spec);
  EXPECT_EQ(features(pool), (std::vector<float>{30, 0, 1, 40, 1, 0, 60, 1, 0}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{1, 0, 1}));
  EXPECT_TRUE(pool.owners.empty());
}

TEST(Tabular, StandardisesNumbersButNotCategories) {
  TabularSpec spec;
  spec.target = "bp";
  spec.goal.task = "regression";
  Pool pool = pool_of(spec, "x,c,k,bp\n1,u,7,10\n3,v,7,20\n");
  // x: mean 2, deviation 1; k is constant.
  EXPECT_EQ(features(pool), (std::vector<float>{-1, 1, 0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{-1, 1}));
}

TEST(Tabular, KeepsDoublesForARunInDouble) {
  TabularSpec spec;
  spec.target = "y";
  spec.standardise = "none";
  const char* const text = "x,y\n0.1,0\n1e300,1\n";
  EXPECT_EQ(std::get<std::vector<double>>(pool_of(spec, text, false).train.features),
            (std::vector<double>{0.1, 1e300}));
  EXPECT_EQ(error_of(spec, text),
            "column \"x\": has numbers that are too large for float, such as 1e+300; use standardise = "
            "\"clients\" or precision = \"double\"");
}

TEST(Tabular, StandardisesNumbersOfAnySize) {
  TabularSpec spec;
  spec.target = "y";
  for (const char* text : {"x,y\n-1e308,0\n1e308,1\n", "x,y\n-1e-320,0\n1e-320,1\n"}) {
    EXPECT_EQ(features(pool_of(spec, text)), (std::vector<float>{-1, 1})) << text;
  }
  // What is missing becomes the mean, also where the sum has no place in a number.
  const Pool pool = pool_of(spec, "x,y\n1e308,0\n1e308,1\n1.6e308,1\n?,0\n");
  EXPECT_NEAR(pool.table->features[0].fill, 1.2e308, 1e294);
  EXPECT_NEAR(features(pool)[3], 0, 1e-6);
}

TEST(Tabular, QuotesAFewCharactersOfALongCell) {
  TabularSpec spec;
  spec.target = "y";
  const std::string cell(10'000'000, 'z'), name(1000, 'n');
  for (const std::string& text : {"x,y\n1,0\n2,1\n" + cell + ",1\n", name + ",y\n1,0\n2,1\nz,1\n",
                                  cell + "," + cell + "\n1,2\n", cell + ",z\n1,2\n"}) {
    const std::string what = error_of(spec, text.c_str());
    EXPECT_GT(what.size(), 20u);
    EXPECT_LT(what.size(), 400u) << what.substr(0, 1000);
  }
}

TEST(Tabular, TellsClassesFromQuantities) {
  auto task = [](const char* text) {
    TabularSpec spec;
    spec.target = "y";
    return pool_of(spec, text).train.shape.task;
  };
  EXPECT_EQ(task("x,y\n1,0\n2,1\n"), Task::classification);
  EXPECT_EQ(task("x,y\n1,0.5\n2,1\n"), Task::regression);
  EXPECT_EQ(task("x,y\n1,0.5\n2,high\n"), Task::classification);
  std::string many = "x,y\n";
  for (int i = 0; i < 21; ++i) many += "0," + std::to_string(i) + "\n";
  EXPECT_EQ(task(many.c_str()), Task::regression);
}

TEST(Tabular, CutsATargetAtTheThreshold) {
  TabularSpec spec;
  spec.target = "bp";
  spec.goal.threshold = 125;
  Pool pool = pool_of(spec);
  EXPECT_EQ(pool.train.shape.classes, 2u);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 0, 1}));
}

TEST(Tabular, OneHotsTheColumnsThatAreListed) {
  TabularSpec spec;
  spec.target = "bp";
  spec.goal.task = "regression";
  spec.drop = {"site", "age"};
  spec.categorical = {"group", "smokes"};
  Pool pool = pool_of(spec);
  // smokes: no, yes, missing (of the row without target, which is left out); group: 0, 1, 2.
  EXPECT_EQ(features(pool), (std::vector<float>{0, 1, 0, 0, 1, 0,  //
                                                1, 0, 0, 1, 0, 0,  //
                                                0, 1, 0, 0, 1, 0,  //
                                                1, 0, 0, 0, 1, 0}));
}

TEST(Tabular, SaysWhatIsWrongAndWhere) {
  TabularSpec spec;
  spec.target = "gruop";
  EXPECT_EQ(error_of(spec), "p.csv: column \"gruop\" is unknown; did you mean \"group\"?");
  spec.target = "group";
  spec.drop = {"agee"};
  EXPECT_NE(error_of(spec).find("did you mean \"age\""), std::string::npos);
  TabularSpec slip;
  slip.target = "y";
  EXPECT_NE(
      error_of(slip, "x,y\n1,0\n2,1\n3O,1\n4,1\n").find("p.csv:4: column \"x\": \"3O\" is not a number"),
      std::string::npos);
  EXPECT_NE(error_of(slip, "x,y\n1,?\n2,?\n"), "");
  EXPECT_NE(error_of(slip, "y\n1\n2\n").find("no column is left"), std::string::npos);
  slip.goal.task = "regression";
  EXPECT_NE(error_of(slip, "x,y\n1,0\n2,high\n").find("p.csv:3: column \"y\": \"high\" is not a number"),
            std::string::npos);
  slip.client = "x";
  EXPECT_NE(error_of(slip, "x,z,y\n1,1,0\n,2,1\n").find("p.csv:3: column \"x\": is missing"),
            std::string::npos);
  TabularSpec large;
  large.target = "y";
  large.standardise = "none";
  EXPECT_NE(error_of(large, "x,y\n1e300,0\n2,1\n").find("too large"), std::string::npos);

  std::string names = "name,y\n";
  for (int i = 0; i <= 2001; ++i) names += "n" + std::to_string(i / 2) + "," + std::to_string(i % 2) + "\n";
  TabularSpec comment;
  comment.target = "y";
  EXPECT_NE(error_of(comment, names.c_str()).find("list it in drop"), std::string::npos);
  comment.categorical = {"name"};
  EXPECT_EQ(pool_of(comment, names.c_str()).train.shape.width, 1001u);
}

// A listed column comes on top of those that are text anyway.
TEST(Tabular, CategoricalAddsToWhatIsDetected) {
  TabularSpec spec;
  spec.target = "y";
  spec.categorical = {"k"};
  const Pool pool = pool_of(spec, "k,c,x,y\n1,u,5,0\n2,v,6,1\n1,u,7,1\n");
  std::vector<std::string> columns;
  for (const TableSchema::Feature& feature : pool.table->features) columns.push_back(feature.column);
  EXPECT_EQ(columns, (std::vector<std::string>{"k", "k", "c", "c", "x"}));
}

// Thirty rows: a name and a number that are never the same, a measurement that never is either.
std::string with_ids() {
  std::string text = "name,patient_id,humid,x,y\n";
  for (int i = 0; i < 30; ++i)
    text += fmt::format("n{},{},{},{},{}\n", i, 1000 + i, 500 + i, i * 0.37, i % 2);
  return text;
}

TEST(Tabular, LeavesOutIdentifiersWithANote) {
  TabularSpec spec;
  spec.target = "y";
  const Pool pool = pool_of(spec, with_ids().c_str());
  EXPECT_EQ(pool.train.shape.width, 2u) << "humid and x";
  ASSERT_EQ(pool.notes.size(), 2u);
  EXPECT_NE(pool.notes[0].find("column \"name\" is left out"), std::string::npos) << pool.notes[0];
  EXPECT_NE(pool.notes[1].find("column \"patient_id\" is left out"), std::string::npos) << pool.notes[1];
  spec.keep = {"patient_id"};
  EXPECT_EQ(pool_of(spec, with_ids().c_str()).train.shape.width, 3u);
  spec.categorical = {"name"};
  EXPECT_EQ(pool_of(spec, with_ids().c_str()).train.shape.width, 33u);
}

// Forty rows of numbers under a name, of which so many are different.
bool left_out(const char* name, int distinct) {
  std::string text = fmt::format("{},x,y\n", name);
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{}\n", i % distinct, i * 0.37, i % 2);
  TabularSpec spec;
  spec.target = "y";
  return pool_of(spec, text.c_str()).train.shape.width == 1;
}

TEST(Tabular, IdentifiersMayRepeatButCountsAreFeatures) {
  for (const char* name : {"id", "UNIQUE_ID", "rowId"}) {
    EXPECT_TRUE(left_out(name, 30)) << name;
    EXPECT_FALSE(left_out(name, 29)) << name;
  }
  EXPECT_TRUE(left_out("number", 40));
  EXPECT_FALSE(left_out("number", 39));
  EXPECT_FALSE(left_out("humid", 40));
}

// A column "a" of twelve texts, each a number between what comes before and after it.
std::string measures(const char* before, const char* after) {
  std::string text = "a;x;y\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("{}{}{};{};{}\n", before, 10 + i, after, i, i % 2);
  return text;
}

TEST(Tabular, SaysWhatToDoWithUnitsAndMarksOfThousands) {
  TabularSpec spec;
  spec.target = "y";
  const auto told = [&](const std::string& text) {
    return error_text<Error>([&] { make_pool(spec, Sheet(text, "p.csv", ';'), false); });
  };
  for (auto [before, after] :
       {std::pair("", " %"), {"$", ""}, {"-", "kg"}, {"", ".234,56 EUR"}, {"1,", "0,200"}}) {
    const std::string what = told(measures(before, after));
    EXPECT_NE(what.find(fmt::format("marks of thousands, such as \"{}10{}\"", before, after)),
              std::string::npos)
        << before << after << ": " << what;
  }
  for (auto [before, after] : {std::pair("F", ""), {"#", ""}, {"", "-20"}, {"192.168.", ""}, {"", "/3 kg"}})
    EXPECT_EQ(told(measures(before, after)), "") << before << after;
  EXPECT_EQ(told("a;x;y\n36 months;1;0\n60 months;2;1\n"), "") << "a few are categories";
  spec.categorical = {"a"};
  EXPECT_EQ(told(measures("", " %")), "");
}

TEST(Tabular, ATargetThatIsNearlyNumbersIsNoClass) {
  TabularSpec spec;
  spec.target = "y";
  const char* slip = "x,y\n1,2.5\n2,3.5\n3,none\n4,7.25\n";
  EXPECT_NE(error_of(spec, slip).find("p.csv:4: column \"y\": \"none\" is not a number; list it in missing"),
            std::string::npos)
      << error_of(spec, slip);
  EXPECT_NE(error_of(spec, "x,y\n1,2020-01-31\n2,2020-02-01\n").find("dates or times"), std::string::npos);
  EXPECT_NE(error_of(spec, "x,y\n1,\"2,5\"\n2,\"3,5\"\n").find("data.decimal"), std::string::npos);
  spec.goal.task = "classification";
  EXPECT_EQ(error_of(spec, slip), "");
}

TEST(Tabular, CountsRowsWithoutATarget) {
  TabularSpec spec;
  spec.target = "y";
  const Pool pool = pool_of(spec, "x,y\n1,a\n2,\n3,b\n4,?\n");
  ASSERT_EQ(pool.notes.size(), 1u);
  EXPECT_EQ(pool.notes[0], "2 of 4 rows have no target and are left out");
  EXPECT_NE(error_of(spec, "x,y\n1,\n2,\n").find("no row has a target"), std::string::npos);
}

TEST(Tabular, SaysWhatToDoWithDatesAndDecimalCommas) {
  TabularSpec spec;
  spec.target = "y";
  for (const char* date :
       {"2020-01-31", "31.1.2020", "1/31/20", "2020-01-31 14:05", "2020-01-31T14:05:06.5Z", "14:05"}) {
    const std::string text = fmt::format("when,x,y\n{},1,0\n{},2,1\n", date, date);
    const std::string what = error_of(spec, text.c_str());
    EXPECT_NE(what.find(std::string("has dates or times such as \"") + date), std::string::npos) << what;
    EXPECT_NE(what.find("day of the week"), std::string::npos);
  }
  EXPECT_EQ(error_of(spec, "part,x,y\n1-2,1,0\n3-4-5-6,2,1\n"), "");
  const std::string comma = error_of(spec, "a,x,y\n\"1,5\",1,0\n2,2,1\n\"-0,25\",3,1\n");
  EXPECT_NE(comma.find("p.csv:2: column \"a\": \"1,5\" has a comma"), std::string::npos) << comma;
  EXPECT_NE(comma.find("data.decimal"), std::string::npos);
}

TEST(Tabular, NamesColumnsThatCouldBeClients) {
  TabularSpec spec;
  spec.target = "y";
  std::string text = "site,ward,x,y\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("s{},{},{},{}\n", i % 3, i % 2, i * 0.5, i % 2);
  const Pool pool = pool_of(spec, text.c_str());
  ASSERT_EQ(pool.notes.size(), 1u);
  EXPECT_NE(pool.notes[0].find("could name them: \"site\", \"ward\""), std::string::npos) << pool.notes[0];
  spec.client = "sites";
  EXPECT_EQ(
      error_of(spec, text.c_str()),
      "p.csv: client: column \"sites\" is unknown; did you mean \"site\"?; columns that could name clients: "
      "\"site\", \"ward\"");
}

const char* const kRoles =
    "who,group,part,w,x,y\n"
    "b,south,train,1,1,0\n"
    "a,north,VAL,2,2,1\n"
    "b,,test,0.5,3,1\n"
    "a,north,train,0,4,0\n";

TabularSpec roles() {
  TabularSpec spec;
  spec.client = "who";
  spec.truth = "group";
  spec.split = "part";
  spec.weight = "w";
  spec.target = "y";
  return spec;
}

TEST(Tabular, ReadsTruthPartsAndWeights) {
  const Pool pool = pool_of(roles(), kRoles);
  EXPECT_EQ(pool.train.shape.width, 1u);
  EXPECT_EQ(pool.truth_names, (std::vector<std::string>{"north", "south"}));
  EXPECT_EQ(pool.owner_truth, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(pool.parts, (std::vector<Part>{Part::train, Part::validation, Part::test, Part::train}));
  EXPECT_EQ(pool.train.weights, (std::vector<double>{1, 2, 0.5, 0}));
  EXPECT_EQ(pool.numbers, (std::vector<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(pool.train.rows(std::vector<std::uint32_t>{2, 0}).weights, (std::vector<double>{0.5, 1}));
}

TEST(Tabular, RefusesRolesThatCannotBe) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string text = kRoles;
    text.replace(text.find(from), from.size(), to);
    return error_of(roles(), text.c_str());
  };
  EXPECT_NE(refusal("a,north,train", "a,south,train")
                .find("p.csv:5: column \"group\": client \"a\" is in cluster "
                      "\"south\" here and in \"north\" before"),
            std::string::npos);
  EXPECT_NE(refusal("b,south,train", "b,,train").find("is missing in every row of client \"b\""),
            std::string::npos);
  EXPECT_NE(refusal("VAL", "extra").find("p.csv:3: column \"part\": \"extra\" is no part"),
            std::string::npos);
  EXPECT_NE(refusal("VAL", "").find("p.csv:3: column \"part\": is missing"), std::string::npos);
  EXPECT_NE(refusal("test,0.5", "test,-1").find("p.csv:4: column \"w\": a weight of -1"), std::string::npos);
  EXPECT_NE(refusal("test,0.5", "test,much").find("must be a number"), std::string::npos);
}

TEST(Tabular, RefusesTimesThatHaveNoOrder) {
  TabularSpec spec;
  spec.client = "who";
  spec.target = "y";
  spec.time = "day";
  EXPECT_EQ(pool_of(spec, "who,day,x,y\na,2024-10-01,1,0\na,2024-09-30,2,1\nb,2023-12-01,2,1\n").times,
            (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_EQ(pool_of(spec, "who,day,x,y\na,10,1,0\na,9,2,1\n").times, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_NE(error_of(spec, "who,day,x,y\na,31.1.2024,1,0\na,01.2.2024,2,1\n")
                .find("p.csv:2: column \"day\": \"31.1.2024\" has no place in time"),
            std::string::npos);
}

TEST(Tabular, RefusesTimesWhoseOrderAsTextIsNotThatInTime) {
  TabularSpec spec;
  spec.client = "who";
  spec.target = "y";
  spec.time = "day";
  const auto table = [](const std::string& one, const std::string& other) {
    return "who,day,x,y\na," + one + ",1,0\na," + other + ",2,1\n";
  };
  EXPECT_NE(error_of(spec, table("2024-10-01", "2024-5-31").c_str())
                .find("p.csv:3: column \"day\": \"2024-5-31\" is not written like \"2024-10-01\""),
            std::string::npos);
  for (const auto& [one, other] :
       std::vector<std::pair<std::string, std::string>>{{"2024-05-31 10:15", "2024-05-31 9:15"},
                                                        {"2024-5-4", "2024-5-31"},
                                                        {"2024-05-31", "2024/06/01"},
                                                        {"2024-May", "2024-Apr"},
                                                        {"2024-05-31 09:15 AM", "2024-05-31 01:15 PM"}}) {
    EXPECT_NE(error_of(spec, table(one, other).c_str()).find("is not written like"), std::string::npos)
        << one;
  }
  for (const auto& [later, earlier] :
       std::vector<std::pair<std::string, std::string>>{{"2024-05-31 09:15", "2024-05-31"},
                                                        {"2024-05-31T09:15:00.250", "2024-05-31T09:15:00"},
                                                        {"2024-11", "2024-02"},
                                                        {"2024-Q2", "2024-Q1"},
                                                        {"2024-9-1", "2024-8-3"}}) {
    EXPECT_EQ(pool_of(spec, table(later, earlier).c_str()).times, (std::vector<std::uint32_t>{1, 0}))
        << later;
  }
}

// Two pixels of two channels each become two planes.
TEST(Tabular, MakesImages) {
  TabularSpec spec;
  spec.target = "y";
  spec.pixels.shape = {1, 2, 2};
  const Pool pool = make_pool(spec, Sheet("a,b,c,d,y\n1,2,3,4,0\n5,6,7,255,1\n", "p.csv", ','), true);
  EXPECT_FALSE(pool.table);
  EXPECT_EQ(
      pool.train.shape,
      (Shape{
          .task = Task::classification, .width = 4, .classes = 2, .height = 1, .columns = 2, .channels = 2}));
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(pool.train.features),
            (std::vector<std::uint8_t>{1, 3, 2, 4, 5, 7, 6, 255}));
  EXPECT_EQ(pool.train.scale, 1.0 / 255);
  const Pool real = make_pool(spec, Sheet("a,b,c,d,y\n.5,2,3,4,0\n5,6,7,8,1\n", "p.csv", ','), true);
  EXPECT_EQ(std::get<std::vector<float>>(real.train.features)[0], 0.5f);
  EXPECT_EQ(real.train.scale, 1);
  spec.pixels.shape = {2, 3};
  EXPECT_NE(error_of(spec, "a,y\n1,0\n2,1\n").find("2 x 3 x 1"), std::string::npos);
  spec.pixels.shape = {1, 1};
  EXPECT_NE(error_of(spec, "a,y\n1,0\n?,1\n").find("a pixel is missing"), std::string::npos);
}

}  // namespace
}  // namespace coterie::tabular_test
