// From a config to runs that are ready to go: what is planned, and whether each may have its folder.
#pragma once

#include <string>
#include <vector>

#include "coterie/run.h"
#include "fleet/ranks.h"
#include "run/config.h"

namespace coterie {

// One run that is ready to go: its config, its place, and how it is to be run.
struct ReadyRun {
  Config config;
  std::string label;
  std::string folder;
  bool resume = false;  // what is in the folder
  bool longer = false;  // goes on with a run of fewer rounds
  bool done = false;    // nothing is left to do
};

// Reads and checks every planned run, and the folders they want, before any of them starts. All mistakes are
// reported together, as a BadConfig.
std::vector<ReadyRun> prepare(const RunRequest& request, Ranks& ranks);

// Where data sets are looked for.
std::string data_folder(const RunRequest& request);

}  // namespace coterie
