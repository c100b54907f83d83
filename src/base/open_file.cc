#include "base/open_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/disk.h"
#include "base/faulty_disk.h"

namespace coterie {

namespace {

constexpr int kFlags[] = {O_RDONLY, O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_TRUNC};

}  // namespace

OpenFile::OpenFile(std::string path, Mode mode) : path_(std::move(path)) {
  const bool reads = mode == Mode::read;
  const int error = judge_operation(reads ? DiskDeed::read : DiskDeed::make, path_).error;
  if (error == 0) file_ = open(path_.c_str(), kFlags[static_cast<int>(mode)] | O_CLOEXEC, 0644);
  if (file_ < 0) throw_file_error(reads ? "read" : "write", path_, error != 0 ? error : errno);
}

OpenFile OpenFile::in_memory(std::string name) {
  OpenFile made;
  made.path_ = std::move(name);
  made.file_ = memfd_create("coterie", MFD_CLOEXEC);
  if (made.file_ < 0) throw_file_error("make", made.path_, errno);
  return made;
}

OpenFile::~OpenFile() { close(); }

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_);
  file_ = std::exchange(other.file_, -1);
  return *this;
}

std::uint64_t OpenFile::size() const {
  struct stat about {};
  int error = judge_operation(DiskDeed::look, path_).error;
  if (error == 0 && fstat(file_, &about) != 0) error = errno;
  if (error != 0) throw_file_error("read", path_, error);
  return static_cast<std::uint64_t>(about.st_size);
}

void OpenFile::resize(std::uint64_t length) {
  int error = judge_operation(DiskDeed::make, path_).error;
  if (error == 0 && ftruncate(file_, static_cast<off_t>(length)) != 0) error = errno;
  if (error != 0) throw_file_error("write", path_, error);
}

void OpenFile::write(std::span<const std::byte> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const auto verdict = judge_operation(DiskDeed::write, path_, bytes.size());
    if (verdict.error != 0) throw_file_error("write", path_, verdict.error);
    ssize_t done = pwrite(file_, bytes.data(), verdict.bytes, static_cast<off_t>(at));
    if (done < 0 && errno == ESPIPE) done = ::write(file_, bytes.data(), verdict.bytes);
    if (verdict.stop_after) throw DiskStop{};
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw_file_error("write", path_, done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

std::size_t OpenFile::read_some(std::span<std::byte> bytes, std::uint64_t at) const {
  std::size_t have = 0;
  while (have < bytes.size()) {
    const int error = judge_operation(DiskDeed::read, path_).error;
    if (error != 0) throw_file_error("read", path_, error);
    const ssize_t done =
        pread(file_, bytes.data() + have, bytes.size() - have, static_cast<off_t>(at + have));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_file_error("read", path_, errno);
    if (done == 0) break;
    have += static_cast<std::size_t>(done);
  }
  return have;
}

void OpenFile::read(std::span<std::byte> bytes, std::uint64_t at) const {
  if (read_some(bytes, at) < bytes.size()) {
    throw FileError("cannot read " + path_ + ": it is shorter than it was when it was written");
  }
}

void OpenFile::sync() {
  int error = judge_operation(DiskDeed::sync, path_).error;
  if (error == 0 && fdatasync(file_) != 0) error = errno;
  if (error != 0) throw_file_error("write", path_, error);
}

void OpenFile::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace coterie
