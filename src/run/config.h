// A config file as objects: every section's options, and the plug-ins that it names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "coterie/algorithm.h"
#include "coterie/attack.h"
#include "coterie/methods/slots.h"
#include "data/federation/federation.h"
#include "fleet/fleets.h"
#include "fleet/program.h"

namespace coterie {

// [rounds]
struct RoundsOptions {
  std::int64_t count = 50;
  double participation = 1.0;
  std::optional<std::int64_t> cohort;

  void options(Options& o);
};

// [evaluate]
struct EvaluateOptions {
  std::int64_t every = 1;
  std::optional<std::int64_t> clients;
  std::string tests = "sets";  // or "clients", "clients-always"
  bool labels = true;
  bool means = true;
  std::vector<std::string> metrics = {"auto"};

  void options(Options& o);
};

// [checkpoint]
struct CheckpointOptions {
  std::int64_t every = 10;

  void options(Options& o);
};

// Everything that a file says: the program of server and clients, and what is the server's alone.
struct Config : Program {
  std::string name;
  std::string folder;  // where the file is: data may lie beside it

  FederationSpec federation;
  std::string partition = "iid";
  std::vector<std::string> shift_kinds;
  AggregateOptions aggregate;
  AttackOptions attack;
  RoundsOptions rounds;
  EvaluateOptions evaluate;
  std::string fleet_name = "threads";
  std::unique_ptr<FleetKind> fleet_kind;
  FleetOptions fleet;
  CheckpointOptions checkpoint;

  // The same config with every default written out: running it again gives the same bits. [fleet] aside,
  // nothing in it says where or how fast it ran.
  Table resolved() const;
};

// Reads a whole table (without [sweep]). All mistakes go to `problems`; the result is usable only when there
// are none. `file` names the config in texts about missing keys.
Config read_config(const Table& table, const std::string& file, Problems& problems);

}  // namespace coterie
