// Several runs side by side: one row for each experiment, repeats with other seeds taken together.
#pragma once

#include <string>
#include <vector>

#include "report/gains.h"
#include "report/run_folder.h"
#include "report/run_groups.h"
#include "report/table.h"

namespace coterie {

struct Comparison {
  RunGroups groups;
  TextTable table;  // a row for each group; the best of a column is strong
  std::vector<std::string> notes;
  Gains gains;
};

// Columns that apply to no run are left out. Repeats show mean ± deviation (of a sample) and how many they
// are.
Comparison compare(const std::vector<RunRecord>& runs);

// The figures that the table has columns for, by the names that summary.json has for them.
struct ComparedFigure {
  std::string name;
  double RunSummary::*value;
};
std::vector<ComparedFigure> compared_figures(const std::vector<RunRecord>& runs);

// The table, the notes, and what clients gain.
std::string compare_table(const std::vector<RunRecord>& runs, Marks marks = Marks::star);

}  // namespace coterie
