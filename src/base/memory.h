// Memory that a config asks for, reckoned before it is allocated.
#pragma once

#include <string>

namespace coterie {

// Throws Error unless so many bytes fit into so many GB (fleet.memory): "`what` needs 34.0 GB, more than
// fleet.memory = 4 GB; `remedy`, or raise fleet.memory". Bytes are a double, so that products of sizes cannot
// overflow.
void check_memory(double bytes, double gigabytes, const std::string& what, const std::string& remedy);

}  // namespace coterie
