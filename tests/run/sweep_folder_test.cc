#include "run/sweep_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/faulty_disk.h"
#include "run/folder.h"
#include "run/folder_lock.h"
#include "support/temp_folder.h"

namespace coterie::sweep_folder_test {
namespace {

namespace fs = std::filesystem;

void make_run(const std::string& folder) {
  FolderLock lock;
  lock.take(folder);
  write_atomically(folder + "/config.toml", "seed = 1\n");
}

TEST(SweepFolder, ReplacesTheRunsOnItsListAndNothingElse) {
  TempFolder temp;
  SweepFolder sweep(temp.path());
  EXPECT_EQ(sweep.refusal(false, false), "");
  sweep.open({"ifca", "fedavg", "local"}, false);
  EXPECT_TRUE(sweep.holds_sweep());
  for (const char* name : {"ifca", "fedavg", "stranger"}) make_run(temp.file(name));
  fs::create_directory(temp.file("local"));  // on the list, but no run: somebody else's
  write_atomically(temp.file("local/notes.txt"), "mine");
  write_atomically(temp.file("fedavg/notes.txt"), "mine");

  sweep.open({"ifca"}, true);
  EXPECT_TRUE(fs::exists(temp.file("ifca/config.toml"))) << "the new run clears its own folder";
  EXPECT_FALSE(fs::exists(temp.file("fedavg/config.toml")));
  EXPECT_FALSE(RunFolder(temp.file("fedavg")).holds_run());
  EXPECT_TRUE(fs::exists(temp.file("fedavg/notes.txt")));
  EXPECT_TRUE(fs::exists(temp.file("local/notes.txt")));
  EXPECT_TRUE(fs::exists(temp.file("stranger/config.toml"))) << "not of the old sweep";
}

TEST(SweepFolder, KeepsTheListWhenItIsExtended) {
  TempFolder temp;
  SweepFolder sweep(temp.path());
  sweep.open({"seed=1"}, false);
  make_run(temp.file("seed=1"));
  sweep.open({"seed=2"}, false);
  make_run(temp.file("seed=2"));
  sweep.open({"seed=3"}, true);
  EXPECT_FALSE(fs::exists(temp.file("seed=1")));
  EXPECT_FALSE(fs::exists(temp.file("seed=2")));
}

TEST(SweepFolder, IsRefusedWhereOthersHaveFiles) {
  TempFolder temp;
  write_atomically(temp.file("thesis.tex"), "mine");
  for (bool force : {false, true}) EXPECT_NE(SweepFolder(temp.path()).refusal(false, force), "");

  std::string single = temp.file("single");
  make_run(single);
  EXPECT_NE(SweepFolder(single).refusal(false, true).find("single run"), std::string::npos);

  SweepFolder sweep(temp.file("sweep"));
  sweep.open({"a"}, false);
  EXPECT_EQ(sweep.refusal(false, false), "") << "nothing of it has begun";
  make_run(temp.file("sweep/a"));
  EXPECT_NE(sweep.refusal(false, false).find("already holds a sweep"), std::string::npos);
  EXPECT_EQ(sweep.refusal(true, false), "");
  EXPECT_EQ(sweep.refusal(false, true), "");
}

TEST(SweepFolder, AKillBeforeItsListIsWholeLeavesAFolderThatItCanUse) {
  for (std::uint64_t n = 1;; ++n) {
    TempFolder temp;
    SweepFolder sweep(temp.file("out"));
    bool struck = false;
    {
      FaultyDisk disk(DiskFault::stop, n);
      try {
        sweep.open({"a", "b"}, false);
      } catch (const DiskStop&) {
        struck = true;
      }
    }
    EXPECT_EQ(sweep.refusal(false, false), "") << n;
    EXPECT_EQ(sweep.refusal(true, false), "") << n;
    EXPECT_EQ(sweep.refusal(false, true), "") << n;
    if (!struck) break;
  }
}

TEST(SweepFolder, ADamagedListIsNamed) {
  TempFolder temp;
  SweepFolder sweep(temp.path());
  for (const char* text : {"", "{", "[]", "{\"runs\":3}"}) {
    write_atomically(temp.file("sweep.json"), text);
    try {
      sweep.refusal(true, false);
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("sweep.json does not list the runs"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace coterie::sweep_folder_test
