#include "fleet/state_store.h"

#include <utility>

#include "base/checksum.h"
#include "base/disk.h"
#include "base/text.h"

namespace coterie {

StateStore::StateStore(std::size_t clients, std::string folder)
    : folder_(std::move(folder)), entries_(clients) {}

std::string StateStore::name_of(std::size_t capacity) const {
  return folder_ + "/states-" + std::to_string(capacity) + ".bin";
}

// A sparse file with room for two states of each client.
OpenFile StateStore::make_file(std::size_t capacity) const {
  const std::uint64_t bytes = entries_.size() * 2 * capacity;
  if (!folder_.empty() && !is_there(name_of(capacity))) {
    make_folders(folder_);
    // Better now than in the middle of a round.
    if (const std::uint64_t free = free_bytes(folder_); free < bytes) {
      throw Error("client states may need " + human_bytes(bytes) + ", but only " + human_bytes(free) +
                  " are free in " + folder_ + "; free some space there, or choose another --out");
    }
  }
  OpenFile file = folder_.empty() ? OpenFile::in_memory("client states")
                                  : OpenFile(name_of(capacity), OpenFile::Mode::change);
  file.resize(bytes);
  return file;
}

std::uint64_t StateStore::place(std::size_t capacity, ClientId client, unsigned slot) {
  return (std::uint64_t{client} * 2 + slot) * capacity;
}

Bytes StateStore::read(ClientId client) const {
  const Entry& entry = entries_[client];
  Bytes state(entry.length);
  if (!state.empty()) file_.read(state, place(capacity_, client, entry.slot));
  return state;
}

void StateStore::grow(std::size_t needed) {
  std::unique_lock lock(layout_);
  if (needed <= capacity_) return;
  const std::size_t capacity = std::max(needed, capacity_ + capacity_ / 2);
  OpenFile file = make_file(capacity);
  for (ClientId i = 0; i < entries_.size(); ++i) {
    if (entries_[i].length > 0) file.write(read(i), place(capacity, i, entries_[i].slot));
  }
  if (file_.is_open() && !folder_.empty()) outgrown_.push_back(name_of(capacity_));
  file_ = std::move(file);
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
  file_.write(state, place(capacity_, client, slot));
  entry = {.length = static_cast<std::uint32_t>(state.size()),
           .slot = slot,
           .saved = false,
           .checksum = checksum(state)};
}

void StateStore::save(Archive& a) {
  if (file_.is_open() && !folder_.empty()) file_.sync();
  std::uint64_t capacity = capacity_;
  a(capacity, entries_);
  for (Entry& entry : entries_) entry.saved = true;
  // Files outgrown before the last checkpoint are named by none any more; later ones still may be.
  for (const std::string& file : removable_) remove_file(file);
  removable_ = std::exchange(outgrown_, {});
}

void StateStore::load(Archive& a) {
  std::uint64_t capacity = 0;
  std::size_t clients = entries_.size();
  a(capacity, entries_);
  if (entries_.size() != clients) throw Error("the checkpoint belongs to a federation with other clients");
  for (Entry& entry : entries_) {
    if (entry.length > capacity || entry.slot > 1) {
      throw Error("the checkpoint names a client state of " + std::to_string(entry.length) +
                  " bytes in slot " + std::to_string(entry.slot) + ", but there are two slots of " +
                  std::to_string(capacity) + " bytes; start again with --force");
    }
    entry.saved = true;
  }
  file_.close();
  capacity_ = 0;
  if (capacity == 0) return;
  const std::uint64_t bytes = clients * 2 * capacity;
  const bool whole = !folder_.empty() && is_file(name_of(capacity)) &&
                     OpenFile(name_of(capacity), OpenFile::Mode::read).size() == bytes;
  if (!whole) {
    throw Error("the checkpoint needs " + name_of(capacity) +
                ", which is missing or has another size; restore it, or start again with --force");
  }
  file_ = make_file(capacity);
  capacity_ = capacity;
  for (ClientId i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.slot <= 1 && entry.length <= capacity && checksum(read(i)) == entry.checksum) continue;
    throw Error(
        name_of(capacity) + ": the state of client " + std::to_string(i) +
        " was changed or damaged after the checkpoint was written; restore the file, or start again with "
        "--force");
  }
}

}  // namespace coterie
