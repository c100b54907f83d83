#include "base/memory.h"

#include <fmt/format.h>

#include "coterie/error.h"

namespace coterie {

void check_memory(double bytes, double gigabytes, const std::string& what, const std::string& remedy) {
  const double needed = bytes / 1e9;
  if (needed <= gigabytes) return;
  throw Error(fmt::format("{} needs {:.3g} GB, more than fleet.memory = {} GB; {}, or raise fleet.memory",
                          what, needed, gigabytes, remedy));
}

}  // namespace coterie
