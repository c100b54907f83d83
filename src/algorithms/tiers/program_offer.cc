// What the program offers clients to predict with, how they use it, and what it tells of the last round.
#include <algorithm>

#include "algorithms/tiers/program.h"

namespace coterie {

Offer Tiered::offer() const {
  Offer offer;
  for (const Vec& own : clusters_.models) offer.models.push_back(sharing_.join(clusters_.common, own));
  offer.extras = objective_->figures();
  offer.sharing = sharing_;
  return offer;
}

// A client whose cluster the server knows needs that model alone.
Items Tiered::offer_items(ClientId client) const {
  const bool known = weights_->hard() && weights_->rule != TierWeights::Rule::lowest_loss &&
                     client < clusters_.weights.size() && clusters_.home(client) != kUnknownCluster;
  return known ? Items::only({clusters_.home(client)}) : Items::all();
}

void Tiered::apply(const Edit& edit, ClientView& view) const {
  half().follow(decode<ClusterEdit>(edit.what, Precision::f64), view);
}

// The models of an offer, and its figures.
std::pair<Shelf, std::vector<Shared>> Tiered::offered(const Shelf& offer) const {
  std::pair<Shelf, std::vector<Shared>> parts;
  if (offer.size() <= objective_->figure_count()) throw Error("it was offered no model");
  const std::size_t count = offer.size() - objective_->figure_count();
  for (std::size_t k = 0; k < offer.size(); ++k) {
    if (k >= count) {
      parts.second.push_back(offer[k]);
    } else {
      parts.first.add(offer.has(k) ? offer[k] : Shared());
    }
  }
  return parts;
}

Vec Tiered::settle(const Shelf& offer, ClientView& view) const {
  if (weights_->hard()) return Algorithm::settle(offer, view);
  const auto [models, figures] = offered(offer);
  return half().settle(models, figures, view);
}

// FedSoft's clients have a model of their own.
Algorithm::Keeps Tiered::keeps() const {
  return weights_->rule == TierWeights::Rule::loss_counts ? Keeps::model : Keeps::nothing;
}

// By the likelihoods that weights are found by, where they are.
Vec Tiered::costs(const Shelf& offer, ClientView& view) const {
  const auto [models, figures] = offered(offer);
  return weights_->mixes() ? half().costs(models, figures, view) : Algorithm::costs(models, view);
}

Predictions Tiered::predict(const Shelf& offer, const Vec& weights, ClientView& view, Part part) const {
  if (const Shared own = own_model(view)) return predict_mixture({own}, {1}, view, part);
  const auto [models, figures] = offered(offer);
  if (Vec rows = objective_->row_weights(weights, figures, view, part); !rows.empty()) {
    std::vector<Shared> all;
    for (std::size_t k = 0; k < models.size(); ++k) all.push_back(models[k]);
    return predict_mixture(all, rows, view, part);
  }
  return Algorithm::predict(offer, weights, view, part);
}

Shared Tiered::model_of(const Shelf& offer, const Vec& weights, ClientView& view) const {
  const Shared own = own_model(view);
  return own ? own : Algorithm::model_of(offer, weights, view);
}

std::vector<std::pair<std::string, double>> Tiered::own_metrics(std::span<const ClientId> judged) const {
  if (!weights_->mixes()) return {};
  double sum = 0, samples = 0;
  for (const Said& one : said_) {
    if (!std::binary_search(judged.begin(), judged.end(), one.client)) continue;
    sum -= one.samples * one.loss;
    samples += one.samples;
  }
  if (!(samples > 0)) return {};
  return {{"log_likelihood", sum / samples}};
}

// FedSoft's own model of a client that took part.
Shared Tiered::own_model(ClientView& view) const {
  if (weights_->rule != TierWeights::Rule::loss_counts) return {};
  const Vec& own = view.state<TierState>().own;
  return own.empty() ? Shared() : view.to_shared(own);
}

}  // namespace coterie
