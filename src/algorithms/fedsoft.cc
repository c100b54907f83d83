// FedSoft (Ruan and Joe-Wong, 2022): a client keeps one model of its own, trained under a pull towards the
// clusters' models by its weights, the shares u_ik of its samples that each of those fits best; a cluster's
// model is the mean of the clients' models, weighted by u_ik n_i.
//
//   local    loss(w) + prox/2 |w - sum_k u_ik c_k|^2        (the authors' sum_k u_ik |w - c_k|^2 up to a
//   constant) server   c_k = sum_i u_ik n_i w_i / sum_i u_ik n_i
//
// Choose it for personal models that lean on a few clusters, at the cost of one model up for each client. A
// client that never took part predicts by the mixture of the clusters' models.
//
// Differs from the authors: clients are drawn by [rounds], not for each cluster by its weights, so means are
// weighted by u_ik n_i; shares are made to sum to one after the floor for clusters without samples. Differs
// from public code of FedRC and HCFL: a sample counts for the model of its lowest loss, not of its highest;
// weights are normalised over those asked.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kFedSoft{
    "fedsoft", "a model for each client, pulled towards the clusters that fit its samples", [] {
      TierOptions options;
      options.prox = 0.1;
      return make_tiered("fedsoft", {"conditional", "loss-counts", "fixed", "none"}, options);
    }};

}  // namespace
}  // namespace coterie
