// One program writes a run folder at a time: a lock on its mark, which the system gives up when the program
// ends, however it ends.
#pragma once

#include <string>

namespace coterie {

class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Makes the folder and its mark where they are not there. Throws Error when another program has the lock.
  void take(const std::string& folder);

 private:
  int file_ = -1;
};

}  // namespace coterie
