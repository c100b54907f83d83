// What clients keep between rounds, in a simulation: one blob for each client, in a file, so that methods
// with a model per client need no memory for all of them at once; the system keeps of it what there is room
// for.
//
// Every client has two slots. One may hold the version that the last checkpoint names; it is never
// overwritten, so a checkpoint is an index and copies nothing, and a run that is killed finds its states as
// they were.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/open_file.h"
#include "coterie/detail/archive.h"

namespace coterie {

class StateStore {
 public:
  // `folder`: where the file lives; "" keeps everything in (swappable) memory and cannot be resumed.
  StateStore(std::size_t clients, std::string folder);

  // The newest state, empty when there is none. Thread-safe for different clients.
  Bytes get(ClientId client) const;
  void put(ClientId client, std::span<const std::byte> state);

  // The index of the newest states. After save() they are what the checkpoint names. load() reads all of
  // them, and throws Error when one is not what the checkpoint says.
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

  std::string folder_;
  std::vector<Entry> entries_;
  std::size_t capacity_ = 0;  // bytes of a slot
  OpenFile file_;
  std::vector<std::string> outgrown_;   // files left behind by growing since the last checkpoint
  std::vector<std::string> removable_;  // and before it
  mutable std::shared_mutex layout_;    // shared: use of slots; exclusive: growing
};

}  // namespace coterie
