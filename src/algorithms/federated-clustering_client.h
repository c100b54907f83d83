// Federated-Clustering at a client: send its model, and take its gradient at every model of its group.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/personal.h"
#include "coterie/methods/gradients.h"

namespace coterie {

struct ModelNote {
  Items items;
  std::uint32_t circle = 0;  // its group in the round; does not travel
  std::uint32_t group() const { return circle; }
  void fields(Archive& a) { a(items); }
};
struct ModelReply {
  Numbers model;
  void fields(Archive& a) { a(model); }
};
inline const Job<ModelNote, ModelReply> kSendModel("send-model", [](const Shelf& shelf, const ModelNote&,
                                                                    ClientView& view) {
  return ModelReply{personal_model(shelf, view).values()};
});

struct AtModelsNote {
  Items items;               // the models of its group
  std::uint32_t circle = 0;  // does not travel
  std::size_t place = 0;     // of its own model among them; does not travel
  bool from_nothing() const { return true; }
  std::uint32_t group() const { return circle; }
  std::size_t own() const { return place; }
  void fields(Archive& a) { a(items); }
};
struct AtModelsReply {
  // At each model it was sent, in order. One that is not finite is empty: it would cost the others too.
  std::vector<Numbers> gradients;
  void fields(Archive& a) { a(gradients); }
};
inline const Job<AtModelsNote, AtModelsReply> kAtModels("gradients-at-models", [](const Shelf& shelf,
                                                                                  const AtModelsNote&,
                                                                                  ClientView& view) {
  std::vector<Shared> models;
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) models.push_back(shelf[k]);
  }
  AtModelsReply reply{gradients_at(view, models)};
  for (Numbers& gradient : reply.gradients) {
    if (std::isnan(gradient.largest(std::numeric_limits<double>::max()))) gradient = Numbers();
  }
  return reply;
});

}  // namespace coterie
