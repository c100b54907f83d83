#include <gtest/gtest.h>

#include <filesystem>

#include "data/error_text.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::cifar_test {
namespace {

constexpr std::size_t kPlane = 32 * 32;

// An image whose red, green and blue pixels are these, but for the first pixel of the second row of red,
// which is 255.
std::string record(char label, char red, char green, char blue) {
  std::string bytes(1, label);
  bytes += std::string(kPlane, red) + std::string(kPlane, green) + std::string(kPlane, blue);
  bytes[1 + 32] = '\xff';
  return bytes;
}

// Labels 0, 1, 2, 1, 9 to train on and 1, 0, 7 to test on.
struct SmallFiles {
  TempFolder folder;
  SourceContext context{.data_folder = folder.path().string()};

  SmallFiles() {
    folder.write("cifar10/data_batch_1.bin", record(0, 10, 20, 30) + record(1, 11, 21, 31));
    folder.write_gzip("cifar10/data_batch_2.bin.gz", record(2, 12, 22, 32));
    folder.write("cifar10/data_batch_3.bin", record(1, 13, 23, 33));
    folder.write("cifar10/data_batch_4.bin", record(9, 14, 24, 34));
    folder.write("cifar10/data_batch_5.bin", record(5, 15, 25, 35));
    folder.write("cifar10/test_batch.bin",
                 record(1, 40, 50, 60) + record(0, 41, 51, 61) + record(7, 0, 0, 0));
  }
  std::unique_ptr<Population> open(const std::string& toml = "") {
    return open_source("cifar", toml, context);
  }
  std::string refusal(const std::string& toml = "") {
    return error_text<Error>([&] { open(toml); });
  }
};

TEST(Cifar, ReadsRecordsChannelByChannel) {
  SmallFiles files;
  auto population = files.open();
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::classification,
                                     .width = 3072,
                                     .classes = 10,
                                     .height = 32,
                                     .columns = 32,
                                     .channels = 3}));
  EXPECT_EQ(pool.test.shape, pool.train.shape);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 2, 1, 9, 5}));
  EXPECT_EQ(pool.test.targets, (std::vector<double>{1, 0, 7}));
  std::vector<double> row(3072);
  pool.train.copy_row(2, row);
  EXPECT_EQ(row[0], 12 * (1.0 / 255));
  EXPECT_EQ(row[32], 1.0) << "the second row begins after 32 pixels";
  EXPECT_EQ(row[kPlane], 22 * (1.0 / 255));
  EXPECT_EQ(row[3071], 32 * (1.0 / 255));
}

TEST(Cifar, KeepsTheClassesThatAreNamedInTheirOrder) {
  SmallFiles files;
  auto population = files.open("classes = [1, 0]");
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.shape.classes, 2u);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(pool.test.targets, (std::vector<double>{0, 1}));
  std::vector<double> row(3072);
  pool.train.copy_row(2, row);
  EXPECT_EQ(row[0], 13 * (1.0 / 255));
  pool.test.copy_row(1, row);
  EXPECT_EQ(row[0], 41 * (1.0 / 255));
  EXPECT_EQ(files.open("classes = [1, 0]\nlimit = 2")->pool()->train.targets, (std::vector<double>{1, 0}));
}

TEST(Cifar, RefusesClassesThatMakeNoSense) {
  SmallFiles files;
  EXPECT_NE(files.refusal("classes = [0, 10]").find("classes go from 0 to 9"), std::string::npos);
  EXPECT_NE(files.refusal("classes = [3, 4]").find("no training image"), std::string::npos);
  EXPECT_NE(refusal("cifar", "classes = [1, 1]").find("twice"), std::string::npos);
  EXPECT_NE(refusal("cifar", "classes = [1]").find("at least two"), std::string::npos);
}

TEST(Cifar, SaysWhichFileIsMissingOrDamaged) {
  SmallFiles files;
  files.folder.write("cifar10/data_batch_4.bin", record(9, 0, 0, 0).substr(1));
  EXPECT_NE(files.refusal().find("data_batch_4.bin: has 3072 bytes"), std::string::npos) << files.refusal();
  files.folder.write("cifar10/data_batch_4.bin", record(10, 0, 0, 0));
  EXPECT_NE(files.refusal().find("record 0 has label 10"), std::string::npos) << files.refusal();
  std::filesystem::remove(files.folder.path() / "cifar10/data_batch_4.bin");
  const std::string text = error_text<Error>([&] { make_source("cifar", "")->check_files(files.context); });
  EXPECT_NE(text.find("data_batch_4.bin[.gz]: is missing; coterie data get cifar10"), std::string::npos)
      << text;
}

// A record of CIFAR-100 has two labels.
TEST(Cifar, ReadsFineAndCoarseLabels) {
  SmallFiles files;
  const auto two = [](char coarse, char fine) { return coarse + record(fine, 1, 2, 3); };
  files.folder.write("cifar100/train.bin", two(19, 99) + two(4, 30));
  files.folder.write_gzip("cifar100/test.bin.gz", two(0, 51));
  const auto fine = files.open("labels = \"fine\"");
  EXPECT_EQ(fine->shape().classes, 100u);
  EXPECT_EQ(fine->pool()->train.targets, (std::vector<double>{99, 30}));
  EXPECT_EQ(fine->pool()->test.targets, (std::vector<double>{51}));
  std::vector<double> row(3072);
  fine->pool()->train.copy_row(1, row);
  EXPECT_EQ(row[0], 1 * (1.0 / 255));
  EXPECT_EQ(row[3071], 3 * (1.0 / 255));
  const auto coarse = files.open("labels = \"coarse\"");
  EXPECT_EQ(coarse->shape().classes, 20u);
  EXPECT_EQ(coarse->pool()->train.targets, (std::vector<double>{19, 4}));

  files.folder.write("cifar100/train.bin", two(20, 5));
  EXPECT_NE(files.refusal("labels = \"coarse\"").find("label 20, but classes go from 0 to 19"),
            std::string::npos);
  EXPECT_EQ(files.refusal("labels = \"fine\""), "");
  files.folder.write("cifar100/train.bin", record(1, 0, 0, 0));
  EXPECT_NE(
      files.refusal("labels = \"fine\"").find("no number of records of 3074; coterie data get cifar100"),
      std::string::npos);
}

TEST(Cifar, LoadsTheWholeSet) {
  if (real_data().empty() || !std::filesystem::exists(real_data() + "/cifar10")) {
    GTEST_SKIP() << "CIFAR-10 is not part of the project: set COTERIE_DATA to a folder that holds cifar10";
  }
  auto population = open_source("cifar", "classes = [0, 1]", {.data_folder = real_data()});
  EXPECT_EQ(population->pool()->train.size(), 10000u);
  EXPECT_EQ(population->pool()->test.size(), 2000u);
}

}  // namespace
}  // namespace coterie::cifar_test
