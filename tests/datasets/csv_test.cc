#include <gtest/gtest.h>

#include <cmath>

#include "data/error_text.h"
#include "data/table_scaling.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::csv_test {
namespace {

std::vector<std::size_t> rows_by_owner(const Pool& pool) {
  std::vector<std::size_t> counts(pool.owner_names.size());
  for (std::uint32_t owner : pool.owners) ++counts[owner];
  return counts;
}

// As one client would have it.
Pool settled(const std::string& toml, const SourceContext& context) {
  Pool pool = *open_source("csv", toml, context)->pool();
  settle_alone(pool, context.floats);
  return pool;
}

TEST(Csv, ReadsATableByItsOptions) {
  TempFolder folder;
  folder.write_gzip("t.csv.gz", "who;x;y\nb;1;0\na;2;-\na;4;1\n");
  auto population = open_source("csv",
                                "file = \"t.csv.gz\"\nclient = \"who\"\ntarget = \"y\"\nseparator = \";\"\n"
                                "missing = [\"-\"]\nstandardise = \"none\"",
                                {.data_folder = folder.path().string(), .floats = true});
  const Pool& pool = *population->pool();
  EXPECT_EQ(population->shape(), (Shape{.task = Task::classification, .width = 1, .classes = 2}));
  EXPECT_EQ(std::get<std::vector<double>>(pool.train.features), (std::vector<double>{1, 4}));
  EXPECT_EQ(pool.numbers, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_TRUE(pool.table->draft);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{1, 0}));
}

TEST(Csv, RefusesColumnsThatCannotBeBoth) {
  const std::string file = "file = \"t.csv\"\ntarget = \"y\"\nclient = \"who\"\n";
  EXPECT_NE(refusal("csv", "file = \"t.csv\"\ntarget = \"y\"\nclient = \"y\"").find("than the target"),
            std::string::npos);
  for (const std::string role : {"split", "weight", "group", "time", "truth"}) {
    EXPECT_NE(refusal("csv", file + role + " = \"y\"").find(role + " = \"y\": must be another"),
              std::string::npos)
        << refusal("csv", file + role + " = \"y\"");
  }
  EXPECT_NE(refusal("csv", file + "group = \"who\"").find("another column than client"), std::string::npos);
  EXPECT_NE(refusal("csv", file + "drop = [\"x\", \"y\"]").find("lists the target"), std::string::npos);
}

TEST(Csv, KeepsDoublesUnlessTheRunComputesInFloat) {
  TempFolder folder;
  folder.write("t.csv", "x,y\n0.1,0\n0.3,1\n");
  const std::string toml = "file = \"t.csv\"\ntarget = \"y\"\nstandardise = \"none\"";
  EXPECT_EQ(
      std::get<std::vector<double>>(settled(toml, {.data_folder = folder.path().string()}).train.features),
      (std::vector<double>{0.1, 0.3}));
  EXPECT_EQ(std::get<std::vector<float>>(
                settled(toml, {.data_folder = folder.path().string(), .floats = true}).train.features),
            (std::vector<float>{0.1f, 0.3f}));
}

TEST(Csv, ReadsDecimalCommasWhereAskedTo) {
  TempFolder folder;
  folder.write("t.csv", "x;name;y\n1,5;a,b;0\n-2;c,1;1\n");
  const SourceContext context{.data_folder = folder.path().string()};
  const std::string file = "file = \"t.csv\"\ntarget = \"y\"\n";
  EXPECT_NE(error_text<Error>([&] { open_source("csv", file, context); }).find("Set data.separator = \";\""),
            std::string::npos);
  EXPECT_NE(error_text<Error>([&] {
              open_source("csv", file + "separator = \";\"\ndrop = [\"name\"]", context);
            }).find("set data.decimal = \",\""),
            std::string::npos);
  const auto population = open_source("csv", file + "separator = \";\"\ndecimal = \",\"", context);
  EXPECT_EQ(std::get<std::vector<double>>(population->pool()->train.features),
            (std::vector<double>{1.5, 1, 0, -2, 0, 1}));
  EXPECT_EQ(population->pool()->table->features[1].value, "a,b") << "text stays";
}

TEST(Csv, RefusesOptionsThatDoNotFitTogether) {
  const std::string both = "file = \"a.csv\"\ntarget = \"y\"\n";
  const std::pair<std::string, const char*> cases[] = {
      {"target = \"y\"", "file: is needed"},
      {"file = \"a.csv\"", "target: is needed"},
      {both + "separator = \", \"", "must be one character"},
      {both + "separator = \"\\\"\"", "no quote"},
      {both + "task = \"regression\"\nthreshold = 3", "task cannot be \"regression\""},
      {both + "truth = \"t\"", "needs client: it is the true cluster"},
      {both + "shape = [3]", "must be [height, width]"},
      {both + "impute = \"median\"", "impute = \"median\" is unknown"},
  };
  for (const auto& [toml, what] : cases) {
    const std::string text = refusal("csv", toml);
    EXPECT_NE(text.find(what), std::string::npos) << toml << "\n" << text;
  }
}

TEST(Csv, MissesItsFileBeforeTheWorkStarts) {
  TempFolder folder;
  auto source = make_source("csv", "file = \"none.csv\"\ntarget = \"y\"");
  const std::string text =
      error_text<Error>([&] { source->check_files({.data_folder = folder.path().string()}); });
  EXPECT_NE(text.find((folder.path() / "none.csv").string()), std::string::npos) << text;
}

TEST(Csv, LoadsFourHospitals) {
  if (real_data().empty()) GTEST_SKIP() << "COTERIE_DATA is not set";
  const std::string file =
      "file = \"heart-disease/heart_disease_4hospitals.csv.gz\"\nclient = \"hospital\"\ntarget = \"num\"\n";
  SourceContext context{.data_folder = real_data()};
  const Pool pool = settled(file + "standardise = \"none\"", context);
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::classification, .width = 13, .classes = 5}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"cleveland", "hungarian", "switzerland", "va"}));
  EXPECT_EQ(rows_by_owner(pool), (std::vector<std::size_t>{303, 294, 123, 200}));
  std::vector<std::size_t> classes(5);
  for (std::size_t i = 0; i < pool.train.size(); ++i) ++classes[pool.train.label(i)];
  EXPECT_EQ(classes, (std::vector<std::size_t>{411, 265, 109, 107, 28}));
  // 30 missing values of chol, column 4, become its mean.
  std::vector<double> row(13);
  std::size_t filled = 0;
  for (std::size_t i = 0; i < pool.train.size(); ++i) {
    pool.train.copy_row(i, row);
    filled += std::abs(row[4] - 199.13033707865168) < 1e-4;
  }
  EXPECT_EQ(filled, 30u);

  auto sick = open_source("csv", file + "threshold = 0", context);
  double ill = 0;
  for (double y : sick->pool()->train.targets) ill += y;
  EXPECT_EQ(ill, 265 + 109 + 107 + 28);

  // Only 299 patients have all values; no Swiss one has.
  auto complete = open_source("csv", file + "impute = \"drop-row\"", context);
  EXPECT_EQ(rows_by_owner(*complete->pool()), (std::vector<std::size_t>{297, 1, 1}));
}

TEST(Csv, LoadsTheUsersOfWisdm) {
  if (real_data().empty()) GTEST_SKIP() << "COTERIE_DATA is not set";
  const Pool pool = settled(
      "file = \"wisdm-ar/wisdm_ar_v1.1_transformed.csv.gz\"\nclient = \"user\"\n"
      "target = \"class\"\ndrop = [\"UNIQUE_ID\"]",
      {.data_folder = real_data()});
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::classification, .width = 43, .classes = 6}));
  EXPECT_EQ(pool.train.size(), 5418u);
  ASSERT_EQ(pool.owner_names.size(), 36u);
  EXPECT_EQ(pool.owner_names[9], "10");  // numbers in numeric order
  EXPECT_EQ(rows_by_owner(pool)[32], 151u);
  // Downstairs, Jogging, Sitting, Standing, Upstairs, Walking.
  std::vector<std::size_t> classes(6);
  for (std::size_t i = 0; i < pool.train.size(); ++i) ++classes[pool.train.label(i)];
  EXPECT_EQ(classes, (std::vector<std::size_t>{528, 1625, 306, 246, 632, 2081}));
  // Standardised, but for the one column that is constant.
  std::vector<double> row(43), sum(43), squares(43);
  for (std::size_t i = 0; i < pool.train.size(); ++i) {
    pool.train.copy_row(i, row);
    for (std::size_t j = 0; j < 43; ++j) {
      sum[j] += row[j];
      squares[j] += row[j] * row[j];
    }
  }
  std::size_t constant = 0;
  for (std::size_t j = 0; j < 43; ++j) {
    EXPECT_NEAR(sum[j] / 5418, 0, 1e-6);
    constant += squares[j] == 0;
    EXPECT_NEAR(squares[j] / 5418, squares[j] == 0 ? 0 : 1, 1e-5);
  }
  EXPECT_EQ(constant, 1u);
}

TEST(Csv, LoadsTheStationsOfBeijing) {
  if (real_data().empty()) GTEST_SKIP() << "COTERIE_DATA is not set";
  SourceContext context{.data_folder = real_data()};
  const std::string common = "file = \"beijing-air/prsa_12stations.csv.gz\"\nclient = \"station\"\n";
  const Pool pool =
      settled(common + "target = \"PM2.5\"\ndrop = [\"No\"]\nstandardise_target = false", context);
  // 420,768 hours less 8,739 without PM2.5. Features: 4 of time, 5 pollutants, 5 of weather, 16 winds and
  // none.
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::regression, .width = 4 + 5 + 5 + 17}));
  EXPECT_EQ(pool.train.size(), 412029u);
  ASSERT_EQ(pool.owner_names.size(), 12u);
  EXPECT_EQ(pool.owner_names[0], "Aotizhongxin");
  EXPECT_EQ(rows_by_owner(pool)[0], 34139u);
  double sum = 0;
  for (double y : pool.train.targets) sum += y;
  EXPECT_NEAR(sum / 412029, 79.79342813248586, 1e-9);
  std::vector<double> row(31);
  pool.train.copy_row(0, row);
  EXPECT_NEAR(row[9], -1.2416977311120552, 1e-6);  // -0.7 degrees

  // All hours have a year.
  auto years = open_source(
      "csv", common + "target = \"year\"\ndrop = [\"No\", \"wd\"]\nstandardise = \"none\"", context);
  EXPECT_EQ(rows_by_owner(*years->pool()), std::vector<std::size_t>(12, 35064));
  EXPECT_EQ(years->shape().classes, 5u);
}

}  // namespace
}  // namespace coterie::csv_test
