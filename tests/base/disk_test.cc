#include "base/disk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/faulty_disk.h"
#include "support/temp_folder.h"

namespace coterie::disk_test {
namespace {

namespace fs = std::filesystem;

template <class Work>
std::string failure(Work&& work) {
  try {
    work();
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

TEST(Disk, TellsWhatIsThere) {
  TempFolder temp;
  make_folders(temp.file("a/b/"));
  write_atomically(temp.file("a/file"), "x");
  EXPECT_TRUE(is_folder(temp.file("a/b")));
  EXPECT_FALSE(is_file(temp.file("a/b")));
  EXPECT_TRUE(is_file(temp.file("a/file")));
  EXPECT_FALSE(is_there(temp.file("a/none")));
  EXPECT_FALSE(is_there(temp.file("a/file/inside")));
  EXPECT_EQ(names_in(temp.file("a")), (std::vector<std::string>{"b", "file"}));
  EXPECT_TRUE(names_in(temp.file("none")).empty());
  EXPECT_GT(free_bytes(temp.path()), 0u);
}

TEST(Disk, AFileIsReplacedWhole) {
  TempFolder temp;
  const std::string path = temp.file("x");
  for (const std::size_t length : {std::size_t{0}, std::size_t{3}, std::size_t{65536}, std::size_t{300000}}) {
    write_atomically(path, std::string(length, 'a'));
    EXPECT_EQ(read_file(path), std::string(length, 'a'));
  }
  EXPECT_EQ(names_in(temp.path()), std::vector<std::string>{"x"}) << "the temporary file is gone";
}

TEST(Disk, ADeviceKeepsItsName) {
  write_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Disk, RemovesFilesAndEmptyFoldersOnly) {
  TempFolder temp;
  make_folders(temp.file("full"));
  write_atomically(temp.file("full/x"), "x");
  remove_file(temp.file("none"));
  remove_file(temp.file("full"));
  remove_if_empty(temp.file("full"));
  remove_if_empty(temp.file("none"));
  EXPECT_TRUE(is_file(temp.file("full/x")));
  remove_file(temp.file("full/x"));
  remove_if_empty(temp.file("full"));
  EXPECT_FALSE(is_there(temp.file("full")));
}

TEST(Disk, SaysWhichFileWhatIsWrongAndWhatToDo) {
  TempFolder temp;
  write_atomically(temp.file("file"), "x");
  EXPECT_EQ(failure([&] { read_file(temp.file("none")); }),
            "cannot read " + temp.file("none") + ": no such file or folder; check the path");
  EXPECT_NE(failure([&] { read_file(temp.path()); }).find("it is a folder, not a file"), std::string::npos);
  EXPECT_NE(failure([&] { make_folders(temp.file("file/below")); }).find("is a file, not a folder"),
            std::string::npos);
  EXPECT_NE(failure([&] { write_atomically(temp.file("no/such"), "x"); }).find("cannot write"),
            std::string::npos);
  const std::string text = failure([&] { make_folders(temp.file(std::string(5000, 'x'))); });
  EXPECT_NE(text.find("the name is too long; choose a shorter one"), std::string::npos) << text;
  EXPECT_LT(text.size(), 500u) << "the name itself is cut";
}

TEST(Disk, MissingPermissionIsNotAnAbsentFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root may do everything";
  TempFolder temp;
  make_folders(temp.file("closed"));
  chmod(temp.file("closed").c_str(), 0);
  EXPECT_NE(failure([&] { is_there(temp.file("closed/x")); }).find("no permission"), std::string::npos);
  chmod(temp.file("closed").c_str(), 0755);
}

// Whatever fails at whichever step, the file has the old content or the new one, and the new one if nothing
// was said.
TEST(Disk, AFailureLeavesTheOldFileOrTheNewOne) {
  const std::string before(1000, 'a'), after(3000, 'b');
  for (const DiskFault fault : {DiskFault::no_space, DiskFault::io_error, DiskFault::short_write,
                                DiskFault::stop, DiskFault::torn_write}) {
    for (std::uint64_t n = 1;; ++n) {
      TempFolder temp;
      const std::string path = temp.file("x");
      write_atomically(path, before);
      bool said = false, struck = false;
      {
        FaultyDisk disk(fault, n);
        try {
          write_atomically(path, after);
        } catch (const FileError& e) {
          said = true;
          EXPECT_NE(std::string(e.what()).find(temp.path()), std::string::npos) << e.what();
        } catch (const DiskStop&) {
          said = true;
        }
        struck = disk.struck();
      }
      const std::string content = read_file(path);
      EXPECT_TRUE(content == after || (said && content == before)) << static_cast<int>(fault) << " at " << n;
      EXPECT_EQ(said, struck && fault != DiskFault::short_write) << static_cast<int>(fault) << " at " << n;
      if (!struck) break;
    }
  }
}

}  // namespace
}  // namespace coterie::disk_test
