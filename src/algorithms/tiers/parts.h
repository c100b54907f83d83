// The interfaces of the four tiers, which the program `tiered` (program.h) puts together. A part is
// registered by its name with a sentence, and its options are members of TierOptions.
//
// Halves: what is marked "at a client" may use options and what it is given, and no state of the server.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/tiers/clusters.h"
#include "algorithms/tiers/options.h"
#include "coterie/methods/tiers.h"

namespace coterie {

// --- tier 1: L_k(x, y), what the models of a cluster maximise
// -------------------------------------------------
class TierObjective {
 public:
  virtual ~TierObjective() = default;
  virtual void prepare(const TierOptions& options, const Setting& setting) {
    (void)options;
    (void)setting;
  }
  // Whether it needs responsibilities: a rule with soft weights.
  virtual bool soft_only() const { return false; }
  virtual std::vector<std::string> warnings() const { return {}; }

  // At a client. How many figures it adds to the shelf.
  virtual std::size_t figure_count() const { return 0; }
  // log L_k of the training rows (rows x clusters), given -log P_k(y given x) of each: losses[k][row].
  virtual Vec log_likelihoods(const std::vector<Vec>& losses, std::span<const Shared> figures,
                              ClientView& view) const = 0;
  // What a client says of itself for the figures, given its responsibilities (rows x clusters), and how long
  // that is.
  virtual std::size_t told_size(std::size_t clusters) const {
    (void)clusters;
    return 0;
  }
  virtual Vec tell(std::span<const double> gamma, std::size_t clusters, ClientView& view) const {
    (void)gamma;
    (void)clusters;
    (void)view;
    return {};
  }
  // Weights of each row of a part (rows x clusters) where they depend on x; empty: the client's own.
  virtual Vec row_weights(const Vec& weights, std::span<const Shared> figures, ClientView& view,
                          Part part) const {
    (void)weights;
    (void)figures;
    (void)view;
    (void)part;
    return {};
  }

  // At the server.
  virtual void start(Fleet& fleet, std::size_t clusters) {
    (void)fleet;
    (void)clusters;
  }
  virtual std::vector<Vec> figures() const { return {}; }
  // Why what a client told cannot be; "" when it can.
  virtual std::string refuse(const Vec& told) const {
    return told.empty() ? "" : "it tells what it was not asked";
  }
  virtual void hear(ClientId client, Vec told) {
    (void)client;
    (void)told;
  }
  // All replies of a round were heard.
  virtual void learn() {}
  virtual void edited(const ClusterEdit& edit) { (void)edit; }
  virtual void fields(Archive& a) { (void)a; }
};

// --- tier 2: a client's weights over the clusters
// -------------------------------------------------------------
class TierWeights {
 public:
  enum class Rule {
    lowest_loss,         // IFCA: the model with the lowest loss at the client
    nearest_parameters,  // FeSEM: the model nearest to the one that the client trained, at the server
    membership,          // CFL, StoCFL: what the server's clusters say
    em,                  // FedEM: eqs. (4), (5) with mu~ = 0
    loss_counts,         // FedSoft: the share of a client's samples that each model fits best
    sample_soft          // HCFL+: eqs. (4), (5)
  };
  explicit TierWeights(Rule rule) : rule(rule) {}
  const Rule rule;
  // One cluster for each client.
  bool hard() const {
    return rule == Rule::lowest_loss || rule == Rule::nearest_parameters || rule == Rule::membership;
  }
  // Responsibilities for each sample.
  bool mixes() const { return rule == Rule::em || rule == Rule::sample_soft; }
};

// --- tier 4: how far clients of a cluster are apart
// -----------------------------------------------------------
class TierDistance {
 public:
  virtual ~TierDistance() = default;
  virtual void prepare(const TierOptions& options, const Setting& setting) {
    (void)options;
    (void)setting;
  }
  // What it is made from: nothing; what clients trained (Told::trained); what they tell in every round, or
  // once, about an anchor: the first of the models that training began with.
  enum class Source { none, trained, told, told_once };
  virtual Source source() const = 0;
  // Whether it is 1 - a similarity.
  virtual bool is_dissimilarity() const { return true; }
  // Whether it is 1 - cosine of one vector for each client.
  virtual bool of_vectors() const { return false; }
  // Whether traces are of the model that a client began with, so that only those of one model can be
  // compared.
  virtual bool at_own_model() const { return false; }
  // At a client (told, told_once): its trace, given a whole model as received (that of its cluster, or of its
  // likeliest), or the anchor if `told_once`.
  virtual Vec trace(const Shared& model, ClientView& view) const {
    (void)model;
    (void)view;
    return {};
  }
  // At the server. How long a trace is, so that others are refused.
  virtual std::size_t trace_size() const { return 0; }
  // Distances between clients of one cluster, n x n, symmetric, with a zero diagonal. `sent` are the models
  // of all clusters as they were sent.
  virtual Vec matrix(std::span<const Told* const> who, std::size_t cluster,
                     std::span<const Vec> sent) const = 0;
};

// --- tier 3: how the number of clusters changes
// -----------------------------------------------------------------
class TierAdapt {
 public:
  virtual ~TierAdapt() = default;
  virtual void prepare(const TierOptions& options, const Setting& setting, const TierWeights& weights) {
    (void)options;
    (void)setting;
    (void)weights;
  }
  // The distance that goes with it where neither the preset nor the config names one; "none": it needs none.
  virtual std::string distance() const = 0;
  // Why it makes no sense with such weights, or with such a distance; "" when it does.
  virtual std::string refuse(const TierWeights& weights, const TierDistance& distance) const {
    (void)weights;
    (void)distance;
    return "";
  }
  // Whether it reads Told::trained.
  virtual bool keeps_models() const { return false; }
  // Whether it looks at distances in this round: else clients are not asked for what they are made of (told).
  virtual bool looks(const Round& round) const {
    (void)round;
    return true;
  }
  // Whether what clients tell once is asked again in this round, of the first cluster's model as the new
  // anchor.
  virtual bool renews(const Round& round) const {
    (void)round;
    return false;
  }
  // How many models training begins with.
  virtual std::size_t starts(std::size_t count) const { return count; }
  // Before the clients of a round are asked: who has no cluster yet may be given one.
  virtual void enter(Clusters& clusters, std::span<const ClientId> cohort, Fleet& fleet, const Round& round) {
    (void)clusters;
    (void)cohort;
    (void)fleet;
    (void)round;
  }
  // After the averages of a round: splits, merges, removals. `told` is in order of client.
  virtual void adapt(Clusters& clusters, std::span<const Told> told, const TierDistance& distance,
                     Fleet& fleet, const Round& round) = 0;
  virtual void fields(Archive& a) { (void)a; }
};

// What a preset is made of.
struct TierChoice {
  std::string objective = "conditional";
  std::string weights = "lowest-loss";
  std::string adapt = "fixed";
  std::string distance = "none";
};

// A method made of tiers: `name` is its own, for texts; `options` are its defaults.
std::unique_ptr<Algorithm> make_tiered(std::string name, TierChoice choice, TierOptions options = {});

}  // namespace coterie
