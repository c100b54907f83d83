#include <gtest/gtest.h>

#include "data/error_text.h"
#include "data/formats/image_tree.h"
#include "data/temp_folder.h"
#include "datasets/open_source.h"

namespace coterie::image_folder_test {
namespace {

// A picture of one colour, or of one grey.
std::string png(std::vector<std::uint8_t> colour, std::size_t height = 2, std::size_t width = 2) {
  Picture picture{width, height, colour.size(), {}};
  for (std::size_t p = 0; p < height * width; ++p)
    picture.pixels.insert(picture.pixels.end(), colour.begin(), colour.end());
  return encode_png(picture);
}

struct Pictures {
  TempFolder folder;
  SourceContext context{.data_folder = folder.path().string()};

  std::unique_ptr<Population> open(const std::string& toml = "") {
    return open_source("image-folder", "folder = \"set\"\n" + toml, context);
  }
  std::string refusal(const std::string& toml = "") {
    return error_text<Error>([&] { open(toml); });
  }
};

std::vector<double> row(const Samples& samples, std::size_t i) {
  std::vector<double> values(samples.shape.width);
  samples.copy_row(i, values);
  for (double& value : values) value *= 255;
  return values;
}

TEST(ImageFolder, ReadsAFolderForEachClass) {
  Pictures files;
  files.folder.write("set/dog/b.PNG", png({1, 2, 3}));
  files.folder.write("set/dog/a.png", png({7}));
  files.folder.write("set/cat/deeper/c.jpeg", encode_jpeg({2, 2, 1, {9, 9, 9, 9}}, 100));
  files.folder.write("set/cat/notes.txt", "no picture");
  files.folder.write("set/empty/notes.txt", "no class");
  const auto population = files.open();
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.train.shape, (Shape{.task = Task::classification,
                                     .width = 12,
                                     .classes = 2,
                                     .height = 2,
                                     .columns = 2,
                                     .channels = 3}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 1})) << "cat, dog";
  EXPECT_EQ(row(pool.train, 0), std::vector<double>(12, 9.0));
  EXPECT_EQ(row(pool.train, 1), std::vector<double>(12, 7.0)) << "grey, as three channels";
  EXPECT_EQ(row(pool.train, 2), (std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}))
      << "channel by channel";
  EXPECT_EQ(pool.test.size(), 0u);
  const auto grey = files.open("colours = \"grey\"");
  EXPECT_EQ(grey->shape().width, 4u);
  EXPECT_EQ(row(grey->pool()->train, 2), std::vector<double>(4, 2.0)) << ".299 + 2 x .587 + 3 x .114";
}

TEST(ImageFolder, ReadsTinyImageNet) {
  Pictures files;
  files.folder.write("set/train/n02/images/n02_0.png", png({1}));
  files.folder.write("set/train/n02/n02_boxes.txt", "n02_0.png\t0\t0\t1\t1\n");
  files.folder.write("set/train/n01/images/n01_0.png", png({2}));
  files.folder.write("set/val/images/val_0.png", png({3}));
  files.folder.write("set/val/images/val_1.png", png({4}));
  files.folder.write("set/val/val_annotations.txt",
                     "val_0.png\tn02\t0\t0\t1\t1\nval_1.png\tn01\t0\t0\t1\t1\n");
  files.folder.write("set/test/images/test_0.png", png({5}));
  const auto population = files.open();
  EXPECT_EQ(population->pool()->train.targets, (std::vector<double>{0, 1}));
  EXPECT_EQ(row(population->pool()->train, 0)[0], 2);
  EXPECT_EQ(population->pool()->test.targets, (std::vector<double>{0, 1}));
  EXPECT_EQ(row(population->pool()->test, 0)[0], 4);

  files.folder.write("set/val/val_annotations.txt", "val_0.png\tn03\n");
  EXPECT_NE(files.refusal().find("of the class \"n03\", which has no training picture"), std::string::npos);
  files.folder.write("set/val/val_annotations.txt", "val_0.png\tn01\nval_9.png\tn01\n");
  EXPECT_NE(files.refusal().find("val_annotations.txt:2: there is no"), std::string::npos) << files.refusal();
  files.folder.write("set/val/val_annotations.txt", "val_0.png\n");
  EXPECT_NE(files.refusal().find("val_annotations.txt:1: must be a file and its class"), std::string::npos);
}

TEST(ImageFolder, ReadsTestPicturesByClass) {
  Pictures files;
  files.folder.write("set/train/a/0.png", png({1}));
  files.folder.write("set/train/b/0.png", png({2}));
  files.folder.write("set/test/b/0.png", png({3}));
  const auto population = files.open();
  EXPECT_EQ(population->pool()->test.targets, (std::vector<double>{1}));
}

TEST(ImageFolder, MakesClientsOfOwners) {
  Pictures files;
  files.folder.write("set/sketch/dog/0.png", png({1}));
  files.folder.write("set/photo/cat/0.png", png({2}));
  files.folder.write("set/photo/dog/0.png", png({3}));
  const auto population = files.open("owners = true");
  const Pool& pool = *population->pool();
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"photo", "sketch"}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(pool.train.targets, (std::vector<double>{0, 1, 1}));
  EXPECT_TRUE(make_source("image-folder", "folder = \"set\"\nowners = true")->names_owners());
}

TEST(ImageFolder, BringsPicturesToOneSize) {
  Pictures files;
  files.folder.write("set/a/0.png", png({10}));
  files.folder.write("set/b/0.png", png({20}, 4, 6));
  EXPECT_NE(files.refusal().find("b/0.png: is 4 x 6, but others are 2 x 2; set data.size"), std::string::npos)
      << files.refusal();
  const auto population = files.open("size = [3, 3]");
  EXPECT_EQ(population->shape().width, 27u);
  EXPECT_EQ(row(population->pool()->train, 1), std::vector<double>(27, 20.0));
  EXPECT_NE(refusal("image-folder", "folder = \"x\"\nsize = [3]").find("must be [height, width]"),
            std::string::npos);
}

// The middle two columns of four rows by two... halved: each pixel a mean with weights 1/4, 3/4, 3/4, 1/4
// along a side.
TEST(ImageFolder, FitsByMeansOfWhatIsCovered) {
  Picture wide{8, 4, 1, {}};
  for (int p = 0; p < 32; ++p) wide.pixels.push_back(static_cast<std::uint8_t>(10 * (p % 8)));
  const Picture half = fitted(wide, 2, 2, 1);
  // Columns 2 to 5 are used; those around them are neighbours of the means: (10 + 3 x 20 + 3 x 30 + 40) / 8
  // = 25.
  EXPECT_EQ(half.pixels, (std::vector<std::uint8_t>{25, 45, 25, 45}));
  const Picture same = fitted(wide, 4, 8, 1);
  EXPECT_EQ(same.pixels, wide.pixels);
}

TEST(ImageFolder, SaysWhatIsMissingOrDamaged) {
  Pictures files;
  EXPECT_NE(files.refusal().find("set"), std::string::npos);
  files.folder.write("set/a/0.png", png({1}));
  EXPECT_NE(files.refusal().find("of 1 classes; it needs a folder for each of two or more"),
            std::string::npos);
  files.folder.write("set/b/0.png", "no picture");
  EXPECT_NE(files.refusal().find("b/0.png: is no PNG or JPEG picture"), std::string::npos);
  files.folder.write("set/b/0.png", png({1}).substr(0, 40));
  EXPECT_NE(files.refusal().find("b/0.png: is a damaged PNG picture"), std::string::npos);
}

}  // namespace
}  // namespace coterie::image_folder_test
