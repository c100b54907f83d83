// For tests: while a FaultyDisk exists, one operation of the file layer goes wrong, counted from 1 over the
// operations that this fault can happen to. No config and no variable reaches it; without it an operation
// costs one more look at a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace coterie {

enum class DiskFault {
  none,         // counts only
  no_space,     // from here on the disk is full: this write stores half, and later ones nothing
  io_error,     // this operation fails, the next ones work
  short_write,  // this write stores half and says so, which is no failure
  stop,         // as if the program were killed before this operation
  torn_write,   // as if it were killed when half of this write was done
};

enum class DiskDeed { look, read, make, write, sync, rename, remove };

// Thrown at a stop, and at every operation after it. No Error: nothing may take it for a failure and go on.
struct DiskStop {};

class FaultyDisk {
 public:
  FaultyDisk(DiskFault fault, std::uint64_t at);
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // Operations that this fault could have happened to, so far.
  std::uint64_t operations() const;
  // Whether the fault has happened, and to what: "write runs/a/rounds.jsonl".
  bool struck() const { return !victim_.empty(); }
  const std::string& victim() const { return victim_; }

  // What becomes of an operation: an error code, or how many of its bytes are written.
  struct Verdict {
    int error = 0;
    std::size_t bytes = 0;
    bool stop_after = false;
  };
  Verdict judge(DiskDeed deed, const std::string& path, std::size_t bytes);

 private:
  bool concerns(DiskDeed deed) const;

  const DiskFault fault_;
  const std::uint64_t at_;
  mutable std::mutex mutex_;
  std::uint64_t operations_ = 0;
  std::string victim_;
};

// For the file layer: the verdict of the test's disk; where there is none, that all is well.
FaultyDisk::Verdict judge_operation(DiskDeed deed, const std::string& path, std::size_t bytes = 0);

}  // namespace coterie
