#include "base/faulty_disk.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/open_file.h"
#include "support/temp_folder.h"

namespace coterie::faulty_disk_test {
namespace {

void put(OpenFile& file, std::string_view text, std::uint64_t at) {
  file.write(std::as_bytes(std::span(text.data(), text.size())), at);
}

TEST(FaultyDisk, CountsTheOperationsThatAFaultCanHappenTo) {
  TempFolder temp;
  auto count = [&](DiskFault fault) {
    FaultyDisk disk(fault, 0);
    write_atomically(temp.file("x"), "content");
    EXPECT_FALSE(disk.struck());
    return disk.operations();
  };
  // A look at what is there, opened, written, synced, renamed, the folder opened and synced.
  EXPECT_EQ(count(DiskFault::io_error), 7u);
  EXPECT_EQ(count(DiskFault::no_space), 5u);
  EXPECT_EQ(count(DiskFault::torn_write), 1u);
}

TEST(FaultyDisk, AFullDiskStaysFull) {
  TempFolder temp;
  OpenFile file(temp.file("x"), OpenFile::Mode::replace);
  {
    FaultyDisk disk(DiskFault::no_space, 2);
    put(file, "abcd", 0);
    EXPECT_THROW(put(file, "efgh", 4), FileError);
    EXPECT_EQ(disk.victim(), "write " + temp.file("x"));
    EXPECT_THROW(put(file, "efgh", 4), FileError);
    EXPECT_EQ(read_file(temp.file("x")), "abcdef") << "half of what did not fit";
  }
  put(file, "efgh", 4);
  EXPECT_EQ(read_file(temp.file("x")), "abcdefgh");
}

TEST(FaultyDisk, AShortWriteIsContinued) {
  TempFolder temp;
  OpenFile file(temp.file("x"), OpenFile::Mode::replace);
  FaultyDisk disk(DiskFault::short_write, 1);
  put(file, "abcdefgh", 0);
  EXPECT_TRUE(disk.struck());
  EXPECT_EQ(read_file(temp.file("x")), "abcdefgh");
}

TEST(FaultyDisk, NothingHappensAfterAStop) {
  TempFolder temp;
  OpenFile file(temp.file("x"), OpenFile::Mode::replace);
  {
    FaultyDisk disk(DiskFault::torn_write, 1);
    EXPECT_THROW(put(file, "abcd", 0), DiskStop);
    EXPECT_THROW(put(file, "xyzu", 0), DiskStop);
    EXPECT_THROW(remove_file(temp.file("x")), DiskStop);
  }
  EXPECT_EQ(read_file(temp.file("x")), "ab");
}

}  // namespace
}  // namespace coterie::faulty_disk_test
