// Numbers that rows of a pool can be put in order by.
#pragma once

#include <span>
#include <string>

#include "coterie/source.h"

namespace coterie {

// Of these training rows, NaN where missing: "target"; "mean" and "deviation" of a row's features; a column
// of numbers of a table; or the number of a feature, from 0. Throws Error when there is none of the name.
Vec row_property(const Pool& pool, std::span<const std::uint32_t> rows, const std::string& name);

}  // namespace coterie
