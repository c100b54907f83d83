#include <gtest/gtest.h>

#include <cmath>

#include "data/error_text.h"
#include "data/idx_bytes.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::idx_test {
namespace {

// Images 2 x 4: two to train on, one to test on.
struct SmallFiles {
  TempFolder folder;
  SourceContext context{.data_folder = folder.path().string()};

  void write_train(const std::string& stem = "small/train-") {
    folder.write(
        stem + "images-idx3-ubyte",
        idx_bytes(0x803, {2, 2, 4},
                  std::string("\x00\x04\x08\x0c\x10\x14\x18\x1c\x00\x00\x00\x00\xff\xff\xff\xff", 16)));
    folder.write_gzip(stem + "labels-idx1-ubyte.gz", idx_bytes(0x801, {2}, std::string("\x01\x00", 2)));
  }
  void write_test() {
    folder.write_gzip("small/t10k-images-idx3-ubyte.gz", idx_bytes(0x803, {1, 2, 4}, "abcdefgh"));
    folder.write("small/t10k-labels-idx1-ubyte", idx_bytes(0x801, {1}, "\x02"));
  }
  std::unique_ptr<Population> open(const std::string& toml = "") {
    return open_source("idx", "folder = \"small\"\n" + toml, context);
  }
  std::string refusal(const std::string& toml = "") {
    return error_text<Error>([&] { open(toml); });
  }
};

TEST(Idx, ReadsImagesAndLabels) {
  SmallFiles files;
  files.write_train();
  files.write_test();
  auto population = files.open();
  const Pool& pool = *population->pool();
  // The test part has the highest class.
  EXPECT_EQ(
      pool.train.shape,
      (Shape{
          .task = Task::classification, .width = 8, .classes = 3, .height = 2, .columns = 4, .channels = 1}));
  EXPECT_EQ(pool.test.shape, pool.train.shape);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{1, 0}));
  EXPECT_EQ(pool.test.targets, (std::vector<double>{2}));
  std::vector<double> row(8);
  pool.train.copy_row(0, row);
  EXPECT_EQ(row[3], 12 * (1.0 / 255));
  pool.test.copy_row(0, row);
  EXPECT_EQ(row[0], 'a' * (1.0 / 255));
  EXPECT_TRUE(pool.owners.empty());
}

// Floats 0.5 and -2, and labels that are shorts.
TEST(Idx, TakesOtherNumbersAsTheyAre) {
  SmallFiles files;
  files.folder.write("small/train-images-idx3-float",
                     idx_bytes(0xD03, {2, 1, 1}, std::string("\x3f\x00\x00\x00\xc0\x00\x00\x00", 8)));
  files.folder.write("small/train-labels-idx1-short",
                     idx_bytes(0xB01, {2}, std::string("\x00\x01\x00\x00", 4)));
  auto population = files.open();
  const Samples& train = population->pool()->train;
  EXPECT_EQ(train.targets, (std::vector<double>{1, 0}));
  EXPECT_EQ(train.shape.classes, 2u);
  EXPECT_EQ(std::get<std::vector<double>>(train.features), (std::vector<double>{0.5, -2}));
  EXPECT_EQ(train.scale, 1);
  files.context.floats = true;
  const auto floats = files.open("limit = 1");
  EXPECT_EQ(std::get<std::vector<float>>(floats->pool()->train.features), (std::vector<float>{0.5f}));
  EXPECT_NE(files.refusal("normalise = \"standard\"").find("images of bytes"), std::string::npos);
  files.folder.write("small/train-labels-idx1-short", idx_bytes(0xB01, {2}, "\xff\xff\xff\xff"));
  EXPECT_NE(files.refusal().find("is no class"), std::string::npos);
}

TEST(Idx, DoesWithoutATestPartAndWithOtherNames) {
  SmallFiles files;
  files.write_train("small/femnist-");
  auto population = files.open();
  EXPECT_EQ(population->pool()->train.size(), 2u);
  EXPECT_EQ(population->pool()->test.size(), 0u);
  EXPECT_EQ(population->shape().classes, 2u);
}

TEST(Idx, StandardisesByTheTrainingImages) {
  SmallFiles files;
  files.write_train();
  files.write_test();
  auto population = files.open("normalise = \"standard\"\nlimit = 1");
  const Pool& pool = *population->pool();
  // Over all 16 pixels, whatever the limit: 0 4 ... 28 sum to 112, four times 255 to 1020.
  const double mean = 1132.0 / 16;
  const double square = (16.0 * (0 + 1 + 4 + 9 + 16 + 25 + 36 + 49) + 4 * 255.0 * 255.0) / 16;
  const double deviation = std::sqrt(square - mean * mean);
  ASSERT_EQ(pool.train.size(), 1u);
  std::vector<double> row(8);
  pool.train.copy_row(0, row);
  for (int j = 0; j < 8; ++j)
    EXPECT_NEAR(row[static_cast<std::size_t>(j)], (4 * j - mean) / deviation, 1e-12);
  pool.test.copy_row(0, row);
  EXPECT_NEAR(row[1], ('b' - mean) / deviation, 1e-12);
}

// Half-size training images (10, 18) / 255 and (0.5, 0.5): what is left of the first is minus that of the
// second.
TEST(Idx, TakesOffTheMeanImage) {
  SmallFiles files;
  files.write_train();
  files.write_test();
  auto population = files.open("downsample = 2\ncentre = true");
  std::vector<double> one(2), other(2), test(2);
  population->pool()->train.copy_row(0, one);
  population->pool()->train.copy_row(1, other);
  EXPECT_NEAR(one[0], (10 / 255.0 - 0.5) / 2, 1e-7);
  EXPECT_NEAR(one[1], (18 / 255.0 - 0.5) / 2, 1e-7);
  EXPECT_NEAR(other[0], -one[0], 1e-7);
  population->pool()->test.copy_row(0, test);  // a b e f: 97 + 98 + 101 + 102
  EXPECT_NEAR(test[0], 99.5 / 255 - (10 / 255.0 + 0.5) / 2, 1e-7);
  // At full size, bytes become floats too.
  auto whole = files.open("centre = true");
  std::vector<double> row(8);
  whole->pool()->train.copy_row(0, row);
  EXPECT_NEAR(row[1], (4 - 0) / 2.0 / 255, 1e-7);
}

TEST(Idx, HalvesImagesByMeans) {
  SmallFiles files;
  files.write_train();
  files.write_test();
  auto population = files.open("downsample = 2");
  const Pool& pool = *population->pool();
  EXPECT_EQ(
      pool.train.shape,
      (Shape{
          .task = Task::classification, .width = 2, .classes = 3, .height = 1, .columns = 2, .channels = 1}));
  std::vector<double> row(2);
  pool.train.copy_row(0, row);  // (0 + 4 + 16 + 20) / 4 and (8 + 12 + 24 + 28) / 4
  EXPECT_FLOAT_EQ(static_cast<float>(row[0]), 10 / 255.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(row[1]), 18 / 255.0f);
  pool.train.copy_row(1, row);
  EXPECT_FLOAT_EQ(static_cast<float>(row[0]), 0.5f);  // two rows, 0 and 255
  EXPECT_EQ(pool.test.shape, pool.train.shape);
}

TEST(Idx, GivesImagesTheirWriters) {
  SmallFiles files;
  files.write_train();
  files.folder.write("writers.csv", "writer,start,count\nzoe,0,1\nann,1,1\n");
  auto population = files.open("writers = \"writers.csv\"\nlimit = 1");
  EXPECT_EQ(population->pool()->owners, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(population->pool()->owner_names, (std::vector<std::string>{"zoe"}));
}

TEST(Idx, KeepsTheClassesThatAreNamedWithTheirWriters) {
  SmallFiles files;
  files.folder.write("small/train-images-idx3-ubyte", idx_bytes(0x803, {4, 1, 1}, "abcd"));
  files.folder.write("small/train-labels-idx1-ubyte",
                     idx_bytes(0x801, {4}, std::string("\x02\x00\x01\x02", 4)));
  files.folder.write("writers.csv", "writer,start,count\nann,0,1\nbob,1,2\nzoe,3,1\n");
  auto population = files.open("classes = [2, 0]\nwriters = \"writers.csv\"");
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.shape.classes, 2u);
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(std::get<0>(pool.train.features), (std::vector<std::uint8_t>{'a', 'b', 'd'}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{0, 1, 2}));
  auto without_bob = files.open("classes = [2, 1]\nwriters = \"writers.csv\"\nlimit = 1");
  EXPECT_EQ(without_bob->pool()->owner_names, (std::vector<std::string>{"ann"}));
  EXPECT_NE(files.refusal("classes = [2, 3]").find("classes go from 0 to 2"), std::string::npos);
}

TEST(Idx, SaysWhichFileIsMissingAndHowToGetIt) {
  SmallFiles files;
  std::string text = files.refusal();
  EXPECT_NE(text.find((files.folder.path() / "small").string()), std::string::npos) << text;
  EXPECT_NE(text.find("coterie data get mnist"), std::string::npos) << text;

  std::filesystem::create_directory(files.folder.path() / "small");
  auto source = make_source("idx", "folder = \"small\"");
  text = error_text<Error>([&] { source->check_files(files.context); });
  EXPECT_NE(text.find((files.folder.path() / "small/train-images-idx3-ubyte").string()), std::string::npos)
      << text;
  EXPECT_NE(text.find("fashion-mnist"), std::string::npos) << text;

  files.write_train();
  EXPECT_NO_THROW(source->check_files(files.context));
  auto with_writers = make_source("idx", "folder = \"small\"\nwriters = \"w.csv\"");
  EXPECT_THROW(with_writers->check_files(files.context), Error);
  std::filesystem::remove(files.folder.path() / "small/train-labels-idx1-ubyte.gz");
  text = error_text<Error>([&] { source->check_files(files.context); });
  EXPECT_NE(text.find("small/train-labels-idx1-ubyte[.gz]: is missing"), std::string::npos) << text;
}

TEST(Idx, RefusesFilesThatDoNotFitTogether) {
  SmallFiles files;
  files.write_train();
  files.folder.write("small/t10k-images-idx3-ubyte", idx_bytes(0x803, {1, 2, 2}, "abcd"));
  files.folder.write("small/t10k-labels-idx1-ubyte", idx_bytes(0x801, {1}, "\x02"));
  EXPECT_NE(files.refusal().find("images of another size"), std::string::npos);
  files.folder.write("small/t10k-labels-idx1-ubyte", idx_bytes(0x801, {2}, "\x02\x02"));
  EXPECT_NE(files.refusal().find("has 1 images, but"), std::string::npos);
  files.write_train("small/other-");
  EXPECT_NE(files.refusal().find("more than one data set"), std::string::npos);

  SmallFiles odd;
  odd.folder.write("small/train-images-idx3-ubyte", idx_bytes(0x803, {1, 3, 2}, "abcdef"));
  odd.folder.write("small/train-labels-idx1-ubyte", idx_bytes(0x801, {1}, "\x02"));
  EXPECT_NE(odd.refusal("downsample = 2").find("even height and width, not 3 x 2"), std::string::npos);
}

TEST(Idx, LoadsMnistWithItsWriters) {
  if (real_data().empty()) GTEST_SKIP() << "COTERIE_DATA is not set";
  auto population = open_source(
      "idx", "normalise = \"standard\"\nwriters = \"mnist-writers/qmnist-train-labels-idx2-int.gz\"",
      {.data_folder = real_data()});
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.size(), 60000u);
  EXPECT_EQ(pool.test.size(), 10000u);
  EXPECT_EQ(pool.train.shape.classes, 10u);
  EXPECT_EQ(pool.train.label(0), 5u);
  EXPECT_EQ(pool.test.label(0), 7u);
  // The well-known mean .1307 and deviation .3081.
  EXPECT_NEAR(-pool.train.offset / pool.train.scale / 255, 0.1306604762738429, 1e-12);
  EXPECT_NEAR(1 / pool.train.scale / 255, 0.3081078038564627, 1e-12);
  std::vector<double> row(784);
  pool.train.copy_row(0, row);
  EXPECT_NEAR(row[156], (126 / 255.0 - 0.1306604762738429) / 0.3081078038564627, 1e-12);

  EXPECT_EQ(pool.owner_names.size(), 539u);
  std::size_t employees = 0;
  for (const std::string& name : pool.owner_names) employees += name.ends_with("of hsf 0");
  EXPECT_EQ(employees, 289u);
  EXPECT_EQ(pool.owner_names[pool.owners[0]], "writer 2154 of hsf 4");

  EXPECT_THROW(open_source("idx", "writers = \"mnist-writers/qmnist-test-labels-idx2-int.gz\"",
                           {.data_folder = real_data()}),
               Error);
}

TEST(Idx, LoadsFemnistWithItsWriters) {
  if (real_data().empty()) GTEST_SKIP() << "COTERIE_DATA is not set";
  auto population =
      open_source("idx", "folder = \"femnist\"\nwriters = \"femnist/femnist-writers.csv.gz\"\nlimit = 1000",
                  {.data_folder = real_data()});
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.shape.classes, 62u);
  EXPECT_EQ(pool.train.size(), 1000u);
  EXPECT_EQ(pool.test.size(), 0u);
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"f0000_14", "f0003_42", "f0006_12"}));
  EXPECT_EQ(pool.owners[382], 0u);
  EXPECT_EQ(pool.owners[383], 1u);
  EXPECT_EQ(pool.owners[781], 2u);
}

}  // namespace
}  // namespace coterie::idx_test
