// One run, from its folder to its summary.
#pragma once

#include "run/ready.h"

namespace coterie {

// Returns false when it was asked to stop before the end; there is then a checkpoint, if there was a round.
// Throws Error when the run fails.
bool run_one(const ReadyRun& run, const RunRequest& request);

}  // namespace coterie
