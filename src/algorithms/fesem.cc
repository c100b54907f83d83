// FeSEM (Long et al., 2023): k-means among the clients' models. A client trains its cluster's model; the
// server puts it into the cluster whose model is nearest (Euclidean distance) to what it trained, and takes
// the mean.
//
// Choose it when models of a cluster start near each other and clients must not see the other models: only
// one travels each way. A client's first cluster is that of the lowest loss, and a model that was trained
// from its own centre is nearly always nearest to it, so that first choice mostly stays: prefer ifca where
// that matters.
//
// Differs from public code of the HCFL paper: the distance is that of the whole vector, not a sum of one for
// each layer; a client that moves takes along what it trained; a cluster without clients keeps its model,
// where the code sets it to zeros.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kFesem{
    "fesem", "k-means among the clients' models: each joins the nearest", [] {
      return make_tiered("fesem", {"conditional", "nearest-parameters", "fixed", "none"});
    }};

}  // namespace
}  // namespace coterie
