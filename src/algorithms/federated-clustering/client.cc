#include "algorithms/federated-clustering/client.h"

#include <cmath>
#include <limits>

#include "algorithms/personal/client.h"
#include "coterie/attack.h"
#include "coterie/methods/gradients.h"
#include "coterie/methods/train.h"

namespace coterie {

const Job<ModelNote, ModelReply> kSendModel("send-model",
                                            [](const Shelf& shelf, const ModelNote&, ClientView& view) {
                                              return ModelReply{personal_model(shelf, view).values()};
                                            });

const Job<AtModelsNote, AtModelsReply> kAtModels("gradients-at-models", [](const Shelf& shelf,
                                                                           const AtModelsNote& note,
                                                                           ClientView& view) {
  view.use_batch(note.batch);
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

const Job<ChangeNote, ChangeReply> kChange("change-at-model", [](const Shelf& shelf, const ChangeNote& note,
                                                                 ClientView& view) {
  if (note.rounds > kMostLookRounds) throw Error("it was asked for more rounds of training than a look has");
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) return ChangeReply{change_by_training(shelf[k], note.rounds, view)};
  }
  throw Error("it was sent no model to train");
});

namespace {

// Circles are worked on apart, and one of the gradients is at the sender's own model.
const AttackTraitEntry kSendModelTrait{
    "send-model", {.crowd = [](Message& note) { return content_of<ModelNote>(note).circle; }}};
const AttackTraitEntry kAtModelsTrait{
    "gradients-at-models",
    {.from_nothing = [](Message&) { return true; },
     .crowd = [](Message& note) { return content_of<AtModelsNote>(note).circle; },
     .own = [](Message& note) -> std::size_t { return content_of<AtModelsNote>(note).place; }}};

const AttackTraitEntry kChangeTrait{
    "change-at-model",
    {.from_nothing = [](Message&) { return true; },
     .crowd = [](Message& note) { return content_of<ChangeNote>(note).circle; }}};

}  // namespace

}  // namespace coterie
