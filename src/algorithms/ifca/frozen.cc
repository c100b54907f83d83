#include "algorithms/ifca/frozen.h"

#include "algorithms/tiers/client.h"
#include "algorithms/tiers/train_heads.h"
#include "data/penalty.h"

namespace coterie {
namespace {

// The lowest objective among the models that it was sent; the first of equals.
Choice choose_head(const Shelf& models, ClientView& view) {
  Shelf sent;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t k = 0; k < models.size(); ++k) {
    if (!models.has(k)) continue;
    view.expect_model(models[k]);
    sent.add(models[k]);
    numbers.push_back(k);
  }
  const AllLosses all = all_losses(sent, true, view);
  const std::span<const double> weights = view.row_weights(Part::train);
  Vec losses, objectives;
  for (std::size_t s = 0; s < numbers.size(); ++s) {
    Vec rows = all.losses[s];
    for (std::size_t j = 0; j < weights.size(); ++j) rows[j] *= weights[j];
    losses.push_back(rows.empty() ? 0 : mean(rows));
    objectives.push_back(losses.back() + penalty(view.model(), std::span<const double>(sent[s].values())));
  }
  const std::size_t best = lowest(objectives);
  return {numbers[best], losses[best]};
}

}  // namespace

void check_can_freeze(const Setting& setting) {
  if (!HeadsModel::can_share(setting.model)) {
    throw Error(
        "algorithm.ifca.frozen trains the last layer of a network alone, but this model has nothing before "
        "its last layer, or has batch-norm; leave it out");
  }
  if (setting.solver.momentum_survives()) {
    throw Error("algorithm.ifca.frozen keeps no momentum; leave out local.momentum_survives");
  }
}

std::vector<std::string> names_before_head(const Model& model) {
  std::vector<std::string> names;
  for (const Layer& layer : model.layers()) {
    if (layer.offset < model.head()) names.push_back(layer.name);
  }
  return names;
}

IfcaReply frozen_turn(const Shelf& models, ClientView& view) {
  const Choice choice = choose_head(models, view);
  const Shared& model = models[choice.model];
  const Vec ones(view.count(Part::train), 1.0);
  Vec none;
  IfcaReply reply{choice.model, choice.loss, {}, {}, {}};
  reply.update = train_heads(HeadsModel::Trains::heads, model, ones, 1, model.values(), 0, none, view);
  return reply;
}

}  // namespace coterie
