#include "fleet/state_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace coterie {

StateStore::StateStore(std::size_t clients, std::string folder)
    : folder_(std::move(folder)), entries_(clients) {}

StateStore::~StateStore() {
  if (file_ >= 0) close(file_);
}

std::string StateStore::name_of(std::size_t capacity) const {
  return folder_ + "/states-" + std::to_string(capacity) + ".bin";
}

void StateStore::fail(const std::string& what) const {
  throw Error("cannot " + what + " client states" + (folder_.empty() ? "" : " in " + folder_) + ": " +
              std::strerror(errno));
}

// A sparse file with room for two states of each client.
int StateStore::make_file(std::size_t capacity) const {
  const std::size_t bytes = entries_.size() * 2 * capacity;
  if (!folder_.empty() && !std::filesystem::exists(name_of(capacity))) {
    std::filesystem::create_directories(folder_);
    // Better now than in the middle of a round.
    if (std::filesystem::space(folder_).available < bytes) {
      throw Error("client states may need " + std::to_string(bytes) + " bytes, more than is free in " +
                  folder_);
    }
  }
  const int file = folder_.empty() ? memfd_create("client states", MFD_CLOEXEC)
                                   : open(name_of(capacity).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) fail("set up " + std::to_string(bytes) + " bytes for");
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    close(file);
    fail("set up " + std::to_string(bytes) + " bytes for");
  }
  return file;
}

void StateStore::write(int file, std::size_t capacity, ClientId client, unsigned slot,
                       std::span<const std::byte> state) const {
  auto at = static_cast<off_t>((std::size_t{client} * 2 + slot) * capacity);
  while (!state.empty()) {
    const ssize_t done = pwrite(file, state.data(), state.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write");
    state = state.subspan(static_cast<std::size_t>(done));
    at += done;
  }
}

Bytes StateStore::read(ClientId client) const {
  const Entry& entry = entries_[client];
  Bytes state(entry.length);
  auto at = static_cast<off_t>((std::size_t{client} * 2 + entry.slot) * capacity_);
  for (std::span<std::byte> left(state); !left.empty();) {
    const ssize_t done = pread(file_, left.data(), left.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("read");
    left = left.subspan(static_cast<std::size_t>(done));
    at += done;
  }
  return state;
}

void StateStore::grow(std::size_t needed) {
  std::unique_lock lock(layout_);
  if (needed <= capacity_) return;
  const std::size_t capacity = std::max(needed, capacity_ + capacity_ / 2);
  const int file = make_file(capacity);
  try {
    for (ClientId i = 0; i < entries_.size(); ++i) {
      if (entries_[i].length > 0) write(file, capacity, i, entries_[i].slot, read(i));
    }
  } catch (...) {
    close(file);
    throw;
  }
  if (file_ >= 0) {
    close(file_);
    if (!folder_.empty()) outgrown_.push_back(name_of(capacity_));
  }
  file_ = file;
  capacity_ = capacity;
}

Bytes StateStore::get(ClientId client) const {
  std::shared_lock lock(layout_);
  return read(client);
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
  check(state.size() <= UINT32_MAX, "a client's state is longer than its index can say");
  const auto slot = static_cast<std::uint8_t>(entry.saved ? entry.slot ^ 1 : entry.slot);
  write(file_, capacity_, client, slot, state);
  entry = {.length = static_cast<std::uint32_t>(state.size()), .slot = slot, .saved = false};
}

void StateStore::save(Archive& a) {
  if (file_ >= 0 && !folder_.empty() && fdatasync(file_) != 0) fail("write");
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
  if (entries_.size() != clients) throw Error("the checkpoint belongs to a federation with other clients");
  for (Entry& entry : entries_) entry.saved = true;
  if (file_ >= 0) close(std::exchange(file_, -1));
  capacity_ = 0;
  if (capacity == 0) return;
  std::uintmax_t bytes = clients * 2 * capacity;
  std::error_code missing;
  if (folder_.empty() || std::filesystem::file_size(name_of(capacity), missing) != bytes || missing) {
    throw Error("the checkpoint needs " + name_of(capacity) +
                ", which is missing or has another size; start again with --force");
  }
  file_ = make_file(capacity);
  capacity_ = capacity;
}

}  // namespace coterie
