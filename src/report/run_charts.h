// The curves of a run, and of several runs over each other.
#pragma once

#include <string>
#include <vector>

#include "report/chart.h"
#include "report/run_folder.h"
#include "report/run_groups.h"

namespace coterie {

struct NamedChart {
  std::string title;
  std::string stem;  // of the file that it may go to: "accuracy"
  std::vector<Curve> curves;
  ChartFrame frame;
};

// More curves than this in one chart cannot be told apart.
inline constexpr std::size_t kMostCurves = 16;

// Accuracy, loss, parameter error, agreement, sizes of clusters; those without curves too.
std::vector<NamedChart> run_charts(const RunRecord& run);

// The mean of each experiment at the rounds that all its runs have, with a band from the lowest to the
// highest run where there are several.
std::vector<NamedChart> comparison_charts(const std::vector<RunRecord>& runs, const RunGroups& groups);

}  // namespace coterie
