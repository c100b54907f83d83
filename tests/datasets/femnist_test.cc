#include <gtest/gtest.h>

#include "data/error_text.h"
#include "data/idx_bytes.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::femnist_test {
namespace {

// Twenty images of one pixel, whose value is their number; writers a (8 images), b (4), c (8) of series 0, 1,
// 0.
struct SmallFiles {
  TempFolder folder;
  SourceContext context{.data_folder = folder.path().string()};

  SmallFiles() {
    std::string pixels, labels;
    for (char i = 0; i < 20; ++i) {
      pixels += i;
      labels += static_cast<char>(i % 3);
    }
    folder.write_gzip("femnist/femnist-images-idx3-ubyte.gz", idx_bytes(0x803, {20, 1, 1}, pixels));
    folder.write("femnist/femnist-labels-idx1-ubyte", idx_bytes(0x801, {20}, labels));
    folder.write("femnist/femnist-writers.csv",
                 "writer,hsf_range,start,count\na,hsf_0,0,8\nb,hsf_1,8,4\nc,hsf_0,12,8\n");
  }
  std::unique_ptr<Population> open(const std::string& toml = "") {
    return open_source("femnist", toml, context);
  }
  std::string refusal(const std::string& toml = "") {
    return error_text<Error>([&] { open(toml); });
  }
};

TEST(Femnist, MakesOwnersOfWriters) {
  SmallFiles files;
  const auto population = files.open();
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.size(), 20u);
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(pool.owners[8], 1u);
  EXPECT_TRUE(pool.owner_truth.empty());
  EXPECT_TRUE(make_source("femnist", "")->names_owners());
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(files.open("invert = true")->pool()->train.features)[3], 252);
}

TEST(Femnist, KnowsTheSeriesOfWriters) {
  SmallFiles files;
  const auto population = files.open("truth = \"series\"");
  EXPECT_EQ(population->pool()->owner_truth, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(population->groups(), 2u);
  // Writer b has the only images 8 to 11, so without classes of those the series is left out with its writer.
  EXPECT_EQ(files.open("truth = \"series\"\nlimit = 8")->pool()->owner_truth,
            (std::vector<std::uint32_t>{0}));
}

// 12 of the 20 images: whole writers, and of the last one what is left over.
TEST(Femnist, SamplesWholeWriters) {
  SmallFiles files;
  std::set<std::vector<std::string>> drawn;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    files.context.seed = seed;
    const auto population = files.open("sample = 0.6\ntruth = \"series\"");
    const Pool& pool = *population->pool();
    ASSERT_EQ(pool.train.size(), 12u);
    ASSERT_EQ(pool.owners.size(), 12u);
    ASSERT_EQ(pool.owner_truth.size(), pool.owner_names.size());
    drawn.insert(pool.owner_names);
    std::vector<std::size_t> counts(pool.owner_names.size(), 0);
    for (std::size_t i = 0; i < 12; ++i) {
      const int number = std::get<std::vector<std::uint8_t>>(pool.train.features)[i];
      EXPECT_EQ(pool.owner_names[pool.owners[i]], number < 8 ? "a" : number < 12 ? "b" : "c");
      EXPECT_EQ(pool.train.targets[i], number % 3);
      ++counts[pool.owners[i]];
    }
    for (std::size_t k = 0; k < counts.size(); ++k)
      EXPECT_TRUE(counts[k] == 8 || counts[k] == 4) << counts[k];
    EXPECT_EQ(files.open("sample = 0.6")->pool()->train.features, pool.train.features) << "the seed decides";
  }
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_NE(files.refusal("sample = 0.01").find("leaves none"), std::string::npos);
  EXPECT_THROW(make_source("femnist", "sample = 0"), BadConfig);
}

TEST(Femnist, SaysWhatIsMissing) {
  SmallFiles files;
  files.folder.write("femnist/other-writers.csv", "writer,start,count\n");
  EXPECT_NE(files.refusal().find("holds 2 files called ...writers.csv"), std::string::npos);
  files.context.data_folder = "/nowhere";
  EXPECT_NE(files.refusal().find("coterie data check femnist"), std::string::npos) << files.refusal();
}

}  // namespace
}  // namespace coterie::femnist_test
