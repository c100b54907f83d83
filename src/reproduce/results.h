// What a reproduction came to: the table that is printed, and results.csv.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/number_text.h"
#include "report/table.h"
#include "reproduce/experiment.h"

namespace coterie {

// What one of the settings gave of which a cell tells the worst.
struct VariantResult {
  std::string at;
  std::vector<double> values = {};
};

struct CellResult {
  std::string name;
  std::optional<double> paper;
  std::vector<double> values;  // one for each seed that came to an end; NaN: does not apply, or never reached

  bool median = false;  // over seeds, in place of the mean
  std::optional<double> code = {};
  std::vector<VariantResult> variants = {};
  std::string at = {};  // the worst of them, whose values are the cell's

  SampleSpread ours() const;
  // Takes the values of the variant with the lowest figure, or the highest; one without a figure counts for
  // nothing. Returns its place.
  std::size_t take_worst(bool highest);
};

// cell,paper,ours,std,seeds,scale: numbers in full, empty where there is none. A cell that tells the worst of
// several settings is followed by a line for each.
std::string results_csv(const std::vector<CellResult>& cells, Scale scale);
// Title, setup, the cells beside the paper's numbers (and those of its code, if any is known) or across, and
// what was scaled down. `cells` are in the order of the experiment's.
std::string results_text(const Experiment& experiment, const std::vector<CellResult>& cells, Marks marks);

}  // namespace coterie
