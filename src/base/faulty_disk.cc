#include "base/faulty_disk.h"

#include <atomic>
#include <cerrno>

#include "coterie/error.h"

namespace coterie {

namespace {

std::atomic<FaultyDisk*> g_faulty_disk{nullptr};

const char* deed_name(DiskDeed deed) {
  constexpr const char* kNames[] = {"look at", "read", "make", "write", "sync", "rename", "remove"};
  return kNames[static_cast<int>(deed)];
}

bool takes_space(DiskDeed deed) {
  return deed == DiskDeed::make || deed == DiskDeed::write || deed == DiskDeed::sync ||
         deed == DiskDeed::rename;
}

}  // namespace

FaultyDisk::FaultyDisk(DiskFault fault, std::uint64_t at) : fault_(fault), at_(at) {
  FaultyDisk* none = nullptr;
  check(g_faulty_disk.compare_exchange_strong(none, this), "there is a faulty disk already");
}

FaultyDisk::~FaultyDisk() { g_faulty_disk.store(nullptr); }

std::uint64_t FaultyDisk::operations() const {
  std::lock_guard lock(mutex_);
  return operations_;
}

bool FaultyDisk::concerns(DiskDeed deed) const {
  if (fault_ == DiskFault::no_space) return takes_space(deed);
  if (fault_ == DiskFault::short_write || fault_ == DiskFault::torn_write) return deed == DiskDeed::write;
  return true;
}

FaultyDisk::Verdict FaultyDisk::judge(DiskDeed deed, const std::string& path, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  const bool stops = fault_ == DiskFault::stop || fault_ == DiskFault::torn_write;
  if (struck() && stops) throw DiskStop{};
  const Verdict well{0, bytes, false};
  if (!concerns(deed)) return well;
  const bool now = ++operations_ == at_;
  if (now) victim_ = std::string(deed_name(deed)) + " " + path;
  const bool one_byte_or_more = deed == DiskDeed::write && bytes > 1;
  const Verdict half{0, bytes / 2, false};
  switch (fault_) {
    case DiskFault::none:
      return well;
    case DiskFault::no_space:
      if (!struck()) return well;
      return now && one_byte_or_more ? half : Verdict{ENOSPC, 0, false};
    case DiskFault::io_error:
      return now ? Verdict{EIO, 0, false} : well;
    case DiskFault::short_write:
      return now && one_byte_or_more ? half : well;
    case DiskFault::stop:
      if (now) throw DiskStop{};
      return well;
    case DiskFault::torn_write:
      return now ? Verdict{0, bytes / 2, true} : well;
  }
  return well;
}

FaultyDisk::Verdict judge_operation(DiskDeed deed, const std::string& path, std::size_t bytes) {
  FaultyDisk* disk = g_faulty_disk.load(std::memory_order_relaxed);
  return disk == nullptr ? FaultyDisk::Verdict{0, bytes, false} : disk->judge(deed, path, bytes);
}

}  // namespace coterie
