// What clients keep between rounds, in a simulation: one blob for each client, in a file, so that methods
// with a model per client need no memory for all of them at once; the system keeps of it what there is room
// for.
//
// Every client has two slots. One may hold the version that the last checkpoint names; it is never
// overwritten, so a checkpoint is an index and copies nothing, and a run that is killed finds its states as
// they were.
//
// Ranks that share the clients share the file too: each writes the slots of its own clients, and reads no
// others. A checkpoint has the index of all, so any number of ranks can go on from it.
#pragma once

#include <functional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/open_file.h"
#include "coterie/detail/archive.h"
#include "fleet/ranks.h"

namespace coterie {

class StateStore {
 public:
  // `folder`: where the file lives; "" keeps everything in (swappable) memory and cannot be resumed.
  // `mine`: which clients live in this process; nullptr: all.
  StateStore(std::size_t clients, std::string folder, Ranks& ranks = alone(),
             std::function<bool(ClientId)> mine = nullptr);

  // The newest state, empty when there is none. Thread-safe for different clients.
  Bytes get(ClientId client) const;
  void put(ClientId client, std::span<const std::byte> state);

  // The index of the newest states. After save() they are what the checkpoint names. load() reads all of
  // them, and throws Error when one is not what the checkpoint says. All ranks call both together.
  void save(Archive& a);
  void load(Archive& a);

 private:
  struct Entry {
    std::uint32_t length = 0;
    std::uint8_t slot = 0;  // where the newest is
    bool saved = false;     // whether the checkpoint names that slot
    std::uint32_t checksum = 0;
    void fields(Archive& a) { a(length, slot, checksum); }
  };

  std::string name_of(std::size_t capacity) const;
  OpenFile make_file(std::size_t capacity) const;
  static std::uint64_t place(std::size_t capacity, ClientId client, unsigned slot);
  Bytes read(ClientId client) const;
  void grow(std::size_t needed);
  void move_to(std::size_t capacity);
  bool lives_here(ClientId client) const { return !mine_ || mine_(client); }
  void share_entries();
  void open(std::size_t capacity);

  std::size_t clients_;
  std::string folder_;
  Ranks& ranks_;
  std::function<bool(ClientId)> mine_;
  std::vector<Entry> entries_;  // none before the first state is kept
  std::size_t capacity_ = 0;    // bytes of a slot
  OpenFile file_;
  std::vector<std::string> outgrown_;   // files left behind by growing since the last checkpoint
  std::vector<std::string> removable_;  // and before it
  mutable std::shared_mutex layout_;    // shared: use of slots; exclusive: growing
};

}  // namespace coterie
