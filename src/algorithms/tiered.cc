// The program of the four tiers (HCFL; Guo et al., 2025, Algorithm 1) with all parts chosen by [tiers]: see
// docs/hcfl.md. The named methods (fedem, fedrc, hcfl-plus ...) are presets of it.
//
// Choose it to try combinations that have no name. As it is, without [tiers], it is IFCA to the bit; with one
// cluster FedAvg.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kTiered{
    "tiered", "one program of four exchangeable parts, chosen by [tiers]; without them, ifca", [] {
      return make_tiered("tiered", {"conditional", "lowest-loss", "fixed", "none"});
    }};

}  // namespace
}  // namespace coterie
