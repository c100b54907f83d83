// Clients' estimates drawn from a mixture, as the tests' null hypotheses need them.
#pragma once

#include "coterie/random.h"
#include "groups/moderation.h"

namespace coterie {

// Draws z, then  b* ~ N(mu_z, T + f V_i)  and a covariance as a client would compute it from its rows, and
// moderates these covariances. f is what is not known about the client's noise: (d0 + d) over a chi-squared
// of d0 + d degrees of freedom; so estimates have the heavy tails that noise from few rows gives them.
class NullDraws {
 public:
  struct Model {
    Vec share;   // K
    Vec mu;      // K x q
    Vec inside;  // T; empty: 0
  };
  // `moderate` = false takes covariances as exact: f = 1, and clients compute V_i itself.
  NullDraws(const ModeratedEstimates& from, Model model, bool moderate);

  Estimates draw(Stream& stream) const;

 private:
  const ModeratedEstimates& from_;
  Model model_;
  bool moderate_;
};

}  // namespace coterie
