// An algorithm is one file with two halves. The client half is a set of jobs: pure functions of what was sent
// and of what a client can see. The server half is a plain program over a Fleet that reads like the paper's
// pseudo-code: start, round, offer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coterie/fleet.h"
#include "coterie/methods/sharing.h"

namespace coterie {

struct AggregateOptions;  // methods/slots.h
struct Tiers;             // methods/tiers.h

// The cluster of a client that a start could not place.
inline constexpr std::uint32_t kUnknownCluster = 0xffffffff;

// Where training begins, and what a method that serves as a start hands on.
struct Start {
  std::vector<Vec> models;
  // Cluster of each training client, or kUnknownCluster; empty: none is known.
  std::vector<std::uint32_t> memberships;

  void fields(Archive& a) { a(models, memberships); }
};

// One communication round.
struct Round {
  std::uint32_t number = 1;  // from 1
  std::uint32_t last = 1;
  std::vector<ClientId> cohort;  // who is asked, ascending
};

// How an offer is packed for the way: so many models, so many extras, and what the models share.
struct Packing {
  std::uint32_t models = 0;
  std::uint32_t extras = 0;
  Sharing sharing = {};

  // At a client: the whole models, then the extras, of what it was sent. Throws Error when it was sent
  // something else.
  Shelf unpack(const Shelf& sent, Precision precision) const;
  void fields(Archive& a) { a(models, extras, sharing); }
};

// What a client needs in order to predict.
struct Offer {
  std::vector<Vec> models;
  std::vector<Vec> extras = {};  // what settling needs besides
  Sharing sharing = {};          // layers that are the same in all models, and travel once

  // As they travel: the models, or what each has of its own and then what they share; then the extras.
  std::vector<Vec> items() const;
  // Which of these a client is sent that needs these of the models and extras.
  Items travelling(const Items& needed) const;
  Packing packing() const;
};

// What the config says that every method needs.
struct Setting {
  const Model& model;
  const Solver& solver;
  const AggregateOptions& aggregate;
  std::size_t clusters = 1;  // [clusters] count
  std::uint64_t seed = 1;
  Precision precision = Precision::f32;
  // True cluster of every id of the federation; empty unless the method declares needs_truth.
  std::vector<std::uint32_t> truth;
  std::size_t true_clusters() const;
  bool redealt = false;  // clients get other samples from time to time
};

// Predictions of a part: count x outputs, and the loss of each row.
struct Predictions {
  Vec outputs;
  Vec losses;
};

// The default way to predict: the weighted mixture of the models' outputs. With one model of weight 1 the
// losses are that model's own; else they are those of the mixture (-log of the mixed probability, or the
// model's squared loss). Weights are one for each model, or rows x models.
Predictions predict_mixture(const std::vector<Shared>& models, const Vec& weights, ClientView& view,
                            Part part);

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual void options(Options& o) = 0;
  // The parts of a method that is made of tiers, for [tiers] to replace (methods/tiers.h); null for others.
  virtual Tiers* tiers() { return nullptr; }
  // Called once before everything below; throws Error when the method cannot work in this setting.
  virtual void prepare(const Setting& setting) { setting_ = &setting; }
  virtual bool needs_truth() const { return false; }
  // Whether each client ends with a model of its own, so that nobody else can be served.
  virtual bool personal() const { return false; }
  // What a client keeps to predict with, beside the offer: samples are what `settle` puts into its state.
  enum class Keeps { nothing, model, samples };
  virtual Keeps keeps() const { return personal() ? Keeps::model : Keeps::nothing; }
  // Where clients have models of their own: the cluster that the server found for each training client. A
  // client that was never asked is a cluster of its own. Empty: the method looks for no clusters.
  virtual std::vector<std::uint32_t> found_clusters() const { return {}; }
  // Metrics of the last round that only the method knows, for rounds.jsonl. They are about the clients that
  // are evaluated (ascending); ids of clients that do not train are to be ignored.
  virtual std::vector<std::pair<std::string, double>> own_metrics(std::span<const ClientId>) const {
    return {};
  }
  // Whether clients train as [local] says; exact minima instead do not equal fedavg with one cluster.
  virtual bool trains() const { return true; }
  // Whether clients use [local] at all, so that a rate must be found where the config gives none.
  virtual bool uses_solver() const { return true; }
  // Where a round is one step on a client's gradient instead of training: over how many rows that is; 0: all.
  virtual std::optional<std::size_t> steps_on_gradients() const { return std::nullopt; }
  // Warnings for the user before the run starts, one sentence each.
  virtual std::vector<std::string> warnings(const Fleet&) const { return {}; }
  // Whether a round depends on how many there will be, so that a run cannot be made longer later.
  virtual bool plans_ahead() const { return false; }
  // How many initial models it wants.
  virtual std::size_t start_models() const { return setting_->clusters; }
  // Whether the clusters that it ends with depend on which random models it begins with: the default start
  // then makes several trials (inits/auto.cc).
  virtual bool begins_at_random() const { return start_models() > 1 && !needs_truth() && !personal(); }

  // --- client half ----------------------------------------------------------------------------------------
  virtual std::vector<const AnyJob*> jobs() const = 0;
  // This client's weights over the offered models, from its labelled training part, without touching the
  // models. Default: all on the model with the lowest loss, the first of equals; a loss that is not finite
  // never wins.
  virtual Vec settle(const Shelf& offer, ClientView& view) const;
  // How badly each cluster of an offer fits the training part: the sum of its rows' losses, each as
  // often as its weight says (own weights have a mean of 1).
  virtual Vec costs(const Shelf& offer, ClientView& view) const;
  virtual Predictions predict(const Shelf& offer, const Vec& weights, ClientView& view, Part part) const;
  // The one model by which a client with these weights predicts, for metrics about parameters; nothing when
  // it mixes several.
  virtual Shared model_of(const Shelf& offer, const Vec& weights, ClientView& view) const;
  // Brings a client's state up to date with an edit.
  virtual void apply(const Edit&, ClientView&) const {}

  // --- server half ----------------------------------------------------------------------------------------
  virtual void start(Fleet& fleet, Start start) = 0;
  virtual void round(Fleet& fleet, const Round& round) = 0;
  // Whether nothing is left to do, so that the run ends before its last round.
  virtual bool finished() const { return false; }
  virtual Offer offer() const = 0;
  // Which of the offered models a training client needs: all, unless the server knows its cluster.
  virtual Items offer_items(ClientId client) const {
    (void)client;
    return Items::all();
  }
  // All that the server needs to go on, written and read by the same list.
  virtual void fields(Archive& a) = 0;

 protected:
  const Setting* setting_ = nullptr;
};

// What a start works with.
struct InitContext {
  Fleet& fleet;
  const Setting& setting;
  Algorithm& algorithm;  // prepared but not started
  // The start calls this after each round that it runs, so that the round is logged and counted.
  std::function<void(std::uint32_t round)> logged;
  const Truth* truth = nullptr;                   // only when the start declares needs_truth
  std::vector<std::uint32_t> true_clusters = {};  // of every id of the federation, likewise
  // A start may put its present models here before it calls `logged`: its rounds then have metrics.
  std::vector<Vec>* so_far = nullptr;
};

// How initial models are made: [clusters] init.
class Init {
 public:
  virtual ~Init() = default;
  virtual void options(Options& o) = 0;
  virtual bool needs_truth() const { return false; }
  // Warnings for the user before the start is made, one sentence each.
  virtual std::vector<std::string> warnings(const Fleet& fleet, const Setting& setting) const {
    (void)fleet;
    (void)setting;
    return {};
  }
  // What it asks clients for; empty when it asks them nothing.
  virtual std::vector<const AnyJob*> jobs() const { return {}; }
  virtual Start make(const InitContext& context) const = 0;
};

// K models as the model itself draws them; the k-th depends on seed, trial and k alone.
std::vector<Vec> random_models(const Setting& setting, std::size_t count, std::uint32_t trial);

// The index of the lowest value, the first of equals; values that are not finite never win. 0 when none is
// finite.
std::size_t lowest(std::span<const double> values);

}  // namespace coterie
