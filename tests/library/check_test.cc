#include "library/check.h"

#include <gtest/gtest.h>

#include "base/md5.h"
#include "coterie/error.h"
#include "data/idx_bytes.h"
#include "data/temp_folder.h"

namespace coterie::check_test {
namespace {

const std::string kImages = idx_bytes(0x00000803, {2, 1, 2}, "abcd");

KnownFile images(const std::string& md5, const std::string& content_md5) {
  return {"some-images-idx3-ubyte", FileKind::idx_bytes, {2, 1, 2}, md5, content_md5};
}

TEST(Check, AFileWithThePublishedSumIsGood) {
  TempFolder folder;
  folder.write("some-images-idx3-ubyte", kImages);
  FileReport report = check_file(images(md5_of(kImages), ""), folder.path().string());
  EXPECT_TRUE(report.good) << report.found;
  EXPECT_EQ(report.found, "20 B, 2 x 1 x 2, md5 as published");
}

TEST(Check, AFileGzippedAnewIsGoodByItsContent) {
  TempFolder folder;
  folder.write_gzip("some-images-idx3-ubyte.gz", kImages);
  FileReport report = check_file(images("0123", md5_of(kImages)), folder.path().string());
  EXPECT_TRUE(report.good) << report.found;
  EXPECT_NE(report.found.find("content as published"), std::string::npos) << report.found;
}

TEST(Check, OtherContentOtherSizesAndDamageAreBad) {
  TempFolder folder;
  std::string path = folder.path().string();
  folder.write("some-images-idx3-ubyte", kImages);
  FileReport other = check_file(images("0123", "4567"), path);
  EXPECT_FALSE(other.good);
  EXPECT_NE(other.found.find("md5 differs from the published 0123"), std::string::npos) << other.found;

  KnownFile wide = images("", "");
  wide.shape = {2, 2, 2};
  FileReport small = check_file(wide, path);
  EXPECT_FALSE(small.good);
  EXPECT_NE(small.found.find("2 x 1 x 2, but should be 2 x 2 x 2"), std::string::npos) << small.found;

  folder.write("some-images-idx3-ubyte", kImages.substr(0, 18));
  EXPECT_FALSE(check_file(images(md5_of(kImages), ""), path).good);
  EXPECT_EQ(check_file({"absent", FileKind::bytes, {1}, "", ""}, path).found, "missing");
}

TEST(Check, WithoutAPublishedSumTheShapeDecides) {
  TempFolder folder;
  folder.write("table.csv", "a,b\n1,2\n3,4");
  KnownFile table{"table.csv", FileKind::csv, {2}, "", ""};
  FileReport report = check_file(table, folder.path().string());
  EXPECT_TRUE(report.good);
  EXPECT_EQ(report.found, "11 B, 2 rows, no published checksum");
  table.shape = {3};
  EXPECT_FALSE(check_file(table, folder.path().string()).good);
}

TEST(Library, ASlipInANameIsNamed) {
  EXPECT_EQ(known_set("mnist").files.size(), 4u);
  try {
    known_set("minst");
    FAIL();
  } catch (const BadConfig& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"mnist\""), std::string::npos) << e.what();
  }
}

TEST(Library, MissingDataNamesEachSetAndTheCommand) {
  TempFolder folder;
  std::string path = folder.path().string();
  EXPECT_EQ(missing_data({"digits"}, path), "");
  folder.write("heart-disease/heart_disease_4hospitals.csv", "x\n");
  EXPECT_EQ(missing_data({"digits", "heart-disease"}, path), "");
  std::string text = missing_data({"heart-disease", "mnist", "femnist"}, path);
  EXPECT_NE(text.find("coterie data get mnist femnist"), std::string::npos) << text;
}

TEST(Library, RealMnistIsWhole) {
  std::string folder = find_set(known_set("mnist"), data_folder(""));
  if (folder.empty())
    GTEST_SKIP() << "MNIST is not part of the project: set COTERIE_DATA to a folder that holds mnist";
  for (const FileReport& report : check_set(known_set("mnist"), folder))
    EXPECT_TRUE(report.good) << report.found;
}

}  // namespace
}  // namespace coterie::check_test
