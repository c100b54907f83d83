#include "run/folder_lock.h"

#include <sys/file.h>

#include <cerrno>

#include "base/disk.h"
#include "run/folder.h"

namespace coterie {

void FolderLock::take(const std::string& folder) {
  if (file_.is_open()) return;
  make_folders(folder);
  file_ = OpenFile(folder + "/" + kRunMark, OpenFile::Mode::change);
  // Some network file systems have no locks; there, nothing can be said.
  if (flock(file_.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    file_.close();
    throw Error("another program is writing to " + folder + "; wait for it to end, or choose another --out");
  }
}

bool FolderLock::held(const std::string& folder) {
  const std::string mark = folder + "/" + kRunMark;
  if (!is_file(mark)) return false;
  const OpenFile file(mark, OpenFile::Mode::read);
  return flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace coterie
