// Where FedMD's anchors look for a direction (inits/fedmd): for each of them the top left singular vectors of
// Y_{i,t}, by federated orthogonal iteration (Algorithm 3). Every product by Y or Y' is computed at the
// clients, and nothing larger than K x parameters travels for an anchor; for simulations, whole matrices can
// be asked for and decomposed.
#pragma once

#include <vector>

#include "inits/fedmd/anchors.h"
#include "inits/fedmd/options.h"

namespace coterie {

// Of one round.
class Subspaces {
 public:
  Subspaces(const InitContext& context, const FedMdOptions& options, const std::vector<ClientId>& cohort,
            std::uint32_t round)
      : context_(context), options_(options), cohort_(cohort), round_(round) {}

  // U_{i,t} of each anchor that still moves, directions x parameters.
  std::vector<Vec> find(AnchorDescent& descent, std::size_t directions) const;

 private:
  // One ask: the mean over the cohort of Y q or Y' q, or Y itself where no q is given, `rows` rows for each
  // anchor; all divided by the largest number among them. The round's first ask also sends the anchors'
  // models.
  std::vector<Vec> products(AnchorDescent& descent, const std::vector<Vec>& q, std::size_t rows, bool first,
                            bool transposed) const;

  // Two noisy copies of each moving anchor's model, for one client.
  Vec perturbed(const AnchorDescent& descent, const std::vector<std::size_t>& moving, ClientId client) const;

  const InitContext& context_;
  const FedMdOptions& options_;
  const std::vector<ClientId>& cohort_;
  std::uint32_t round_;
};

}  // namespace coterie
