#include "base/log_file.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/faulty_disk.h"
#include "support/temp_folder.h"

namespace coterie::log_file_test {
namespace {

TEST(LogFile, GrowsAndIsCutBack) {
  TempFolder temp;
  const std::string path = temp.file("log");
  LogFile::Mark kept;
  {
    LogFile log(path, {});
    log.append("one\n");
    EXPECT_EQ(read_file(path), "") << "gathered";
    log.flush();
    EXPECT_EQ(read_file(path), "one\n");
    log.append("two\n");
    kept = log.mark();
    EXPECT_EQ(kept.length, 8u);
    log.append("three\n");
  }
  EXPECT_EQ(read_file(path), "one\ntwo\nthree\n");
  LogFile again(path, kept);
  EXPECT_EQ(read_file(path), "one\ntwo\n");
  again.append("3\n");
  again.sync();
  EXPECT_EQ(read_file(path), "one\ntwo\n3\n");
  EXPECT_THROW(LogFile(path, {100, 0}), Error);
  EXPECT_EQ(read_file(path), "one\ntwo\n3\n") << "a log that is too short stays as it is";
}

TEST(LogFile, RefusesToGoOnAfterSomethingElse) {
  TempFolder temp;
  const std::string path = temp.file("log");
  const LogFile::Mark mark = LogFile::Mark::of("one\ntwo\n");
  write_atomically(path, "one\ntwx\nthree\n");
  EXPECT_THROW(LogFile(path, mark), Error);
  EXPECT_THROW(LogFile::check(path, mark), Error);
  EXPECT_EQ(read_file(path), "one\ntwx\nthree\n") << "nothing is cut";
  write_atomically(path, "one\ntwo\nthree\n");
  LogFile::check(path, mark);
  LogFile(path, mark);
  EXPECT_EQ(read_file(path), "one\ntwo\n");
}

TEST(LogFile, ManyLinesAreWrittenWithoutAFlush) {
  TempFolder temp;
  LogFile log(temp.file("log"), {});
  for (int i = 0; i < 100000; ++i) log.append("0123456789\n");
  EXPECT_GT(read_file(temp.file("log")).size(), 1000000u);
}

TEST(LogFile, WritesNoMoreAfterAFailure) {
  TempFolder temp;
  LogFile log(temp.file("log"), {});
  {
    FaultyDisk disk(DiskFault::io_error, 1);
    log.append("one\n");
    EXPECT_THROW(log.flush(), FileError);
  }
  log.append("two\n");
  EXPECT_THROW(log.flush(), FileError) << "or a line would be missing in between";
  EXPECT_EQ(read_file(temp.file("log")), "");
}

}  // namespace
}  // namespace coterie::log_file_test
