// What server and clients agree on before round 1: the form of a sample, and how a table's columns become
// one. Stored in the run folder; whatever joins the run later works by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/options.h"
#include "coterie/source.h"

namespace coterie {

struct Agreement {
  Shape shape;
  bool redealt = false;              // clients get other samples from time to time
  std::optional<TableSchema> table;  // when samples come from one
  std::optional<double> rate;        // of local training, when the config leaves it to the run (fleet/rate.h)

  static Agreement of(const Roster& roster, bool redealt);
  // As TOML, and back; throws BadConfig with all mistakes.
  std::string text() const;
  static Agreement read(const std::string& text);
};

// The name of a run on the wire: the same for whoever has the same program and the same agreement.
std::uint64_t run_name(const std::string& program, const std::string& agreement);

}  // namespace coterie
