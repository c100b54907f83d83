// The client half of methods that are made of tiers: find its weights, train, and tell.
//
// On the shelf: a model (or head) for each cluster; the shared extractor, if any; the objective's figures;
// the mean of all models, if training is pulled to it.
#pragma once

#include <vector>

#include "algorithms/tiers/parts.h"
#include "coterie/fleet.h"
#include "coterie/methods/choose.h"
#include "coterie/methods/sharing.h"

namespace coterie {

struct TierNote {
  Items items;
  std::vector<std::uint32_t> slots;      // one for each cluster: whose momentum is whose
  std::uint32_t home = kUnknownCluster;  // its cluster, or the likeliest; hard rules
  bool decided = false;                  // it is to train its home's model
  bool trace = false;                    // the distance wants to know
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(slots, home, decided, trace); });
  }
};

struct TierReply {
  std::uint32_t home = 0;
  bool chosen = false;       // by itself, where the server has not put it anywhere
  double loss = 0;           // mean over its rows, before training; of the mixture for soft rules
  Vec weights;               // w~_i, soft rules
  std::vector<Numbers> own;  // what it trained: one model or head, or one for each cluster
  Numbers common;            // the shared extractor
  Vec told;                  // for the objective's figures
  Vec trace;                 // for the distance
  void fields(Archive& a) {
    a.overhead([&] { a(chosen); });
    chosen ? a.vote(home) : a(home);
    a(loss);
    a.about_sender(weights);
    a(own, common);
    a.about_sender(told, trace);
  }
};

// What a distance wants to be told once: the anchor, and the trace at it.
struct TraceNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
struct TraceReply {
  Vec trace;
  void fields(Archive& a) { a.about_sender(trace); }
};

// What a client keeps; hard rules keep momentum alone, where extractor and heads are trained apart. Otherwise
// their momentum, and that of whole models, is kept by the cluster's slot.
struct TierState {
  Vec weights;                  // w~_i
  Vec rows;                     // w_ij, rows x clusters; empty: as the client's
  Vec own;                      // its own model, loss-counts
  std::uint32_t estimated = 0;  // the round of its weights, loss-counts
  Vec momentum;                 // of the extractor, then of the heads, where momentum survives
  Vec head_momentum;            // of the heads alone, where they are trained apart
  std::uint32_t head_slot = 0;  // hard rules: whose head that was
  void fields(Archive& a) { a(weights, rows, own, estimated, momentum, head_momentum, head_slot); }
};

// What the client half works with: options and parts, no state of the server.
struct ClientHalf {
  const TierOptions& options;
  const TierObjective& objective;
  const TierWeights& weights;
  const TierDistance& distance;
  const Sharing& sharing;

  // The whole models on a shelf that has `clusters` of them.
  Shelf models(const Shelf& shelf, std::size_t clusters, Precision precision) const;
  std::vector<Shared> figures(const Shelf& shelf, std::size_t clusters) const;
  // Without a pull to the clusters' models those who train one of their own would train alone.
  double prox() const {
    return options.prox.value_or(weights.rule == TierWeights::Rule::loss_counts ? 0.1 : 0);
  }
  bool pulls_to_all() const { return prox() > 0 && options.prox_to == "all"; }
  // What training is pulled to: the last item, or null for the model that it begins with.
  const Shared* centre(const Shelf& shelf) const {
    return pulls_to_all() ? &shelf[shelf.size() - 1] : nullptr;
  }

  std::vector<TierReply> work(std::span<const Shelf> shelves, std::span<const TierNote> notes,
                              std::span<ClientView> views) const;
  // Weights from labelled data, beginning with what the client has; models and figures as offered.
  Vec settle(const Shelf& models, std::span<const Shared> figures, ClientView& view) const;
  // - sum log L_k over the training rows, by cluster.
  Vec costs(const Shelf& models, std::span<const Shared> figures, ClientView& view) const;
  // Brings what a client keeps up to date.
  void follow(const ClusterEdit& edit, ClientView& view) const;

 private:
  std::vector<Choice> homes(std::span<const Shelf> models, std::span<const TierNote> notes,
                            std::span<ClientView> views) const;
  TierReply hard(const Shelf& shelf, const Shelf& models, const TierNote& note, const Choice& home,
                 ClientView& view) const;
  TierReply soft(const Shelf& shelf, const Shelf& models, const TierNote& note, ClientView& view) const;
  TierReply counted(const Shelf& models, ClientView& view) const;
  // Trains heads and extractor with responsibilities gamma (rows x heads; empty: one head, all rows alike).
  void train_shared(const std::vector<Shared>& models, std::span<const std::uint32_t> slots,
                    std::span<const double> gamma, ClientView& view, TierReply& reply) const;
};

// The losses of all models on the training rows, and, where models have a first layer of their own, its sums:
// the first half of each model's first local step. Models that share their extractor need the sums once.
struct AllLosses {
  std::vector<Vec> losses;  // cluster, row
  std::vector<std::variant<Room<float>, Room<double>>> sums;
};
// Models whose weight is 0 are not looked at.
AllLosses all_losses(const Shelf& models, bool shared, ClientView& view,
                     std::span<const double> weights = {});

// Whether no row has to do with cluster k; gamma is rows x clusters.
bool no_rows_of(std::span<const double> gamma, std::size_t clusters, std::size_t k);

// FedSoft's weights: the share of rows that each model fits best, the first of equals; a model without rows
// counts `floor` of all rows. They sum to one.
Vec loss_shares(const std::vector<Vec>& losses, double floor);

}  // namespace coterie
