// One program writes a run folder at a time: a lock on its mark, which the system gives up when the program
// ends, however it ends.
#pragma once

#include <string>

#include "base/open_file.h"

namespace coterie {

class FolderLock {
 public:
  // Makes the folder and its mark where they are not there. Throws Error when another program has the lock.
  void take(const std::string& folder);
  // Whether a program has the lock of a folder. Touches nothing.
  static bool held(const std::string& folder);

 private:
  OpenFile file_;
};

}  // namespace coterie
