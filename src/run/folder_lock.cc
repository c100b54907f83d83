#include "run/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "coterie/error.h"
#include "run/folder.h"

namespace coterie {

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

void FolderLock::take(const std::string& folder) {
  if (file_ >= 0) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error("cannot make the folder " + folder + ": " + error.message());
  std::string mark = folder + "/" + kRunMark;
  file_ = open(mark.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw Error("cannot write " + mark + ": " + std::strerror(errno));
  // Some network file systems have no locks; there, nothing can be said.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    file_ = -1;
    throw Error("another program is writing to " + folder + "; wait for it to end, or choose another --out");
  }
}

}  // namespace coterie
