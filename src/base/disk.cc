#include "base/disk.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "base/excerpt.h"
#include "base/faulty_disk.h"
#include "base/open_file.h"

namespace coterie {

namespace {

struct Reason {
  int code;
  const char* what;
  const char* to_do;
};

constexpr Reason kReasons[] = {
    {ENOSPC, "no space is left on the device", "free some space there, or choose another folder"},
    {EDQUOT, "your quota on the device is used up", "free some space there, or choose another folder"},
    {EFBIG, "the file is larger than the file system or ulimit -f allows", "choose another folder"},
    {EACCES, "no permission", "change the permissions, or choose another folder"},
    {EPERM, "no permission", "change the permissions, or choose another folder"},
    {EROFS, "the file system is read-only", "choose another folder"},
    {ENAMETOOLONG, "the name is too long",
     "choose a shorter one: a file's or folder's name has at most 255 "
     "bytes, a whole path at most 4095"},
    {EIO, "the device reports an input/output error", "check the device, then try again"},
    {ENOENT, "no such file or folder", "check the path"},
    {ENOTDIR, "a part of the path is a file, not a folder", "choose another folder"},
    {EISDIR, "it is a folder, not a file", "move it away, or choose another folder"},
    {ELOOP, "a symbolic link leads back to itself", "check the links on the path"},
    {EMFILE, "too many files are open", "raise the limit (ulimit -n), then try again"},
    {ENFILE, "too many files are open on this machine", "wait, then try again"},
    {ENOMEM, "there is not enough memory", "free some memory, then try again"},
    {ESTALE, "the network file system has lost it", "mount it again, then try again"},
    {ETXTBSY, "a program that is running uses it", "choose another file"},
};

// What is at a path; nothing when there is nothing.
std::optional<mode_t> kind_of(const std::string& path) {
  struct stat about {};
  int error = judge_operation(DiskDeed::look, path).error;
  if (error == 0 && stat(path.c_str(), &about) == 0) return about.st_mode;
  if (error == 0) error = errno;
  if (error != ENOENT && error != ENOTDIR) throw_file_error("read", path, error);
  return std::nullopt;
}

}  // namespace

std::string reason_of(int code) {
  for (const Reason& one : kReasons) {
    if (one.code == code) return std::string(one.what) + "; " + one.to_do;
  }
  return std::strerror(code);
}

void throw_file_error(std::string_view deed, const std::string& path, int code) {
  throw FileError("cannot " + std::string(deed) + " " + excerpt(path) + ": " + reason_of(code));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_file(const std::string& path) {
  const auto kind = kind_of(path);
  return kind && S_ISREG(*kind);
}

bool is_folder(const std::string& path) {
  const auto kind = kind_of(path);
  return kind && S_ISDIR(*kind);
}

bool is_there(const std::string& path) { return kind_of(path).has_value(); }

std::vector<std::string> names_in(const std::string& folder) {
  int error = judge_operation(DiskDeed::look, folder).error;
  std::unique_ptr<DIR, int (*)(DIR*)> list(error == 0 ? opendir(folder.c_str()) : nullptr, closedir);
  if (!list) {
    if (error == 0) error = errno;
    if (error == ENOENT || error == ENOTDIR) return {};
    throw_file_error("read", folder, error);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(list.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    errno = 0;
  }
  if (errno != 0) throw_file_error("read", folder, errno);
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t free_bytes(const std::string& folder) {
  struct statvfs about {};
  int error = judge_operation(DiskDeed::look, folder).error;
  if (error == 0 && statvfs(folder.c_str(), &about) != 0) error = errno;
  if (error != 0) throw_file_error("read", folder, error);
  return std::uint64_t{about.f_bavail} * about.f_frsize;
}

std::string read_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const OpenFile file(path, OpenFile::Mode::read);
  std::string content;
  while (true) {
    const std::size_t have = content.size();
    content.resize(std::max(kPiece, 2 * have));
    const std::size_t got = file.read_some(std::as_writable_bytes(std::span(content).subspan(have)), have);
    if (have + got < content.size()) {
      content.resize(have + got);
      return content;
    }
  }
}

void make_folders(const std::string& path) {
  if (path.empty() || is_folder(path)) return;
  const std::string above = folder_of(path);
  if (above != path) make_folders(above);
  int error = judge_operation(DiskDeed::make, path).error;
  if (error == 0 && mkdir(path.c_str(), 0777) != 0) error = errno;
  // Another program may have made it, and "a/" has been made as "a".
  if (error == EEXIST && is_folder(path)) return;
  if (error != 0) throw_file_error("make the folder", path, error == EEXIST ? ENOTDIR : error);
  sync_folder(above);
}

void write_atomically(const std::string& path, std::string_view content) {
  if (const auto kind = kind_of(path); kind && !S_ISREG(*kind) && !S_ISDIR(*kind)) {
    // A device or a pipe has a name that must stay.
    OpenFile(path, OpenFile::Mode::change).write(std::as_bytes(std::span(content.data(), content.size())), 0);
    return;
  }
  const std::string temporary = path + ".new";
  OpenFile file(temporary, OpenFile::Mode::replace);
  file.write(std::as_bytes(std::span(content.data(), content.size())), 0);
  file.sync();
  file.close();
  int error = judge_operation(DiskDeed::rename, path).error;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) throw_file_error("write", path, error);
  sync_folder(folder_of(path));
}

void remove_file(const std::string& path) {
  int error = judge_operation(DiskDeed::remove, path).error;
  if (error == 0 && unlink(path.c_str()) != 0) error = errno;
  const bool harmless = error == ENOENT || error == ENOTDIR || error == EISDIR;
  if (error != 0 && !harmless) throw_file_error("remove", path, error);
}

void remove_if_empty(const std::string& folder) {
  int error = judge_operation(DiskDeed::remove, folder).error;
  if (error == 0 && rmdir(folder.c_str()) != 0) error = errno;
  const bool harmless = error == ENOENT || error == ENOTDIR || error == ENOTEMPTY || error == EEXIST;
  if (error != 0 && !harmless) throw_file_error("remove", folder, error);
}

void sync_folder(const std::string& folder) { OpenFile(folder, OpenFile::Mode::read).sync(); }

}  // namespace coterie
