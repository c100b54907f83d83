// What a reproduction came to: the table that is printed, and results.csv.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/number_text.h"
#include "report/table.h"
#include "reproduce/experiment.h"

namespace coterie {

struct CellResult {
  std::string name;
  std::optional<double> paper;
  std::vector<double> values;  // one for each seed that came to an end; NaN: does not apply, or never reached

  bool median = false;  // over seeds, in place of the mean
  std::optional<double> code = {};

  SampleSpread ours() const;
};

// cell,paper,ours,std,seeds,scale: numbers in full, empty where there is none.
std::string results_csv(const std::vector<CellResult>& cells, Scale scale);
// Title, setup, the cells beside the paper's numbers (and those of its code, if any is known) or across, and
// what was scaled down. `cells` are in the order of the experiment's.
std::string results_text(const Experiment& experiment, const std::vector<CellResult>& cells, Marks marks);

}  // namespace coterie
