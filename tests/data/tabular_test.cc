#include "data/formats/tabular.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/error_text.h"

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

Pool pool_of(const TabularSpec& spec, const char* text = kPatients, Precision precision = Precision::f32) {
  return make_pool(spec, Sheet(text, "p.csv", ','), precision);
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
  spec.task = "regression";
  spec.drop = {"smokes", "group"};
  spec.standardise = "none";
  Pool pool = pool_of(spec);
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::regression, .width = 1}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{120, 130, 125, 140}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(pool.notes.size(), 1u);
  EXPECT_NE(pool.notes[0].find("1 owners"), std::string::npos) << pool.notes[0];
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
  spec.task = "regression";
  spec.standardise_target = true;
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
  EXPECT_EQ(std::get<std::vector<double>>(pool_of(spec, text, Precision::f64).train.features),
            (std::vector<double>{0.1, 1e300}));
  EXPECT_EQ(
      error_of(spec, text),
      "p.csv: column \"x\": has numbers that are too large for float, such as 1e+300; use standardise = "
      "\"all\" or precision = \"double\"");
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
  spec.threshold = 125;
  Pool pool = pool_of(spec);
  EXPECT_EQ(pool.train.shape.classes, 2u);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 0, 1}));
}

TEST(Tabular, OneHotsTheColumnsThatAreListed) {
  TabularSpec spec;
  spec.target = "bp";
  spec.task = "regression";
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
  spec.drop = {};
  spec.categorical = {"site"};
  EXPECT_NE(error_of(spec).find("p.csv:2: column \"smokes\": \"yes\" is not a number"), std::string::npos);

  TabularSpec slip;
  slip.target = "y";
  EXPECT_NE(
      error_of(slip, "x,y\n1,0\n2,1\n3O,1\n4,1\n").find("p.csv:4: column \"x\": \"3O\" is not a number"),
      std::string::npos);
  EXPECT_NE(error_of(slip, "x,y\n1,0\n2,0\n").find("fewer than two classes"), std::string::npos);
  EXPECT_NE(error_of(slip, "x,y\n1,?\n2,?\n"), "");
  EXPECT_NE(error_of(slip, "y\n1\n2\n").find("no column is left"), std::string::npos);
  slip.task = "regression";
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
  for (int i = 0; i <= 1000; ++i) names += "n" + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  TabularSpec comment;
  comment.target = "y";
  EXPECT_NE(error_of(comment, names.c_str()).find("list it in drop"), std::string::npos);
  comment.categorical = {"name"};
  EXPECT_EQ(pool_of(comment, names.c_str()).train.shape.width, 1001u);
}

}  // namespace
}  // namespace coterie::tabular_test
