// The index of a file of client states, as a checkpoint holds it, for three clients. Its first number is the
// room for a state; the file has as much.
#include <cstring>

#include "fleet/state_store.h"
#include "fuzz/scratch.h"

namespace coterie::fuzz {

void states(Input input) {
  static const Scratch kFolder;
  constexpr std::size_t kClients = 3;
  std::uint64_t room = 0;
  std::memcpy(&room, input.data(), std::min(input.size(), sizeof room));
  const std::string name = "states-" + std::to_string(room) + ".bin";
  if (room > 0 && room <= 1024) kFolder.write(name, Bytes(kClients * 2 * room));
  const auto read = [&] {
    StateStore store(kClients, kFolder.path());
    Archive a = Archive::reader(input, Precision::f64);
    store.load(a);
    a.expect_end();
    for (ClientId i = 0; i < kClients; ++i) {
      const Bytes state = store.get(i);
      check(state.size() <= room, "a state fits into its room");
    }
  };
  try {
    read();
  } catch (...) {
    kFolder.remove(name);
    throw;
  }
  kFolder.remove(name);
}

}  // namespace coterie::fuzz
