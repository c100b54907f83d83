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
  // How long it was at some time, and a checksum of all that was in it then.
  struct Mark {
    std::uint64_t length = 0;
    std::uint32_t checksum = 0;
    static Mark of(std::string_view text);
    template <class A>
    void fields(A& a) {
      a(length, checksum);
    }
  };
  // Makes the file when it is not there and cuts it back to a mark. Throws Error, and changes nothing, when
  // it is shorter than that or holds something else.
  LogFile(const std::string& path, const Mark& mark);
  // Throws Error unless the file begins with what the mark says.
  static void check(const std::string& path, const Mark& mark);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  LogFile(LogFile&& other) noexcept = default;
  LogFile& operator=(LogFile&& other) noexcept = default;

  void append(std::string_view text);
  void flush();
  void sync();
  // Of all that was appended.
  const Mark& mark() const { return mark_; }

 private:
  OpenFile file_;
  std::string waiting_;
  std::uint64_t written_ = 0;
  Mark mark_;
  bool in_its_folder_ = false;  // whether the folder's list is known to be on the disk
};

}  // namespace coterie
