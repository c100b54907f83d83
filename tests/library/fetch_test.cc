#include "library/fetch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/md5.h"
#include "data/temp_folder.h"
#include "run/folder.h"

namespace coterie::fetch_test {
namespace {

namespace fs = std::filesystem;

// A set that is "fetched" from this machine, through the same programs.
KnownSet local_set(const TempFolder& folder, const std::string& md5) {
  KnownSet set;
  set.name = "small";
  set.files = {{"table.csv", FileKind::csv, {1}, "", md5}};
  set.ways = {{DataWay::Kind::files, "file://" + (folder.path() / "nowhere/").string()},
              {DataWay::Kind::files, "file://" + (folder.path() / "mirror/").string()}};
  return set;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(Fetch, TriesOneWayAfterTheOther) {
  TempFolder folder;
  folder.write_gzip("mirror/table.csv.gz", "a\n1\n");
  std::string data = (folder.path() / "data").string();
  int tried = 0;
  fetch_set(local_set(folder, md5_of("a\n1\n")), data, [&](const std::string&) { ++tried; });
  EXPECT_EQ(tried, 2);
  EXPECT_TRUE(fs::exists(data + "/small/table.csv.gz"));
  EXPECT_EQ(entries(data), 1u);  // no work folder is left
}

TEST(Fetch, WhatIsNotWholeIsNotKept) {
  TempFolder folder;
  folder.write_gzip("mirror/table.csv.gz", "a\n2\n");
  std::string data = (folder.path() / "data").string();
  try {
    fetch_set(local_set(folder, md5_of("a\n1\n")), data, [](const std::string&) {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("md5 differs"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("nowhere"), std::string::npos) << e.what();
  }
  EXPECT_EQ(entries(data), 0u);
}

TEST(Fetch, ASetWithoutAWaySaysWhatPeopleDo) {
  TempFolder folder;
  try {
    fetch_set(known_set("heart-disease"), folder.path().string(), [](const std::string&) {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("archive.ics.uci.edu"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace coterie::fetch_test
