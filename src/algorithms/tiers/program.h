// The server program of all methods that are made of tiers (HCFL, Algorithms 1 and 2 of Guo et al., 2025):
//
//   ask the cohort: find weights (tier 2) for the objective (tier 1), train, tell what the distance needs
//   (tier 4) average; figures of the objective; split, merge, remove (tier 3)
//
// Averages weigh clients as [aggregate] says. A model that nobody trained stays as it is: public code of this
// field sets it to zeros, a model that can win clients early and never learns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/tiers/client.h"
#include "coterie/methods/slots.h"

namespace coterie {

class Tiered : public Algorithm {
 public:
  Tiered(std::string name, TierChoice choice, TierOptions options);
  ~Tiered() override;

  void options(Options& o) override { options_.options(o); }
  Tiers* tiers() override { return &given_; }
  void prepare(const Setting& setting) override;
  // One cluster of FedSoft has a model of its own at each client.
  bool trains() const override;
  std::vector<std::string> warnings(const Fleet& fleet) const override;
  std::size_t start_models() const override;

  std::vector<const AnyJob*> jobs() const override;
  Keeps keeps() const override;
  Vec settle(const Shelf& offer, ClientView& view) const override;
  Vec costs(const Shelf& offer, ClientView& view) const override;
  Predictions predict(const Shelf& offer, const Vec& weights, ClientView& view, Part part) const override;
  Shared model_of(const Shelf& offer, const Vec& weights, ClientView& view) const override;
  void apply(const Edit& edit, ClientView& view) const override;

  void start(Fleet& fleet, Start start) override;
  void round(Fleet& fleet, const Round& round) override;
  Offer offer() const override;
  Items offer_items(ClientId client) const override;
  void fields(Archive& a) override;

  // Mixtures (em, sample-soft): log_likelihood, the mean of log sum_k w_ijk L_k over the samples of those who
  // were asked in the last round, before they trained: what expectation and maximisation raise.
  std::vector<std::pair<std::string, double>> own_metrics(std::span<const ClientId> judged) const override;
  const Clusters& clusters() const { return clusters_; }

 protected:
  // Changes choice_ by the options of the preset.
  virtual void choose_parts() {}
  TierChoice choice_;  // what it is made of, once prepared
  TierOptions options_;

 private:
  void resolve();
  std::string nonsense() const;
  std::string parts_text() const;
  std::vector<std::string> unread() const;
  void refuse_setting() const;
  ClientHalf half() const { return {options_, *objective_, *weights_, *distance_, sharing_}; }
  TierNote note_for(ClientId client) const;
  std::string refuse(ClientId client, const TierReply& reply) const;
  std::uint32_t home(const TierReply& reply) const;
  template <class Kept>
  Kept heard(TierReply& reply, bool keeps) const;
  std::uint64_t kept_bytes(bool keeps) const;
  std::vector<ClientId> heard_of(Fleet& fleet, std::span<const ClientId> cohort);
  void learn_global(const Slots& own);
  std::pair<Shelf, std::vector<Shared>> offered(const Shelf& offer) const;
  Shared own_model(ClientView& view) const;

  class IntoClusters;

  std::string name_;
  const TierChoice preset_;
  const TierOptions defaults_;
  Tiers given_;
  std::unique_ptr<TierObjective> objective_;
  std::unique_ptr<TierWeights> weights_;
  std::unique_ptr<TierAdapt> adapt_;
  std::unique_ptr<TierDistance> distance_;
  std::unique_ptr<const Job<TierNote, TierReply>> job_;
  std::unique_ptr<const Job<TraceNote, TraceReply>> trace_job_;  // of distances that are told once
  Sharing sharing_;
  Clusters clusters_;
  bool looking_ = true;  // whether clients of this round are asked for what the distance is made of
  Vec anchor_;           // the model at which clients tell what they tell once: at first the first
  // Of the last round, by client: the mean loss over its samples before it trained, of the mixture.
  struct Said {
    ClientId client = 0;
    double samples = 0;
    double loss = 0;
    void fields(Archive& a) { a(client, samples, loss); }
  };
  std::vector<Said> said_;
};

}  // namespace coterie
