#include "run/folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/faulty_disk.h"
#include "run/checkpoint.h"
#include "support/temp_folder.h"

namespace coterie::folder_test {
namespace {

TEST(RunFolder, LogsAreCutBackToACheckpoint) {
  TempFolder temp;
  RunFolder folder(temp.file("run"));
  folder.create();
  folder.open_logs({}, {});
  Record record;
  record.set("accuracy", 0.5);
  record.set("sizes", std::vector<double>{3, 0});
  record.set("ari", std::nan(""));
  folder.log_round(1, "train", record);
  auto [rounds, events] = folder.sync_logs();
  folder.log_round(2, "train", record);
  folder.log_event({2, "rejected", ClientId{7}, "left out client 7", {{"loss", 2.5}}});
  folder.flush_logs();

  RunFolder again(temp.file("run"));
  again.open_logs(rounds, events);
  EXPECT_EQ(read_file(again.file("rounds.jsonl")),
            "{\"round\":1,\"phase\":\"train\",\"accuracy\":0.5,\"sizes\":[3.0,0.0],\"ari\":null}\n");
  EXPECT_EQ(read_file(again.file("events.jsonl")), "");
  again.log_event({2, "rejected", ClientId{7}, "left out client 7", {{"loss", 2.5}}});
  again.flush_logs();
  EXPECT_EQ(read_file(again.file("events.jsonl")),
            "{\"round\":2,\"kind\":\"rejected\",\"client\":7,\"text\":\"left out client 7\",\"loss\":2.5}\n");
  EXPECT_THROW(RunFolder(temp.file("run")).open_logs({1000000, 0}, {}), Error)
      << "a log shorter than its checkpoint says";
}

TEST(RunFolder, TimesAreCutBackToARound) {
  TempFolder temp;
  RunFolder folder(temp.path());
  folder.open_times(0);
  folder.log_time(1, 0.25);
  folder.log_time(2, 1.5);
  folder.log_time(3, 3);
  folder.open_logs({}, {});
  folder.flush_logs();
  EXPECT_EQ(read_file(folder.file("times.csv")), "round,seconds\n1,0.250000\n2,1.500000\n3,3.000000\n");

  RunFolder again(temp.path());
  again.open_times(2);
  again.open_logs({}, {});
  again.log_time(3, 4);
  again.flush_logs();
  EXPECT_EQ(read_file(again.file("times.csv")), "round,seconds\n1,0.250000\n2,1.500000\n3,4.000000\n");

  RunFolder fresh(temp.path());
  fresh.open_times(0);
  fresh.open_logs({}, {});
  fresh.flush_logs();
  EXPECT_EQ(read_file(fresh.file("times.csv")), "round,seconds\n");
}

TEST(RunFolder, ClearRemovesWhatARunWroteAndNothingElse) {
  TempFolder temp;
  RunFolder folder(temp.path());
  folder.create();
  EXPECT_FALSE(folder.holds_run());
  std::filesystem::create_directory(folder.file("models"));
  const std::vector<std::string> ours = {"config.toml",
                                         "rounds.jsonl",
                                         "events.jsonl",
                                         "summary.json",
                                         "models/cluster-0.safetensors",
                                         "checkpoint/checkpoint.bin",
                                         "checkpoint/states-1024.bin"};
  const std::vector<std::string> mine = {"notes.txt", "models/mine.bin", "models/cluster-7.safetensors",
                                         "checkpoint/states-old.bin"};
  for (const std::string& name : ours) write_atomically(folder.file(name), "x");
  for (const std::string& name : mine) write_atomically(folder.file(name), "mine");
  write_atomically(folder.file("schema.json"), R"({"models":["models/cluster-0.safetensors","../x"]})");
  EXPECT_TRUE(folder.holds_run());
  folder.clear();
  EXPECT_FALSE(folder.holds_run());
  for (const std::string& name : ours) EXPECT_FALSE(std::filesystem::exists(folder.file(name))) << name;
  for (const std::string& name : mine) EXPECT_EQ(read_file(folder.file(name)), "mine") << name;
}

TEST(RunFolder, RemovesTheModelsThatItsSchemaLists) {
  TempFolder temp;
  RunFolder folder(temp.path());
  folder.remove_models();
  make_folders(folder.file("models"));
  for (const char* name : {"models/cluster-0.safetensors", "models/cluster-1.safetensors", "models/mine"})
    write_atomically(folder.file(name), "x");
  write_atomically(folder.file("schema.json"),
                   R"({"models":["models/cluster-1.safetensors","models/mine"]})");
  folder.remove_models();
  EXPECT_EQ(names_in(folder.file("models")), (std::vector<std::string>{"cluster-0.safetensors", "mine"}));
}

TEST(RunFolder, KnowsItsModelsFromItsSummaryWhenTheSchemaIsDamaged) {
  TempFolder temp;
  RunFolder folder(temp.path());
  make_folders(folder.file("models"));
  for (const char* name : {"models/cluster-0.safetensors", "models/cluster-1.safetensors", "models/mine"})
    write_atomically(folder.file(name), "x");
  write_atomically(folder.file("schema.json"), "{\"models\":[\"mod");
  write_atomically(
      folder.file("summary.json"),
      R"({"checksums":{"models/cluster-1.safetensors":"0","models/mine":"0","config.toml":"0"}})");
  EXPECT_EQ(folder.models(), std::vector<std::string>{"models/cluster-1.safetensors"});
  folder.reopen("rounds = 2");
  EXPECT_EQ(names_in(folder.file("models")), (std::vector<std::string>{"cluster-0.safetensors", "mine"}));
  EXPECT_FALSE(folder.finished());
  EXPECT_EQ(read_file(folder.file("config.toml")), "rounds = 2");
}

TEST(RunFolder, WhatCannotBeRemovedIsNamed) {
  TempFolder temp;
  RunFolder folder(temp.path());
  write_atomically(folder.file(kRunMark), "");
  write_atomically(folder.file("config.toml"), "x");
  FaultyDisk disk(DiskFault::io_error, 5);  // after looks for the mark, schema, summary and states
  try {
    folder.clear();
    FAIL() << "a failure went unsaid";
  } catch (const FileError& e) {
    EXPECT_EQ(std::string(e.what()).find("cannot remove " + folder.file("summary.json")), 0u) << e.what();
  }
}

TEST(RunFolder, ClearLeavesAFolderAloneThatHoldsNoRun) {
  TempFolder temp;
  RunFolder folder(temp.path());
  EXPECT_TRUE(folder.vacant());
  write_atomically(folder.file("config.toml"), "mine");
  write_atomically(folder.file("summary.json"), "mine");
  EXPECT_FALSE(folder.vacant());
  EXPECT_FALSE(folder.holds_run());
  folder.clear();
  EXPECT_EQ(read_file(folder.file("config.toml")), "mine");
  EXPECT_EQ(read_file(folder.file("summary.json")), "mine");
}

TEST(Checkpoint, RoundTripsAndRefusesDamage) {
  TempFolder temp;
  RunFolder folder(temp.path());
  folder.create();
  folder.open_logs({}, {});
  EXPECT_FALSE(read_checkpoint(folder));
  Checkpoint checkpoint;
  checkpoint.round = 7;
  checkpoint.rounds.length = 123;
  checkpoint.state = Bytes(50, std::byte{3});
  write_checkpoint(folder, checkpoint);
  std::optional<Checkpoint> back = read_checkpoint(folder);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->round, 7u);
  EXPECT_EQ(back->rounds.length, 123u);
  EXPECT_EQ(back->state, Bytes(50, std::byte{3}));

  std::string path = folder.file("checkpoint/checkpoint.bin");
  std::string whole = read_file(path);
  for (std::size_t at : {std::size_t{0}, std::size_t{30}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_atomically(path, damaged);
    EXPECT_THROW(read_checkpoint(folder), Error) << at;
  }
  write_atomically(path, whole.substr(0, 40));
  EXPECT_THROW(read_checkpoint(folder), Error);
}

TEST(WriteAtomically, ReplacesAndReportsFailure) {
  TempFolder temp;
  write_atomically(temp.file("x"), "one");
  write_atomically(temp.file("x"), "two");
  EXPECT_EQ(read_file(temp.file("x")), "two");
  EXPECT_FALSE(std::filesystem::exists(temp.file("x.new")));
  EXPECT_THROW(write_atomically(temp.file("no/such/folder"), "x"), Error);
}

}  // namespace
}  // namespace coterie::folder_test
