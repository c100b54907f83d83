#include "base/log_file.h"

#include <utility>

#include "base/disk.h"
#include "base/faulty_disk.h"

namespace coterie {

LogFile::LogFile(const std::string& path, std::uint64_t length)
    : file_(path, OpenFile::Mode::change), written_(length) {
  if (file_.size() < length) {
    throw Error(path + " is shorter than its checkpoint says; start again with --force");
  }
  file_.resize(length);
}

LogFile::~LogFile() {
  try {
    flush();
  } catch (const Error&) {
    // Whoever needs to know has called flush() or sync().
  } catch (const DiskStop&) {
  }
}

void LogFile::append(std::string_view text) {
  constexpr std::size_t kMany = std::size_t{1} << 16;
  waiting_ += text;
  if (waiting_.size() >= kMany) flush();
}

void LogFile::flush() {
  const std::string text = std::exchange(waiting_, {});
  if (text.empty()) return;
  if (!file_.is_open()) throw FileError("cannot write " + file_.path() + ": an earlier write failed");
  try {
    file_.write(std::as_bytes(std::span(text.data(), text.size())), written_);
  } catch (...) {
    file_.close();
    throw;
  }
  written_ += text.size();
}

void LogFile::sync() {
  flush();
  file_.sync();
  if (!std::exchange(in_its_folder_, true)) sync_folder(folder_of(file_.path()));
}

}  // namespace coterie
