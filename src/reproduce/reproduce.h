// Reproducing a paper's tables and figures: plan, run what is not there yet, compare, draw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/experiment.h"

namespace coterie {

struct ReproduceRequest {
  std::vector<std::string> ids;  // of experiments, or of papers for all of theirs
  Scale scale = Scale::quick;
  std::optional<std::int64_t> seeds;  // default: as the experiment says
  std::vector<std::string> only;      // cells whose name holds one of these; none: all
  std::string out = "results";
  std::string data_folder;  // "": COTERIE_DATA
  std::string papers;       // folder of experiments; "": those of the program
  unsigned threads = 0;     // 0: all cores
  bool quiet = false;       // no progress
  // Processes that a launcher started share the runs; without, there is one process.
  bool spread_runs = false;
};

// Writes <out>/<id>/ for each: results.csv, the plot, and runs/. Runs that are there with the same config are
// kept or resumed. Prints a table for each to standard output. Returns true when all came to an end; a run
// that fails, and data that is missing, cost that experiment's figures and are told on standard error.
// Mistakes in experiments are a BadConfig before anything runs.
bool reproduce(const ReproduceRequest& request);

// What there is, as a table.
std::string list_experiments(const std::string& papers, const std::string& data_folder);

}  // namespace coterie
