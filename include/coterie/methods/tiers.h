// The four tiers of clustered learning (HCFL): an objective, a rule for a client's weights over the clusters,
// a way to adapt their number, and a distance between clients. A method that is made of them (fedem,
// hcfl-plus ...) lets a config replace any: [tiers].
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "coterie/options.h"
#include "coterie/registry.h"

namespace coterie {

// What stands in each tier; the registries of these are what there is to choose from.
class TierObjective;
class TierWeights;
class TierAdapt;
class TierDistance;

// [tiers]: unset keeps the method's own part.
struct Tiers {
  std::optional<std::string> objective;
  std::optional<std::string> weights;
  std::optional<std::string> adapt;
  std::optional<std::string> distance;
  // Why these make no sense together with the method's own, and what to do; "" when they do. Set by the
  // method.
  std::function<std::string()> refuse;
  // What the method is made of, as keys of a config. Set by the method.
  std::function<std::string()> text;

  void options(Options& o);
};

}  // namespace coterie
