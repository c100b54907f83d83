#include "inits/fedmd/options.h"

#include "inits/fedmd/clients.h"

namespace coterie {

void FedMdOptions::options(Options& o) {
  o.choice("anchors", anchors, {"size", "uniform", "ids"},
           "who the anchors are: the clients with most samples, any, or those named by `ids`");
  o("count", &count, "m_H, the number of anchors; 3 K log K, at least K, when not given", at_least(1));
  o("ids", &ids, "ids of the anchors", at_least(0));
  o.require(anchors == "ids" || ids.empty(), "ids", "are for anchors = \"ids\"");
  o.require(anchors != "ids" || !ids.empty(), "ids",
            "are needed: anchors = \"ids\" takes the clients they name");
  o("recruit", &recruit,
    "how often as many more clients become anchors when those there are form fewer than K groups; not with "
    "anchors = \"ids\" or data = \"fresh\"",
    between(0, 100));
  o("rounds", &rounds, "T, the most steps of an anchor", between(1, 10000));
  o("cohort", &cohort, "m, clients asked in a round, drawn anew; all (fresh: an equal part) when not given",
    at_least(1));
  o.choice(
      "data", data, {"reuse", "fresh"},
      "reuse: clients and samples serve in every round; fresh: a client is asked in one round only, and an "
      "anchor cuts its samples into as many parts as there are rounds");
  o.choice("pairs", pairs, {"all", "one"},
           "moments from all pairs of a client's samples, or from its first two (anchors: two halves)");
  o.choice(
      "weights", weights, {"samples", "pairs", "uniform"},
      "what a client counts by in subspaces: n_i (Algorithm 3), n_i - 1, as its pairs are worth, or 1; with "
      "pairs = \"one\" always 1");
  o.choice("subspace", subspace, {"iteration", "svd"},
           "orthogonal iteration at the clients; svd: they send whole matrices, parameters x parameters, for "
           "simulations");
  o("iterations", &iterations, "T1, multiplications of an orthogonal iteration; even", between(2, 1000));
  o.require(iterations % 2 == 0, "iterations", "must be even");
  o("power_steps", &power_steps, "T2, steps of the anchor's power iteration", between(1, kMostPowerSteps));
  o("delta", &delta, "Delta, the least distance between two clusters' models; estimated when not given",
    above(0));
  o("alpha", &alpha, "least eigenvalue of the inputs' second moments; estimated when not given", above(0));
  o("beta", &beta, "largest eigenvalue of the inputs' second moments; estimated when not given", above(0));
  o.require(!alpha || !beta || *alpha <= *beta, "alpha", "must be at most beta");
  o("epsilon", &epsilon, "how near to its cluster's model an anchor stops, in units of Delta", at_least(0));
  o("step", &step, "a step is this times sigma; alpha / (2 beta^2) when not given", above(0));
  o("noise", &noise,
    "deviation of the normal noise on each coordinate of the anchors' models as others get them, two draws "
    "for "
    "each client (Remark 2)",
    at_least(0));
  o.choice("start", start, {"random", "zero", "truth"},
           "theta_0: a random model, zero, or, for studies of bad starts, a true cluster's parameters");
  o("scale", &scale, "theta_0 is multiplied by this", at_least(0));
  o("start_cluster", &start_cluster, "whose parameters (truth)", at_least(0));
}

}  // namespace coterie
