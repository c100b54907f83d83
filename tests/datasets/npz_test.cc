#include <gtest/gtest.h>

#include <cmath>

#include "data/error_text.h"
#include "data/npz_bytes.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::npz_source_test {
namespace {

struct SmallArchive {
  TempFolder folder;
  SourceContext context{.data_folder = folder.path().string(), .floats = true};
  std::vector<std::pair<std::string, std::string>> files = {
      {"X.npy", npy_bytes("<f8", "(3, 2)", doubles({1, 2, 3, std::nan(""), 5, 6}))},
      {"y.npy", npy_bytes("|S3", "(3,)", "catdogcat")},
      {"client.npy", npy_bytes("|u1", "(3,)", "\x0a\x09\x0a")}};

  std::unique_ptr<Population> open(const std::string& toml = "") {
    folder.write("a.npz", zip_bytes(files, true));
    return open_source("npz", "file = \"a.npz\"\n" + toml, context);
  }
  std::string refused(const std::string& toml = "") {
    return error_text<Error>([&] { open(toml); });
  }
};

TEST(NpzSource, MakesAPool) {
  SmallArchive archive;
  auto population = archive.open();
  const Pool& pool = *population->pool();
  EXPECT_EQ(population->shape(), (Shape{.task = Task::classification, .width = 2, .classes = 2}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(pool.table->classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(pool.table->features[1].column, "X[1]");
  EXPECT_TRUE(std::isnan(std::get<std::vector<double>>(pool.train.features)[3]));
  EXPECT_EQ(archive.open("impute = \"drop-row\"")->pool()->train.size(), 2u);
}

TEST(NpzSource, TakesFurtherArrays) {
  SmallArchive archive;
  archive.files.push_back({"half.npy", npy_bytes("|u1", "(3,)", "\x01\x02\x01")});
  archive.files.push_back({"part.npy", npy_bytes("|S5", "(3,)", "traintraintest")});
  archive.files.back().second += '\0';
  archive.files.push_back({"w.npy", npy_bytes("<f8", "(3,)", doubles({1, 0.5, 2}))});
  archive.files[1].second = npy_bytes("<f8", "(3,)", doubles({1.5, 2.5, 3.5}));
  const auto population = archive.open("truth = \"half\"\nsplit = \"part\"\nweight = \"w\"");
  const Pool& pool = *population->pool();
  EXPECT_EQ(population->shape().task, Task::regression);
  EXPECT_EQ(pool.owner_truth, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(pool.parts.back(), Part::test);
  EXPECT_EQ(pool.train.weights, (std::vector<double>{1, 0.5, 2}));
  EXPECT_TRUE(pool.table->scales_target);
}

TEST(NpzSource, TakesMoreDimensionsForImages) {
  SmallArchive archive;
  archive.files[0].second = npy_bytes("|u1", "(3, 1, 2, 2)", "abcdefghijkl");
  const auto population = archive.open();
  EXPECT_EQ(population->shape().channels, 2u);
  EXPECT_EQ(population->shape().columns, 2u);
  const auto& pixels = std::get<std::vector<std::uint8_t>>(population->pool()->train.features);
  EXPECT_EQ(std::string(pixels.begin(), pixels.begin() + 4), "acbd");
}

TEST(NpzSource, SaysWhatIsWrong) {
  SmallArchive archive;
  EXPECT_NE(archive.refused("y = \"Y\"").find("array \"Y\" is unknown; did you mean \"y\"?"),
            std::string::npos);
  archive.files[1].second = npy_bytes("|S3", "(2,)", "catdog");
  EXPECT_NE(archive.refused().find("one item for each of 3 rows, but its shape is (2)"), std::string::npos);
  archive.files[0].second = npy_bytes("|S1", "(3, 2)", "abcdef");
  EXPECT_NE(archive.refused().find("features must be numbers"), std::string::npos);
  archive.files[0].second = npy_bytes("|u1", "(3,)", "abc");
  EXPECT_NE(archive.refused().find("but its shape is (3)"), std::string::npos);
  EXPECT_NE(refusal("npz", "").find("file: is needed"), std::string::npos);
}

}  // namespace
}  // namespace coterie::npz_source_test
