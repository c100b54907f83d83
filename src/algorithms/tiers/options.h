// The options of methods that are made of tiers: one list for all, since any tier can be replaced. A preset
// sets its own defaults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "coterie/options.h"

namespace coterie {

struct TierOptions {
  // --- tier 1: what is learnt ---------------------------------------------------------------------------
  bool extractor = false;        // one shared extractor, a head for each cluster
  std::string update = "joint";  // or "alternating"
  std::string means = "auto";    // or "samples", "responsibility"
  std::optional<std::int64_t> hold_after;
  // --- tier 2: weights ----------------------------------------------------------------------------------
  double mu = 0.4;  // mu~ of eq. (5); read by sample-soft
  std::int64_t settle = 20;
  std::optional<double> prox;  // unset: ClientHalf::prox()
  double floor = 1e-4;
  std::int64_t estimate_every = 2;
  // --- tier 3: the number of clusters -------------------------------------------------------------------
  std::string rule = "auto";  // or "gap", "paper"
  double least_gap = 1.5;     // gap
  double least_ratio = 1.8;
  std::int64_t look_every = 10;
  std::optional<double> rho;   // split-remove by its paper; so are those below for their parts
  std::string split = "auto";  // or "soft", "reset", "hard"
  std::int64_t most = 100;
  std::optional<double> eps1;  // split-cfl
  std::optional<double> eps2;
  std::int64_t split_after = 0;
  std::optional<double> alpha;  // split-icfl: alpha*(0)
  std::optional<double> slope;  // split-icfl: epsilon_1
  std::optional<double> tau;    // merge
  // --- tier 4: distances --------------------------------------------------------------------------------
  bool pair_weights = true;
  std::optional<std::int64_t> anchor_rounds;
  std::string over_classes = "largest";  // or "mean"
  std::optional<std::int64_t> least_samples;
  // --- others -------------------------------------------------------------------------------------------
  std::string prox_to = "own";  // or "all"
  std::int64_t embedding = 16;  // joint
  double ridge = 0.01;          // joint
  // Whether clusters change by gaps in what is compared, and not by the thresholds of a paper: known once the
  // parts are.
  bool gap = false;
  bool by_responsibility() const { return means == "responsibility" || (means == "auto" && gap); }
  std::string split_way() const { return split != "auto" ? split : gap ? "reset" : "soft"; }
  // The rule for a way to change the number of clusters. One of its paper's thresholds asks for its paper's
  // rule.
  bool by_gap(const std::string& adapt) const {
    if (rule != "auto") return rule == "gap" && adapt != "fixed";
    if (adapt == "split-cfl") return !eps1 && !eps2;
    if (adapt == "split-icfl") return !alpha && !slope;
    if (adapt == "split-remove") return !rho;
    return adapt == "group" || adapt == "divide" || (adapt == "merge" && !tau);
  }
  // Options that few parts read, and these parts; known once options() was called.
  std::map<std::string, std::vector<std::string>> readers;

  void options(Options& o) {
    const auto of = [&](const std::vector<std::string>& parts, const std::string& name, OptionTarget target,
                        const std::string& sentence, const Rule& rule = {}) {
      readers[name] = parts;
      o(name, target, either(parts) + ": " + sentence, rule);
    };
    const std::vector<std::string> splits = {"split-cfl", "split-icfl", "split-remove"};
    const std::vector<std::string> prototypes = {"prototype-ascp", "prototype-cscp"};
    o("extractor", &extractor,
      "share one feature extractor (all layers but the last) and keep a head for each cluster");
    readers["update"] = {"extractor = true"};
    o.choice("update", update, {"joint", "alternating"},
             "with a shared extractor: heads and extractor in the same steps, or first all heads, then the "
             "extractor");
    readers["means"] = {"em", "sample-soft"};
    o.choice("means", means, {"auto", "samples", "responsibility"},
             "em, sample-soft: in the mean of a cluster's models or heads clients count by their samples (as "
             "the papers "
             "have it), or by the samples that are the cluster's; auto: the latter where clusters split by "
             "the gap");
    of({"correlation"}, "hold_after", &hold_after,
       "rounds after which the frequencies of labels stay as they are; default: never", at_least(1));
    of({"sample-soft"}, "mu", &mu, "how much a sample's weights are its own rather than its client's (mu~)",
       share());
    o("settle", &settle, "E-steps by which a client finds its weights at most, models fixed", at_least(1));
    o("prox", &prox,
      "pulls local training towards what it began with, or by loss-counts to the clusters' models: prox/2 "
      "times the squared distance; default: 0.1 for loss-counts, else 0",
      at_least(0));
    of({"loss-counts"}, "floor", &floor, "what a cluster without samples counts, as a share of all samples",
       share());
    of({"loss-counts"}, "estimate_every", &estimate_every, "rounds between estimates of the weights",
       at_least(1));
    const std::vector<std::string> adapts = {"split-cfl", "split-icfl", "split-remove",
                                             "merge",     "group",      "divide"};
    readers["rule"] = adapts;
    readers["rule"].emplace_back("fixed");  // that of fedrc's paper
    o.choice("rule", rule, {"auto", "gap", "paper"},
             "when the number of clusters changes: where what is compared has a gap of its own, or by the "
             "thresholds of "
             "the method's paper; auto: by those where one of them is given, else by the gap");
    of(adapts, "least_gap", &least_gap,
       "by gap: how many times larger what is between groups has to be than what is within", above(1));
    of(adapts, "least_ratio", &least_ratio,
       "by gap, with distances that are no cosines of one vector: how many times the distance within two "
       "parts that across "
       "has to be",
       above(1));
    of(adapts, "look_every", &look_every, "by gap: rounds from one look for groups to the next", at_least(1));
    of({"split-remove"}, "rho", &rho,
       "a cluster splits when its largest distance exceeds its mean by this; by the paper's rule 0.3 where "
       "not given",
       at_least(0));
    readers["split"] = splits;
    o.choice(
        "split", split, {"auto", "soft", "reset", "hard"},
        "what a split does to soft weights: halves them between the parts; makes a client's equal, and "
        "halves its samples'; or gives each member wholly to its part; auto: reset by the gap, else soft");
    of(splits, "most", &most, "clusters at most; no cluster splits beyond", at_least(1));
    of({"split-cfl"}, "eps1", &eps1,
       "a cluster splits only when its mean update is shorter than this; the paper's rule: 0.4", above(0));
    of({"split-cfl"}, "eps2", &eps2,
       "and when some client's update is longer than this; the paper's rule: 1.6", above(0));
    of({"split-cfl"}, "split_after", &split_after, "rounds before the first split", at_least(0));
    of({"split-icfl"}, "alpha", &alpha,
       "the nearer to 1, the more slowly the wanted coherence rises; default: 0.85", between(0.01, 0.9999));
    of({"split-icfl"}, "slope", &slope,
       "epsilon_1 of the paper, above e: the larger, the faster it rises; default: 4", at_least(2.72));
    of({"merge"}, "tau", &tau, "clusters with at least this cosine become one; the paper's rule: 0.5",
       between(-1, 1));
    o("pair_weights", &pair_weights,
      "distances count by how much both clients belong to the cluster (eq. 9)");
    of({"anchor-gradient", "local-change"}, "anchor_rounds", &anchor_rounds,
       "rounds of local training whose change is told; 0: the gradient; default: 20, by the paper's rule 0",
       at_least(0));
    readers["over_classes"] = prototypes;
    o.choice("over_classes", over_classes, {"largest", "mean"},
             "prototypes: the largest distance over classes, or the mean of them");
    of(prototypes, "least_samples", &least_samples,
       "a class counts where both clients have at least so many samples of it; default: 5, by the paper's "
       "rule 1",
       at_least(1));
    o.choice("prox_to", prox_to, {"own", "all"},
             "prox pulls towards the model that training began with, or the mean of all models");
    of({"joint"}, "embedding", &embedding, "numbers that inputs are projected to", at_least(1));
    of({"joint"}, "ridge", &ridge, "added to the variances of its Gaussians", above(0));
  }
};

}  // namespace coterie
