#include "fleet/network.h"

#include "base/add_ons.h"
#include "coterie/registry.h"

namespace coterie {

std::unique_ptr<Network> load_network(const std::string& command) {
  if (const std::string missing = load_add_on_of("grpc"); !missing.empty())
    throw BadConfig("error: coterie " + command + " " + missing);
  return Registry<Network>::instance().make("grpc");
}

}  // namespace coterie
