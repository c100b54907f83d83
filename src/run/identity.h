// Whether two runs are the same one.
#pragma once

#include <string>

#include "base/value.h"

namespace coterie {

// What decides a run's bits, as text: the resolved config less what only says how it is run.
std::string bits_of(Table resolved);
// The part of it that decides the data: equal texts, equal federations.
std::string data_bits_of(const Table& resolved);

}  // namespace coterie
