// Numbers that tell whether data is the same: a checkpoint holds those of the data that its run began with.
#pragma once

#include <cstdint>
#include <string_view>

#include "coterie/data.h"

namespace coterie {

// Of the shape, the scaling and every value, in order. It tells an exchanged or damaged file; it is no
// protection against somebody who makes collisions.
std::uint64_t fingerprint(const Samples& samples);
std::uint64_t fingerprint(std::string_view text);

// Brings one more number into a fingerprint; the order matters.
std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t number);

}  // namespace coterie
