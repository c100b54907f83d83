// Federated-Clustering at a client: send its model, take its gradient at every model of its
// group, and tell what training would change in one.
#pragma once

#include <vector>

#include "coterie/fleet.h"

namespace coterie {

struct ModelNote {
  Items items;
  std::uint32_t circle = 0;  // its group in the round; does not travel
  void fields(Archive& a) { a(items); }
};
struct ModelReply {
  Numbers model;
  void fields(Archive& a) { a(model); }
};
extern const Job<ModelNote, ModelReply> kSendModel;

struct AtModelsNote {
  Items items;               // the models of its group
  std::uint32_t circle = 0;  // does not travel
  std::size_t place = 0;     // of its own model among them; does not travel
  std::uint32_t batch = 0;   // B_i: samples drawn for its gradients, the same at all models; 0: all
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(batch); });
  }
};
struct AtModelsReply {
  // At each model it was sent, in order. One that is not finite is empty: it would cost the others too.
  std::vector<Numbers> gradients;
  void fields(Archive& a) { a(gradients); }
};
extern const Job<AtModelsNote, AtModelsReply> kAtModels;

constexpr std::uint32_t kMostLookRounds = 10000;

// What rounds of training change in the one model that it is sent.
struct ChangeNote {
  Items items;
  std::uint32_t circle = 0;  // does not travel
  std::uint32_t rounds = 0;  // of training; 0: the gradient there
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(rounds); });
  }
};
struct ChangeReply {
  Numbers change;
  void fields(Archive& a) { a(change); }
};
extern const Job<ChangeNote, ChangeReply> kChange;

}  // namespace coterie
