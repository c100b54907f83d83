// A file that only grows: lines are appended, and it can be cut back to a length it had.
//
// Lines are gathered and written by flush(), or when there are many; sync() waits until they are on the disk.
// After a failure it writes no more: what is on the disk then is up to that place what was appended, and may
// end in half a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/open_file.h"

namespace coterie {

class LogFile {
 public:
  LogFile() = default;
  // Makes the file when it is not there and cuts it to `length`. Throws Error when it is shorter than that.
  LogFile(const std::string& path, std::uint64_t length);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  LogFile(LogFile&& other) noexcept = default;
  LogFile& operator=(LogFile&& other) noexcept = default;

  void append(std::string_view text);
  void flush();
  void sync();
  // Its length with all that was appended.
  std::uint64_t length() const { return written_ + waiting_.size(); }

 private:
  OpenFile file_;
  std::string waiting_;
  std::uint64_t written_ = 0;
  bool in_its_folder_ = false;  // whether the folder's list is known to be on the disk
};

}  // namespace coterie
