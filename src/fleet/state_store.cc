#include "fleet/state_store.h"

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/disk.h"
#include "base/text.h"

namespace coterie {

StateStore::StateStore(std::size_t clients, std::string folder, Ranks& ranks,
                       std::function<bool(ClientId)> mine)
    : clients_(clients), folder_(std::move(folder)), ranks_(ranks), mine_(std::move(mine)) {}

std::string StateStore::name_of(std::size_t capacity) const {
  return folder_ + "/states-" + std::to_string(capacity) + ".bin";
}

// A sparse file with room for two states of each client.
OpenFile StateStore::make_file(std::size_t capacity) const {
  const std::uint64_t bytes = clients_ * 2 * capacity;
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
  if (entries_.empty()) return {};
  const Entry& entry = entries_[client];
  Bytes state(entry.length);
  if (!state.empty()) file_.read(state, place(capacity_, client, entry.slot));
  return state;
}

void StateStore::grow(std::size_t needed) {
  std::unique_lock lock(layout_);
  if (needed <= capacity_) return;
  move_to(std::max(needed, capacity_ + capacity_ / 2));
}

void StateStore::move_to(std::size_t capacity) {
  if (entries_.empty()) entries_.resize(clients_);
  OpenFile file = make_file(capacity);
  for (ClientId i = 0; i < entries_.size(); ++i) {
    if (entries_[i].length > 0 && lives_here(i)) file.write(read(i), place(capacity, i, entries_[i].slot));
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
  if (state.empty() && (entries_.empty() || entries_[client].length == 0)) return;
  Entry& entry = entries_[client];
  check(state.size() <= UINT32_MAX, "a client's state is longer than its index can say");
  const auto slot = static_cast<std::uint8_t>(entry.saved ? entry.slot ^ 1 : entry.slot);
  file_.write(state, place(capacity_, client, slot));
  entry = {.length = static_cast<std::uint32_t>(state.size()),
           .slot = slot,
           .saved = false,
           .checksum = checksum(state)};
}

// Each rank knows of its own clients; afterwards each knows of all, and the same files.
void StateStore::share_entries() {
  if (ranks_.count() == 1) return;
  std::pair<std::vector<std::pair<ClientId, Entry>>, std::vector<std::string>> own;
  own.second = outgrown_;
  for (ClientId i = 0; i < entries_.size(); ++i) {
    if (lives_here(i)) own.first.emplace_back(i, entries_[i]);
  }
  outgrown_.clear();
  for (const Bytes& one : ranks_.gather(encode(own, Precision::f64))) {
    const auto theirs = decode<decltype(own)>(one, Precision::f64);
    for (const auto& [client, entry] : theirs.first) entries_[client] = entry;
    outgrown_.insert(outgrown_.end(), theirs.second.begin(), theirs.second.end());
  }
  std::sort(outgrown_.begin(), outgrown_.end());
  outgrown_.erase(std::unique(outgrown_.begin(), outgrown_.end()), outgrown_.end());
}

void StateStore::save(Archive& a) {
  std::uint64_t capacity = largest_of(ranks_, capacity_);
  together(ranks_, [&] {
    if (capacity > capacity_) move_to(capacity);
    if (file_.is_open() && !folder_.empty()) file_.sync();
  });
  share_entries();
  a(capacity, entries_);
  for (Entry& entry : entries_) entry.saved = true;
  // Files outgrown before the last checkpoint are named by none any more; later ones still may be.
  for (const std::string& file : removable_) {
    if (ranks_.leads()) remove_file(file);
  }
  removable_ = std::exchange(outgrown_, {});
}

void StateStore::load(Archive& a) {
  std::uint64_t capacity = 0;
  a(capacity, entries_);
  const bool none = entries_.empty() && capacity == 0;
  if (!none && entries_.size() != clients_)
    throw Error("the checkpoint belongs to a federation with other clients");
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
  if (capacity > 0) together(ranks_, [&] { open(capacity); });
}

// The file that a checkpoint names, with the states in it.
void StateStore::open(std::size_t capacity) {
  const std::uint64_t bytes = clients_ * 2 * capacity;
  const bool whole = !folder_.empty() && is_file(name_of(capacity)) &&
                     OpenFile(name_of(capacity), OpenFile::Mode::read).size() == bytes;
  if (!whole) {
    throw Error("the checkpoint needs " + name_of(capacity) +
                ", which is missing or has another size; restore it, or start again with --force");
  }
  file_ = make_file(capacity);
  capacity_ = capacity;
  for (ClientId i = 0; i < entries_.size(); ++i) {
    if (!lives_here(i)) continue;
    const Entry& entry = entries_[i];
    if (entry.slot <= 1 && entry.length <= capacity && checksum(read(i)) == entry.checksum) continue;
    throw Error(
        name_of(capacity) + ": the state of client " + std::to_string(i) +
        " was changed or damaged after the checkpoint was written; restore the file, or start again with "
        "--force");
  }
}

}  // namespace coterie
