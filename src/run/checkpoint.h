// checkpoint/checkpoint.bin: the state after the training of a round and before its evaluation. Whoever
// resumes evaluates that round first.
//
// It also knows what it was made from. A run goes on only with the same program, config and data; whatever
// differs is said before anything is touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/log_file.h"
#include "coterie/detail/archive.h"
#include "run/folder.h"

namespace coterie {

class Session;

// What the bits of a run depend on besides its state.
struct Origin {
  std::string version;    // of the program
  std::string config;     // a hash of the config, the number of rounds aside
  std::string agreement;  // as in agreement.toml
  // The data: clients that were looked at, their samples, and the sum of their fingerprints, which ranks and
  // remote clients can add theirs to. Of generated data 100 clients are enough: config and program say the
  // rest.
  std::uint64_t clients = 0;
  std::uint64_t samples = 0;
  std::uint64_t fingerprint = 0;

  static Origin of(Session& session);
  void fields(Archive& a) { a(version, config, agreement, clients, samples, fingerprint); }
};

struct Checkpoint {
  std::uint32_t round = 0;
  LogFile::Mark rounds;  // how far the logs belong to it
  LogFile::Mark events;
  double seconds = 0;      // of training so far
  double all_seconds = 0;  // with evaluation
  Origin origin;
  Bytes state;

  void fields(Archive& a) { a(round, rounds, events, seconds, all_seconds, origin, state); }
};

// The state is gone from it afterwards.
void write_checkpoint(const RunFolder& folder, Checkpoint& checkpoint);
// Nothing when there is none; an Error when it is damaged or of another version.
std::optional<Checkpoint> read_checkpoint(const RunFolder& folder);

// Throws Error when a run cannot go on from here: what differs, and what to do.
void check_origin(const Origin& then, const Origin& now, const std::string& folder);

}  // namespace coterie
