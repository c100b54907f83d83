// A comparison for papers and programs: numbers as CSV, the table as LaTeX, each chart as an SVG file.
#pragma once

#include <string>
#include <vector>

#include "report/compare.h"

namespace coterie {

// One line for each experiment: what it differs by, how many runs it has, then mean and deviation (of a
// sample, empty for a single run) of each figure of the table, in full precision and plain units (shares,
// bytes, seconds).
std::string comparison_csv(const std::vector<RunRecord>& runs, const Comparison& comparison);

// A booktabs table; the best of each column is bold. Needs \usepackage{booktabs}.
std::string comparison_latex(const Comparison& comparison);

// Text as LaTeX shows it.
std::string escape_latex(const std::string& text);

// Writes <folder>/accuracy.svg and the like; returns their paths.
std::vector<std::string> write_charts(const std::vector<RunRecord>& runs, const Comparison& comparison,
                                      const std::string& folder);

}  // namespace coterie
