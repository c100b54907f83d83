// `coterie fit`: from a table to two answers with their evidence: what to use, and whether there are groups.
#pragma once

#include <string>

#include "base/value.h"
#include "fit/config.h"

namespace coterie {

class Elsewhere;

struct FitRequest {
  Table config;             // [data] and [fit], and what else a run's config may have
  std::string file;         // what errors call it; the data may lie beside it
  std::string out;          // "": runs/<name>-<seed>
  std::string data_folder;  // "": COTERIE_DATA
  unsigned threads = 0;     // 0: all cores
  bool resume = false;
  bool force = false;
  bool quiet = false;
  // Processes that a launcher started share the candidates; the first goes on alone, with what all have
  // found.
  bool spread_runs = false;
  Elsewhere* elsewhere = nullptr;  // clients that join over a network; [data] then names no file
};

struct FitOutcome {
  std::string folder;
  bool finished = false;  // false: asked to stop; what is done is kept
  bool helped = false;    // this process is not the first, and has done its share
  std::string text;       // the findings
  std::string error;      // the chosen run failed, or no candidate is usable
};

// Writes decision.json, fit.txt, fit.html and the chosen run into the folder. Mistakes in the config are a
// BadConfig before anything is written.
FitOutcome run_fit(const FitRequest& request);

}  // namespace coterie
