// The findings as text, in a fixed order: what was read, whether clients differ, groups or a continuum, what
// predicts best, stability, what the groups are, calibration, warnings, two sentences.
#pragma once

#include <string>

#include "fit/decision.h"
#include "report/table.h"

namespace coterie {

std::string fit_text(const FitFindings& findings, Marks marks);

// Tables that the page shows too.
TextTable leaderboard(const FitFindings& findings, bool seconds);
TextTable portrait_table(const FitFindings& findings, std::size_t most);
TextTable calibration_table(const FitFindings& findings);

}  // namespace coterie
