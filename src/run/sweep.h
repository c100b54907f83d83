// Sweeps: one config file that stands for the product of some lists.
#pragma once

#include <string>
#include <vector>

#include "base/value.h"

namespace coterie {

// One run of a sweep, or the only run of a plain config.
struct PlannedRun {
  std::string label;  // its folder: the swept values, "ifca" or "ifca,rate=0.1"; "" when nothing is swept
  Table table;        // without [sweep]
};

// "a.b=v" from the command line; v is a TOML value, or plain text where it is not one.
struct Override {
  std::string path;
  Value value;
};
Override parse_override(const std::string& text);

// Applies the overrides and takes the product of [sweep]'s lists, the last one fastest. An override of a
// swept key takes it out of the sweep; one of "sweep.KEY" adds a list. Mistakes in [sweep] go to `problems`.
std::vector<PlannedRun> plan_runs(Table table, const std::vector<Override>& overrides, Problems& problems);

}  // namespace coterie
