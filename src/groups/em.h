// EM for a mixture of N(mu_k, T + V_i): the inner loop of all that is fitted in this room. Fast in up to
// kMostDirections dimensions, possible in any number.
#pragma once

#include <cstddef>
#include <vector>

#include "coterie/data.h"

namespace coterie {

inline constexpr std::size_t kMostDirections = 4;

// Clients' estimates, as rows of numbers.
struct Cloud {
  std::size_t count = 0;
  std::size_t width = 0;
  Vec b;  // count x width
  Vec v;  // count x width x width
};

struct MixtureParameters {
  Vec share;  // K
  Vec mu;     // K x width
  Vec t;      // width x width
};

struct EmFit {
  MixtureParameters at;
  Vec membership;  // count x K
  double log_likelihood = 0;
  std::size_t iterations = 0;
};

struct EmOptions {
  std::size_t iterations = 200;
  double tolerance = 1e-4;    // stop when the log likelihood grew by less than this
  bool spread_inside = true;  // false: T = 0
};

// From these parameters upwards: the log likelihood never falls. It is a conditional EM: shares, then means
// by GLS, then T by a scoring step that keeps T positive semi-definite; where that step would lower the
// likelihood, by the EM step, which cannot.
//
// `trace`, if given, gets the log likelihood of each iteration.
EmFit climb(const Cloud& cloud, MixtureParameters start, const EmOptions& options, Vec* trace = nullptr);

// Means and T of groups whose memberships (count x K) are given and stay: random coefficients inside each
// group.
EmFit fit_members(const Cloud& cloud, Vec membership, std::size_t groups, const EmOptions& options);

}  // namespace coterie
