// A config file as objects: every section's options, and the plug-ins that it names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "coterie/algorithm.h"
#include "coterie/attack.h"
#include "coterie/federation.h"
#include "fleet/fleets.h"

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

  void options(Options& o);
};

// [checkpoint]
struct CheckpointOptions {
  std::int64_t every = 10;

  void options(Options& o);
};

// [clusters], less the options of the start.
struct ClustersOptions {
  std::int64_t count = 2;
  std::string init = "random";

  void options(Options& o);
};

// A table of a method or of a start that is not the one in use.
struct UnusedTable {
  Where where;
  std::string name;  // "algorithm.ifca"
};

struct Config {
  std::string name;
  std::int64_t seed = 1;
  std::string precision = "float";

  std::string folder;  // where the file is: data may lie beside it

  FederationSpec federation;
  std::string partition = "iid";
  std::vector<std::string> shift_kinds;
  std::string model_kind = "softmax";
  std::unique_ptr<Model> model;
  ClustersOptions clusters;
  std::unique_ptr<Init> init;
  std::string algorithm_kind = "fedavg";
  std::unique_ptr<Algorithm> algorithm;
  std::string solver_kind = "sgd";
  std::unique_ptr<Solver> solver;
  AggregateOptions aggregate;
  AttackOptions attack;
  RoundsOptions rounds;
  EvaluateOptions evaluate;
  FleetOptions fleet;
  CheckpointOptions checkpoint;
  std::vector<UnusedTable> unused;

  // The same config with every default written out: running it again gives the same bits. [fleet] aside,
  // nothing in it says where or how fast it ran.
  Table resolved() const;
};

// Reads a whole table (without [sweep]). All mistakes go to `problems`; the result is usable only when there
// are none. `file` names the config in texts about missing keys.
Config read_config(const Table& table, const std::string& file, Problems& problems);

}  // namespace coterie
