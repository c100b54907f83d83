// The registries, one for each interface: defined here and nowhere else, so that there is one of each in a
// process.
#include "base/registries.h"

#include "coterie/registry.h"

namespace coterie {
namespace {

WatchRegistrations* watching = nullptr;

}  // namespace

WatchRegistrations::WatchRegistrations() {
  check(watching == nullptr, "plug-ins are loaded one at a time");
  watching = this;
}
WatchRegistrations::~WatchRegistrations() { watching = nullptr; }

void report_name_taken(const std::string& name) {
  check(watching != nullptr, "two plug-ins are called " + name);
  watching->add(name);
}

class Aggregator;
class Algorithm;
class Attack;
class FleetKind;
class Init;
class Metric;
class Model;
class Network;
class Partition;
class Shift;
class Solver;
class Source;
class TierAdapt;
class TierDistance;
class TierObjective;
class TierWeights;

template <class Interface>
Registry<Interface>& Registry<Interface>::instance() {
  static Registry registry;
  return registry;
}

template Registry<Aggregator>& Registry<Aggregator>::instance();
template Registry<Algorithm>& Registry<Algorithm>::instance();
template Registry<Attack>& Registry<Attack>::instance();
template Registry<FleetKind>& Registry<FleetKind>::instance();
template Registry<Init>& Registry<Init>::instance();
template Registry<Metric>& Registry<Metric>::instance();
template Registry<Model>& Registry<Model>::instance();
template Registry<Network>& Registry<Network>::instance();
template Registry<Partition>& Registry<Partition>::instance();
template Registry<Shift>& Registry<Shift>::instance();
template Registry<Solver>& Registry<Solver>::instance();
template Registry<Source>& Registry<Source>::instance();
template Registry<TierAdapt>& Registry<TierAdapt>::instance();
template Registry<TierDistance>& Registry<TierDistance>::instance();
template Registry<TierObjective>& Registry<TierObjective>::instance();
template Registry<TierWeights>& Registry<TierWeights>::instance();

}  // namespace coterie
