#include "data/formats/writers.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "data/error_text.h"
#include "data/idx_bytes.h"
#include "data/temp_folder.h"

namespace coterie::writers_test {
namespace {

Pool images_of_classes(std::vector<double> classes) {
  Pool pool;
  pool.train.targets = std::move(classes);
  return pool;
}

TEST(Writers, ReadsQmnistLabels) {
  TempFolder folder;
  auto file =
      folder.write_gzip("w.gz", idx_bytes(0xC02, {3, 8}, big_endian_values({5, 4, 2000, 0, 0, 0, 0, 0,  //
                                                                            0, 0, 70,   0, 0, 0, 0, 0,  //
                                                                            1, 4, 2000, 1, 0, 0, 0, 0})));
  Pool pool = images_of_classes({5, 0, 1});
  set_writers(pool, file);
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"writer 70 of hsf 0", "writer 2000 of hsf 4"}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{1, 0, 1}));

  Pool first = images_of_classes({5});  // the first image alone: a writer without rows is no client
  set_writers(first, file);
  EXPECT_EQ(first.owner_names, (std::vector<std::string>{"writer 2000 of hsf 4"}));
  EXPECT_EQ(first.owners, (std::vector<std::uint32_t>{0}));

  Pool others = images_of_classes({5, 2, 1});
  EXPECT_NE(error_text<Error>([&] { set_writers(others, file); }).find("row 1 has class 0"),
            std::string::npos);
  Pool more = images_of_classes({5, 0, 1, 1});
  EXPECT_NE(error_text<Error>([&] { set_writers(more, file); }).find("must have 4 rows"), std::string::npos);
}

TEST(Writers, ReadsRanges) {
  TempFolder folder;
  Pool pool = images_of_classes({0, 0, 0, 0, 0});
  set_writers(pool, folder.write("w.csv", "writer,hsf_range,start,count\nzoe,0,3,2\nann,0,0,3\nbob,0,5,0\n"));
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"zoe", "ann"}));
  EXPECT_EQ(pool.owners, (std::vector<std::uint32_t>{1, 1, 1, 0, 0}));
}

TEST(Writers, TellsTheSeriesOfEachWriter) {
  TempFolder folder;
  Pool pool = images_of_classes({0, 0, 0, 0, 0});
  set_writers(pool,
              folder.write("w.csv",
                           "writer,hsf_range,start,count\nzoe,hsf_4,0,2\nann,hsf_0,2,1\nnone,hsf_1,3,0\n"
                           "bob,hsf_4,3,2\n"),
              true);
  EXPECT_EQ(pool.owner_names, (std::vector<std::string>{"zoe", "ann", "bob"}));
  EXPECT_EQ(pool.truth_names, (std::vector<std::string>{"hsf_0", "hsf_4"}));
  EXPECT_EQ(pool.owner_truth, (std::vector<std::uint32_t>{1, 0, 1}));

  Pool digits = images_of_classes({5, 0});
  set_writers(digits,
              folder.write("w", idx_bytes(0xC02, {2, 8},
                                          big_endian_values({5, 4, 2000, 0, 0, 0, 0, 0,  //
                                                             0, 0, 70, 0, 0, 0, 0, 0}))),
              true);
  EXPECT_EQ(digits.truth_names, (std::vector<std::string>{"hsf 0", "hsf 4"}));
  EXPECT_EQ(digits.owner_truth, (std::vector<std::uint32_t>{0, 1}));

  Pool untold = images_of_classes({0});
  auto file = folder.write("u.csv", "writer,start,count\na,0,1\n");
  EXPECT_NE(error_text<Error>([&] { set_writers(untold, file, true); }).find("no column hsf_range"),
            std::string::npos);
}

TEST(Writers, RefusesRangesThatDoNotCutTheImages) {
  TempFolder folder;
  auto refusal = [&](const std::string& rows) {
    auto file = folder.write("w.csv", "writer,start,count\n" + rows);
    Pool pool = images_of_classes({0, 0, 0});
    return error_text<Error>([&] { set_writers(pool, file); });
  };
  EXPECT_EQ(refusal("a,0,2\nb,2,1\n"), "");
  EXPECT_NE(refusal("a,0,2\nb,1,2\n").find("w.csv:3: image 1 has another writer"), std::string::npos);
  EXPECT_NE(refusal("a,0,2\n").find("image 2 has no writer"), std::string::npos);
  EXPECT_NE(refusal("a,0,4\n").find("w.csv:2: start and count must be a range"), std::string::npos);
  EXPECT_NE(refusal("a,-1,2\n").find("must be a range"), std::string::npos);
  EXPECT_NE(refusal("a,0.5,2\n").find("must be a range"), std::string::npos);
  EXPECT_NE(refusal("a,x,2\n").find("must be a range"), std::string::npos);
}

}  // namespace
}  // namespace coterie::writers_test
