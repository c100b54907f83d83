// What the ranks of one run must have in common, checked before it begins.
#pragma once

#include <string>

#include "coterie/source.h"
#include "fleet/ranks.h"

namespace coterie {

// The program and the resolved config. Throws Error on all ranks.
void check_same_config(Ranks& ranks, const std::string& resolved);
// The clients and their sizes, as each rank read them before it let go of the rows of others. Linear in
// clients; of data that is drawn nobody has a name.
void check_same_data(Ranks& ranks, const Roster& roster);
// The round that each rank goes on from, where it finds a checkpoint.
void check_same_checkpoint(Ranks& ranks, std::uint32_t round, bool there, const std::string& folder);
// The file system of the run folder, which must be there: rank 0 leaves a word in it that the others read.
void check_same_folder(Ranks& ranks, const std::string& folder);

}  // namespace coterie
