// split.csv: where each row of the user's table went.
#pragma once

#include "data/federation/federation.h"
#include "run/folder.h"

namespace coterie {

// A line for each row that somebody has: its number in the table, its client and that client's name, and its
// part: train, validation, test, or unseen. Nothing for data that is no user's table.
void write_split(const RunFolder& folder, const Federation& federation);

}  // namespace coterie
