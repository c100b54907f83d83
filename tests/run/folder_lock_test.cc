#include "run/folder_lock.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "run/folder.h"
#include "support/temp_folder.h"

namespace coterie::folder_lock_test {
namespace {

TEST(FolderLock, HasOneHolderAtATimeAndMarksTheFolder) {
  TempFolder temp;
  std::string folder = temp.file("a/b");
  {
    FolderLock first;
    first.take(folder);
    first.take(folder);  // one's own lock is no hindrance
    EXPECT_TRUE(RunFolder(folder).holds_run());
    FolderLock second;
    EXPECT_THROW(second.take(folder), Error);
  }
  FolderLock third;
  EXPECT_NO_THROW(third.take(folder));
}

}  // namespace
}  // namespace coterie::folder_lock_test
