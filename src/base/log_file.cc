#include "base/log_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/disk.h"
#include "base/faulty_disk.h"

namespace coterie {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void check_start(const OpenFile& file, const LogFile::Mark& mark) {
  if (file.size() < mark.length) {
    throw Error(file.path() +
                " is shorter than its checkpoint says; restore it, or start again with --force");
  }
  std::uint32_t sum = 0;
  std::vector<std::byte> some(std::size_t{1} << 16);
  for (std::uint64_t at = 0; at < mark.length; at += some.size()) {
    const auto part = std::span(some).first(std::min<std::uint64_t>(some.size(), mark.length - at));
    file.read(part, at);
    sum = checksum(part, sum);
  }
  if (sum == mark.checksum) return;
  throw Error(
      file.path() +
      " was changed or damaged after its checkpoint was written; restore it, or start again with --force");
}

}  // namespace

LogFile::Mark LogFile::Mark::of(std::string_view text) {
  return {text.size(), coterie::checksum(bytes_of(text))};
}

void LogFile::check(const std::string& path, const Mark& mark) {
  if (mark.length == 0) return;
  if (!is_file(path)) throw Error(path + " is missing; restore it, or start again with --force");
  check_start(OpenFile(path, OpenFile::Mode::read), mark);
}

LogFile::LogFile(const std::string& path, const Mark& mark)
    : file_(path, OpenFile::Mode::change), written_(mark.length), mark_(mark) {
  check_start(file_, mark);
  file_.resize(mark.length);
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
  mark_.length += text.size();
  mark_.checksum = checksum(bytes_of(text), mark_.checksum);
  if (waiting_.size() >= kMany) flush();
}

void LogFile::flush() {
  const std::string text = std::exchange(waiting_, {});
  if (text.empty()) return;
  if (!file_.is_open()) throw FileError("cannot write " + file_.path() + ": an earlier write failed");
  try {
    file_.write(bytes_of(text), written_);
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
