// A config with a section [fit] is a fit, not a run.
#pragma once

#include "coterie/run.h"
#include "fit/fit.h"

namespace coterie {

bool is_fit(const RunRequest& request);
FitRequest fit_request(const RunRequest& request);
// The status of the program.
int run_fit_file(const RunRequest& request);

}  // namespace coterie
