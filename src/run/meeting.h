// How a run meets clients that hold their data elsewhere: whom it waits for, and which life of the run it is.
#pragma once

#include "run/folder.h"
#include "run/session.h"

namespace coterie {

// What clients that hold their own data read it by: TOML, the sections data and clients of a config, its seed
// and its precision, without files and paths.
std::string reading_text(const Config& config);

// Sets options that name a file or a folder of data where the config leaves them out: each client has its
// own.
void leave_files_to_clients(Table& table);

// A life for a run that begins or goes on, from what its folder says of the last one. It is kept by
// write_life().
struct Life {
  std::uint64_t run = 0;     // drawn when the run began
  std::uint64_t number = 0;  // of its starts
  std::uint64_t name() const;
};
Life drawn_life();
Life next_life(const RunFolder& folder, bool resume);
void write_life(const RunFolder& folder, const Life& life);

// Waits for the clients of a run; nothing when the program was asked to stop. Those of a run that goes on are
// known from its folder.
std::optional<ElsewhereRun> meet(const Config& config, Elsewhere& clients, const RunFolder& folder,
                                 bool resume);
// `before`: those of a run that goes on; none when it begins.
std::optional<ElsewhereRun> meet(const Config& config, Elsewhere& clients, std::vector<Introduction> before);
void write_clients_met(const RunFolder& folder, const JoinedRoster& roster);

}  // namespace coterie
