// Local training and averaging: what most methods do in a round.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// Trains the model that the note names.
struct TrainNote {
  Items items;  // one item: the model to start from
  std::uint32_t item = 0;
  double prox = 0;
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(item, prox); });
  }
};
struct TrainReply {
  Numbers model;
  void fields(Archive& a) { a(model); }
};
const Job<TrainNote, TrainReply>& train_job();

// What rounds of training from a model change, turned round: a gradient points that way too. The momentum of
// these rounds is their own. No rounds: the gradient.
Vec change_by_training(const Shared& model, std::int64_t rounds, ClientView& view);

// A client's weight in an average: its samples, or 1 ([aggregate] weights); and the cohort's total.
double client_weight(const Setting& setting, const Fleet& fleet, ClientId client);
double total_weight(const Setting& setting, const Fleet& fleet, std::span<const ClientId> cohort);

// One round of federated averaging inside known clusters: each client of the cohort trains its cluster's
// model, and every model becomes the mean of its clients' results. A model without clients in the cohort
// stays as it is.
void train_and_average(Fleet& fleet, const Setting& setting, std::span<const ClientId> cohort,
                       const std::function<std::uint32_t(ClientId)>& cluster_of, double prox,
                       std::vector<Vec>& models);

}  // namespace coterie
