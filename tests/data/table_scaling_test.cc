#include "data/table_scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/error_text.h"

namespace coterie::table_scaling_test {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// Columns: a number, a category, a number; and a number to predict.
TableSchema draft(const std::string& scaling = "clients", const std::string& impute = "mean") {
  TableSchema schema;
  schema.features = {{.column = "a", .value = std::nullopt},
                     {.column = "c", .value = "yes"},
                     {.column = "b", .value = std::nullopt}};
  schema.target = "y";
  schema.scaling = scaling;
  schema.impute = impute;
  schema.scales_target = true;
  schema.draft = true;
  return schema;
}

Samples rows(std::vector<double> features, std::vector<double> targets) {
  Samples samples;
  samples.shape = {.task = Task::regression, .width = 3};
  samples.features = std::move(features);
  samples.targets = std::move(targets);
  return samples;
}

// Two rows of a: 1 and 5; b: 10 and a gap. Targets 100 and 300.
Samples two_rows() { return rows({1, 1, 10, 5, 0, kGap}, {100, 300}); }

TEST(TableScaling, TellsNumbersAndTheTarget) {
  const std::vector<ColumnMoments> told = table_moments(draft(), two_rows());
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(moment_count(draft(), Task::regression), 3u);
  EXPECT_EQ(moment_count(draft(), Task::classification), 2u);
  EXPECT_EQ(told[0].middle(), 3);
  EXPECT_EQ(told[1].count, 1);
  EXPECT_EQ(told[1].middle(), 10);
  EXPECT_EQ(told[2].m2, 2 * 100 * 100);
  // Zeros in gaps count.
  EXPECT_EQ(table_moments(draft("clients", "zero"), two_rows())[1].middle(), 5);
}

TEST(TableScaling, FillsThenScales) {
  TableSchema schema = draft();
  settle_schema(schema, table_moments(schema, two_rows()), 2);
  EXPECT_FALSE(schema.draft);
  EXPECT_EQ(schema.features[0].mean, 3);
  EXPECT_EQ(schema.features[0].deviation, 2);
  EXPECT_EQ(schema.features[2].fill, 10);
  EXPECT_EQ(schema.features[2].deviation, 1) << "nothing differs once the gap is filled";
  EXPECT_EQ(schema.target_mean, 200);
  EXPECT_EQ(schema.target_deviation, 100);

  Samples other = rows({7, 1, kGap}, {400});
  apply_schema(schema, other, true);
  EXPECT_EQ(std::get<std::vector<float>>(other.features), (std::vector<float>{2, 1, 0}));
  EXPECT_EQ(other.targets, (std::vector<double>{2}));
}

TEST(TableScaling, LeavesNumbersAsTheyAreButFillsGaps) {
  TableSchema schema = draft("none");
  schema.scales_target = false;
  settle_schema(schema, table_moments(schema, two_rows()), 2);
  Samples same = two_rows();
  apply_schema(schema, same, false);
  EXPECT_EQ(std::get<std::vector<double>>(same.features), (std::vector<double>{1, 1, 10, 5, 0, 10}));
  EXPECT_EQ(same.targets, (std::vector<double>{100, 300}));
  Samples large = rows({1e300, 0, 0}, {1});
  EXPECT_NE(error_text<Error>([&] { apply_schema(schema, large, true); }).find("too large for float"),
            std::string::npos);
}

TEST(TableScaling, GivesAClientItsOwnNumbersButTheCommonTarget) {
  TableSchema agreed = draft("each");
  settle_schema(agreed, table_moments(agreed, two_rows()), 2);
  const TableSchema own = own_schema(agreed, rows({10, 1, 4, 10, 1, 6}, {0, 0}));
  EXPECT_EQ(own.features[0].mean, 10);
  EXPECT_EQ(own.features[0].deviation, 1);
  EXPECT_EQ(own.features[2].mean, 5);
  EXPECT_EQ(own.target_mean, 200);
}

TEST(TableScaling, ScalesNumbersWhoseDifferenceIsNone) {
  TableSchema schema = draft();
  const Samples ends = rows({-1e308, 0, -1e-320, 1e308, 0, 1e-320}, {0, 1});
  settle_schema(schema, table_moments(schema, ends), 2);
  Samples scaled = ends;
  apply_schema(schema, scaled, true);
  EXPECT_EQ(std::get<std::vector<float>>(scaled.features), (std::vector<float>{-1, 0, -1, 1, 0, 1}));
}

}  // namespace
}  // namespace coterie::table_scaling_test
