// FedEM (Marfoq et al., 2021): every client's data is a mixture of K distributions, each with a model;
// clients find their weights by expectation and maximisation and train all K models, each with its samples'
// responsibilities.
//
//   gamma_jk = w_k P_k(y_j given x_j) / sum_n w_n P_n(y_j given x_j)      w_k = mean_j gamma_jk
//   theta_k  : local steps on  1/n sum_j gamma_jk loss_k(x_j, y_j);  the server takes the mean, weighted by
//   n_i
//
// Choose it when clients mix several concepts rather than belong to one. It sends K models each way: with
// many parameters prefer hcfl-plus, which sends one extractor and K heads.
//
// Differs from the authors' code: the mean is over the clients asked; there, those not asked count with the
// model they received last. New clients repeat the E-step until their weights are still.
#include "algorithms/tiers/parts.h"

namespace coterie {
namespace {

const Registration<Algorithm> kFedEm{"fedem",
                                     "clients mix K models: expectation and maximisation, soft weights", [] {
                                       return make_tiered("fedem", {"conditional", "em", "fixed", "none"});
                                     }};

}  // namespace
}  // namespace coterie
