// What server and clients agree on before round 1: the form of a sample, and how a table's columns become
// one. Stored in the run folder; whatever joins the run later works by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/options.h"
#include "coterie/source.h"
#include "data/row_cut.h"

namespace coterie {

struct Agreement {
  Shape shape;
  bool redealt = false;              // clients get other samples from time to time
  std::optional<TableSchema> table;  // when samples come from one
  // Of local training, and of one step on a client's gradient, when the config leaves them to the run
  // (fleet/rate.h).
  std::optional<double> rate, gradient_rate;
  // Where a session trains on a part of the clients' training rows, and scores them on another (coterie fit).
  std::optional<RowCut> cut;

  static Agreement of(const Roster& roster, bool redealt);
  // As TOML, and back; throws BadConfig with all mistakes.
  std::string text() const;
  static Agreement read(const std::string& text);
};

// The name of a run on the wire: the same for whoever has the same program and the same agreement. `life`
// tells apart runs of one config, and what a run did before and after a server was started again; 0 where
// orders cannot outlive their run.
std::uint64_t run_name(const std::string& program, const std::string& agreement, std::uint64_t life = 0);

}  // namespace coterie
