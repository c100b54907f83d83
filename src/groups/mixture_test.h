// How many groups? K groups against more, from K = 1 on, until K is not rejected. The statistic is the most
// that one or two more groups gain by BIC,
//
//   max over j = 1, 2 of  2 (l_{K+j} - l_K) - j (p + 1) log m      (l log likelihoods, p directions, m
//   clients)
//
// Two more, because a third of four groups may gain nothing by itself: the pair that is left still needs a
// wide T.
//
// A likelihood ratio of mixtures has no chi-squared distribution (a group that is not there has no mean), so
// its distribution is simulated (McLachlan, 1987): each resample draws estimates from the fitted mixture of K
// groups and repeats the whole procedure on them, choice of directions included. The null is a continuum that
// is Gaussian inside each of K groups: a skewed or flat continuum is not, see docs/groups.md.
//
// A step stops early once so many resamples reached the ratio that it cannot be rejected (Besag and Clifford,
// 1991); its p is then exact too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "groups/mixture.h"

namespace coterie {

struct GroupTestOptions {
  std::size_t most = 6;             // groups
  std::size_t resamples = 199;      // of one group against more
  std::size_t resamples_more = 99;  // of each further step
  double level = 0.05;              // of one group against two
  // Of every further group: with .05 one in twenty counts would be too high, and with .01 one resample of 99
  // would decide.
  double level_more = 0.02;
  MixtureOptions mixture = {};
};

struct GroupStep {
  std::size_t groups = 0;  // K: K groups against more
  double statistic = 0;
  double p = 1;
  double critical = 0;        // the statistic at which the step would be rejected, by its resamples
  std::size_t resamples = 0;  // that were made
  bool stopped_early = false;
  bool rejected = false;
};

struct GroupCount {
  std::size_t groups = 1;        // the first K that is not rejected, or `most`
  double p = 1;                  // of one group against two
  std::vector<GroupStep> steps;  // from K = 1 on
  GroupMixture mixture;          // with that many groups
  GroupMixture two;  // with two groups, whatever was found: what the stability of "groups" is asked of
};

// The same bits for any `spread`. With fewer than 4 clients there is one group, and no step.
GroupCount test_groups(const Estimates& estimates, const GroupTestOptions& options, std::uint64_t seed,
                       const Spread& spread = {});

}  // namespace coterie
