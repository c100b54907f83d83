// A column that describes clients against their groups: Cramer's V for texts, eta squared for numbers.
#pragma once

#include <cstdint>

#include "fit/portrait.h"

namespace coterie {

// `number`: of the column, for its own permutations.
GroupPortrait::Association associate(const Reading::Description& column, const GroupEvidence& evidence,
                                     std::uint64_t seed, std::uint32_t number);

}  // namespace coterie
