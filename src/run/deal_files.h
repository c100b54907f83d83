// coterie data deal: a simulated federation as it would be in real life, each client with a file of its own.
#pragma once

#include <string>

#include "coterie/run.h"

namespace coterie {

// Writes DIR/<client>.csv or .npz for each training client, and DIR/serve.toml, the config with which
// `coterie serve` gives the run of this one, bit for bit. Returns what was written, in words.
std::string deal_files(const RunRequest& request, const std::string& folder);

}  // namespace coterie
