// Figures from what runs left behind.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reproduce/experiment.h"

namespace coterie {

// What a cell reports of one run: NaN when it does not apply, or was never reached. Throws Error when the run
// has no figure of that name.
double measure_run(const Measure& measure, const std::string& folder);

// (round, figure) of the evaluated rounds; with those of the start, training rounds count on from them, and
// so do the rounds of a start's later trials from those of the earlier ones.
using Curve = std::vector<std::pair<double, double>>;
Curve curve_of(const std::string& folder, const std::string& figure, bool start = false);

}  // namespace coterie
