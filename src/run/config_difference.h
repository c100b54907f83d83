// By what two resolved configs differ, in words.
#pragma once

#include <string>

#include "base/value.h"

namespace coterie {

// "rounds.count = 20 there, 30 here; ..." for the first few keys; "" when there are none. Keys that change no
// bit of a run, such as how often it is saved, are not looked at.
std::string config_difference(const Table& there, const Table& here);

// Whether all that differs is that more rounds are wanted here: what is done there stays as it is.
bool wants_more_rounds(const Table& there, const Table& here);

}  // namespace coterie
