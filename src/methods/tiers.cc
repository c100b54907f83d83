#include "coterie/methods/tiers.h"

#include <algorithm>

#include "base/text.h"

namespace coterie {
namespace {

template <class Part>
void part(Options& o, const std::string& name, std::optional<std::string>& target,
          const std::string& sentence) {
  const std::vector<std::string> known = Registry<Part>::instance().names();
  o(name, &target, sentence + ": " + either(known));
  const bool good = !target || std::find(known.begin(), known.end(), *target) != known.end();
  o.require(good, name, good ? "" : unknown_name(*target, known));
}

}  // namespace

void Tiers::options(Options& o) {
  part<TierObjective>(o, "objective", objective, "what the models of a cluster maximise");
  part<TierWeights>(o, "weights", weights, "how much a client belongs to each cluster");
  part<TierAdapt>(o, "adapt", adapt, "how the number of clusters changes");
  part<TierDistance>(o, "distance", distance, "how far clients are apart");
}

}  // namespace coterie
