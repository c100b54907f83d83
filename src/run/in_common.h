// What the ranks of one run must have in common, checked before it begins.
#pragma once

#include <string>

#include "fleet/ranks.h"

namespace coterie {

// The program and the resolved config. Throws Error on all ranks.
void check_same_config(Ranks& ranks, const std::string& resolved);
// The file system of the run folder, which must be there: rank 0 leaves a word in it that the others read.
void check_same_folder(Ranks& ranks, const std::string& folder);

}  // namespace coterie
