#include "run/identity.h"

namespace coterie {

std::string bits_of(Table resolved) {
  resolved.erase("checkpoint");
  if (Value* fleet = resolved.find("fleet"); fleet != nullptr && fleet->is_table()) {
    auto& options = std::get<Table>(fleet->data);
    // Which has the states of clients where `threads` has them, too: a run may go on with the other.
    if (const Value* kind = options.find("kind"); kind != nullptr && kind->text() == "\"mpi\"") {
      options.set("kind", {std::string("threads"), {}});
    }
    for (const char* key : {"quorum", "memory", "block", "gram", "deadline", "below", "inbox", "stall"})
      options.erase(key);
  }
  return write_toml(resolved);
}

std::string data_bits_of(const Table& resolved) {
  Table data;
  for (const char* section : {"precision", "data", "shift", "clients", "unseen"}) {
    if (const Value* value = resolved.find(section)) data.set(section, *value);
  }
  // Without a seed of its own the data takes the run's.
  const Value* seed = resolved.find("seed");
  if (find_path(resolved, "data.seed") == nullptr && seed != nullptr) data.set("seed", *seed);
  return write_toml(data);
}

}  // namespace coterie
