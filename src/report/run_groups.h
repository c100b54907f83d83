// Which of several runs are repeats of one experiment, and by what the experiments differ.
//
// Runs whose configs agree in everything but the seed form a group. The keys by which groups differ, swept or
// not, are found from the configs, so that any set of runs can be compared, not only those of one sweep.
#pragma once

#include <string>
#include <vector>

#include "report/run_folder.h"

namespace coterie {

struct RunGroup {
  std::vector<std::size_t> runs;    // indices, in the order given
  std::vector<std::string> values;  // of RunGroups::keys, as TOML; "" where the config does not have the key
  std::string label;                // tells it from the other groups: "ifca, rate 0.1"
};

struct RunGroups {
  // Shown first: "name" where names differ, "algorithm" always, then the last part of each config key by
  // which groups differ (its full path where that is ambiguous). When very many keys differ, "run" in
  // their place: a short name from the folders of the runs.
  std::vector<std::string> keys;
  std::vector<RunGroup> groups;  // in order of their first run
};

// Throws Error when a config.toml cannot be parsed.
RunGroups group_runs(const std::vector<RunRecord>& runs);

}  // namespace coterie
