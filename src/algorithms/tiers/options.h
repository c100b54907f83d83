// The options of methods that are made of tiers: one list for all, since any tier can be replaced. A preset sets
// its own defaults.
#pragma once

#include <cstdint>
#include <string>

#include "coterie/options.h"

namespace coterie {

struct TierOptions {
  // --- tier 1: what is learnt ---------------------------------------------------------------------------
  bool extractor = false;        // one shared extractor, a head for each cluster
  std::string update = "joint";  // or "alternating"
  // --- tier 2: weights ----------------------------------------------------------------------------------
  double mu = 0.4;  // mu~ of eq. (5); read by sample-soft
  std::int64_t settle = 20;
  double prox = 0;
  double floor = 1e-4;
  std::int64_t estimate_every = 2;
  // --- tier 3: the number of clusters -------------------------------------------------------------------
  double rho = 0.3;
  std::string split = "soft";  // or "reset", "hard"
  std::int64_t most = 100;

  void options(Options& o) {
    o("extractor", &extractor,
      "share one feature extractor (all layers but the last) and keep a head for each cluster");
    o.choice("update", update, {"joint", "alternating"},
             "with a shared extractor: heads and extractor in the same steps, or first all heads, then the "
             "extractor");
    o("mu", &mu, "sample-soft: how much a sample's weights are its own rather than its client's (mu~)", share());
    o("settle", &settle, "E-steps by which a client finds its weights at most, models fixed", at_least(1));
    o("prox", &prox, "pulls local training towards what it began with: prox/2 times the squared distance",
      at_least(0));
    o("floor", &floor, "loss-counts: what a cluster without samples counts, as a share of all samples", share());
    o("estimate_every", &estimate_every, "loss-counts: rounds between estimates of the weights", at_least(1));
    o("rho", &rho, "split-remove: a cluster splits when its largest distance exceeds its mean by this", at_least(0));
    o.choice("split", split, {"soft", "reset", "hard"},
             "what a split does to soft weights: halves them between the parts, makes all of them equal, or gives "
             "each member wholly to its part");
    o("most", &most, "clusters at most; no cluster splits beyond", at_least(1));
  }
};

}  // namespace coterie
