#include "report/portrait_files.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/formats/safetensors.h"
#include "report/fake_runs.h"

namespace coterie::portrait_files_test {
namespace {

using Words = std::vector<std::string>;

TEST(PortraitFiles, LossesByClusterOrByClient) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const LossTable losses = read_losses(folder / "run");
  EXPECT_FALSE(losses.of_clients);
  EXPECT_EQ(losses.models, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(losses.rows.size(), 4u);
  EXPECT_EQ(losses.rows[1].name, "O'Hara, \"x\"");
  EXPECT_EQ(losses.rows[3].name, "two\nlines");
  EXPECT_EQ(losses.rows[2].losses, (std::vector<double>{0.2, 3}));
  write_file(folder / "own/losses.csv", "id,name,samples,client_4,client_9\n4,,5,0.5,\n9,,5,1,2\n");
  const LossTable own = read_losses(folder / "own");
  EXPECT_TRUE(own.of_clients);
  EXPECT_EQ(own.models, (std::vector<std::uint32_t>{4, 9}));
  EXPECT_TRUE(std::isnan(own.rows[0].losses[1]));
  EXPECT_EQ(own.rows[0].called(), "client 4");
  EXPECT_TRUE(read_losses(folder / "none").empty());
}

TEST(PortraitFiles, MeansTellNumbersFromMissingValues) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  const std::vector<ColumnFacts> means = read_means(folder / "run");
  ASSERT_EQ(means.size(), 3u);
  EXPECT_EQ(means[0].name.text(), "age");
  EXPECT_EQ(means[1].name.text(), "sex = m");
  EXPECT_EQ(means[2].name.text(), "sex is missing");
  EXPECT_EQ(means[1].means, (std::vector<double>{0.2, 0.95}));
  EXPECT_FALSE(means[2].target);
}

// Two classes: the second one's weight less the first one's. "sex = m" and "sex is missing" are centred: 3
// and 0 become 1.5 and -1.5, and the intercept takes the difference.
TEST(PortraitFiles, CoefficientsAreLogOddsByColumn) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  std::filesystem::create_directories(folder / "run/models");
  const std::vector<Layer> layers = {{.name = "weight", .shape = {2, 3}, .inputs_first = true},
                                     {.name = "bias", .offset = 6, .shape = {2}}};
  Vec w(8, 0.0);
  w[layers[0].place(0, 1)] = 1;
  w[layers[0].place(1, 1)] = 4;
  w[7] = 0.5;
  for (const char* name : {"cluster-0", "cluster-1"}) {
    write_safetensors(folder / ("run/models/" + std::string(name) + ".safetensors"), layers, w,
                      Precision::f64, {});
    w[layers[0].place(1, 1)] = -4;
  }
  const std::vector<Coefficient> all = read_coefficients(folder / "run", read_columns(folder / "run"), 2);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[0].intercept);
  EXPECT_EQ(all[0].values, (std::vector<double>{2, -2}));
  EXPECT_EQ(all[2].feature, "sex = m");
  EXPECT_EQ(all[2].values, (std::vector<double>{1.5, -2.5}));
  EXPECT_EQ(all[3].values, (std::vector<double>{-1.5, 2.5}));
  EXPECT_EQ(all[1].values, (std::vector<double>{0, 0})) << "a column of numbers stays";
}

TEST(PortraitFiles, ModelsOfAnotherKindHaveNoCoefficients) {
  TemporaryFolder folder;
  write_ward_run(folder / "run");
  TableColumns columns = read_columns(folder / "run");
  EXPECT_TRUE(read_coefficients(folder / "run", columns, 2).empty()) << "there are no files";
  columns.model = "mlp";
  EXPECT_TRUE(read_coefficients(folder / "run", columns, 2).empty());
}

}  // namespace
}  // namespace coterie::portrait_files_test
