#include "fleet/state_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace coterie {
namespace {

constexpr std::size_t kLarge = 1 << 16;  // bytes of a state from which letting its pages go pays

}  // namespace

StateStore::StateStore(std::size_t clients, std::string folder)
    : folder_(std::move(folder)), entries_(clients) {}

StateStore::~StateStore() { unmap(); }

std::string StateStore::file_of(std::size_t capacity) const {
  return folder_ + "/states-" + std::to_string(capacity) + ".bin";
}

void StateStore::map(std::size_t capacity) {
  std::size_t bytes = entries_.size() * 2 * capacity;
  void* where = MAP_FAILED;
  if (folder_.empty()) {
    where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  } else {
    std::filesystem::create_directories(folder_);
    // The file is sparse, and a write that the disk has no room for would kill the program: ask first.
    if (std::filesystem::space(folder_).available < bytes) {
      throw Error("client states may need " + std::to_string(bytes) + " bytes, more than is free in " +
                  folder_);
    }
    int file = open(file_of(capacity).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
      where = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (file >= 0) close(file);
  }
  if (where == MAP_FAILED) {
    throw Error("cannot set up " + std::to_string(bytes) + " bytes for client states" +
                (folder_.empty() ? "" : " in " + file_of(capacity)) + ": " + std::strerror(errno));
  }
  base_ = static_cast<std::byte*>(where);
  capacity_ = capacity;
}

void StateStore::unmap() {
  if (base_ != nullptr) munmap(base_, entries_.size() * 2 * capacity_);
  base_ = nullptr;
}

void StateStore::grow(std::size_t needed) {
  std::unique_lock lock(layout_);
  if (needed <= capacity_) return;
  std::byte* old = base_;
  std::size_t old_capacity = capacity_;
  map(std::max(needed, old_capacity + old_capacity / 2));
  if (old == nullptr) return;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    std::byte* to = at(static_cast<ClientId>(i), entry.slot);
    const std::byte* from = old + (i * 2 + entry.slot) * old_capacity;
    std::memcpy(to, from, entry.length);
    let_go(to, entry.length);
    let_go(from, entry.length);
  }
  munmap(old, entries_.size() * 2 * old_capacity);
  if (!folder_.empty()) outgrown_.push_back(file_of(old_capacity));
}

Bytes StateStore::get(ClientId client) const {
  std::shared_lock lock(layout_);
  const Entry& entry = entries_[client];
  if (entry.length == 0) return {};
  const std::byte* from = at(client, entry.slot);
  Bytes state(from, from + entry.length);
  let_go(from, entry.length);
  return state;
}

void StateStore::put(ClientId client, std::span<const std::byte> state) {
  std::shared_lock lock(layout_);
  while (state.size() > capacity_) {
    lock.unlock();
    grow(state.size());
    lock.lock();
  }
  Entry& entry = entries_[client];
  if (state.empty() && entry.length == 0) return;
  if (entry.saved) entry.slot ^= 1;
  entry.saved = false;
  entry.length = static_cast<std::uint32_t>(state.size());
  if (state.empty()) return;
  std::memcpy(at(client, entry.slot), state.data(), state.size());
  let_go(at(client, entry.slot), state.size());
}

// The pages are those of a shared file: what was written is not lost, and whoever needs one finds it again.
void StateStore::let_go(const std::byte* begin, std::size_t length) const {
  if (folder_.empty() || length < kLarge) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + length) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void StateStore::save(Archive& a) {
  if (base_ != nullptr && !folder_.empty() && msync(base_, entries_.size() * 2 * capacity_, MS_SYNC) != 0) {
    throw Error("cannot write " + file_of(capacity_) + ": " + std::strerror(errno));
  }
  std::uint64_t capacity = capacity_;
  a(capacity, entries_);
  for (Entry& entry : entries_) entry.saved = true;
  // Files outgrown before the last checkpoint are named by none any more; later ones still may be.
  for (const std::string& file : removable_) std::filesystem::remove(file);
  removable_ = std::exchange(outgrown_, {});
}

void StateStore::load(Archive& a) {
  std::uint64_t capacity = 0;
  std::size_t clients = entries_.size();
  a(capacity, entries_);
  if (entries_.size() != clients) throw Error("the checkpoint is of a federation with other clients");
  for (Entry& entry : entries_) entry.saved = true;
  unmap();
  capacity_ = 0;
  if (capacity == 0) return;
  std::uintmax_t bytes = clients * 2 * capacity;
  std::error_code missing;
  if (folder_.empty() || std::filesystem::file_size(file_of(capacity), missing) != bytes || missing) {
    throw Error("the checkpoint needs " + file_of(capacity) +
                ", which is missing or has another size; start again with --force");
  }
  map(capacity);
}

}  // namespace coterie
