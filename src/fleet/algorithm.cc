#include "coterie/algorithm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coterie/methods/choose.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"
#include "math/kernels.h"

namespace coterie {

std::vector<Vec> Offer::items() const {
  std::vector<Vec> all;
  for (const Vec& model : models) all.push_back(sharing.split(model).second);
  if (sharing.any()) all.push_back(sharing.split(models.at(0)).first);
  all.insert(all.end(), extras.begin(), extras.end());
  return all;
}

Items Offer::travelling(const Items& needed) const {
  if (!sharing.any()) return needed;
  const std::size_t count = models.size() + extras.size();
  std::vector<std::uint32_t> some;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (needed.has(k)) some.push_back(k < models.size() ? k : k + 1);
  }
  if (some.size() == count) return Items::all();
  some.push_back(static_cast<std::uint32_t>(models.size()));
  std::sort(some.begin(), some.end());
  return Items::only(std::move(some));
}

Packing Offer::packing() const {
  return {static_cast<std::uint32_t>(models.size()), static_cast<std::uint32_t>(extras.size()), sharing};
}

Shelf Packing::unpack(const Shelf& sent, Precision precision) const {
  const std::size_t count = std::size_t{models} + (sharing.any() ? 1 : 0) + extras;
  if (sent.size() != count) {
    throw Error("it was sent an offer of " + std::to_string(sent.size()) + " items instead of " +
                std::to_string(count));
  }
  if (!sharing.any()) return sent;
  const auto item = [&](std::size_t k) { return sent.has(k) ? sent[k] : Shared(); };
  Shelf parts;
  for (std::size_t k = 0; k <= models; ++k) parts.add(item(k));
  Shelf whole = sharing.join(parts, precision);
  for (std::size_t f = 1; f <= extras; ++f) whole.add(item(models + f));
  return whole;
}

std::size_t lowest(std::span<const double> values) {
  std::size_t best = values.size();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    if (best == values.size() || values[k] < values[best]) best = k;
  }
  return best == values.size() ? 0 : best;
}

std::vector<Vec> random_models(const Setting& setting, std::size_t count, std::uint32_t trial) {
  std::vector<Vec> models(count, Vec(setting.model.size()));
  for (std::size_t k = 0; k < count; ++k) {
    Stream stream(setting.seed, {Purpose::init, trial, 0, static_cast<std::uint32_t>(k)});
    setting.model.init(models[k], stream);
  }
  return models;
}

std::size_t Setting::true_clusters() const {
  return truth.empty() ? 0 : *std::max_element(truth.begin(), truth.end()) + std::size_t{1};
}

Vec Algorithm::settle(const Shelf& offer, ClientView& view) const {
  Vec weights(offer.size(), 0.0);
  weights[choose({&view, 1}, {&offer, 1}, {&kNoGuess, 1})[0].model] = 1;
  return weights;
}

Vec Algorithm::costs(const Shelf& offer, ClientView& view) const {
  Vec sums;
  for (std::size_t k = 0; k < offer.size(); ++k) {
    Vec losses = view.losses(offer[k]);
    const std::span<const double> weights = view.row_weights(Part::train);
    for (std::size_t i = 0; i < weights.size(); ++i) losses[i] *= weights[i];
    sums.push_back(std::accumulate(losses.begin(), losses.end(), 0.0));
  }
  return sums;
}

Predictions Algorithm::predict(const Shelf& offer, const Vec& weights, ClientView& view, Part part) const {
  std::vector<Shared> models;
  Vec used;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] <= 0) continue;
    models.push_back(offer[k]);
    used.push_back(weights[k]);
  }
  return predict_mixture(models, used, view, part);
}

Shared Algorithm::model_of(const Shelf& offer, const Vec& weights, ClientView&) const {
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 1) return offer[k];
  }
  return {};
}

Predictions predict_mixture(const std::vector<Shared>& models, const Vec& weights, ClientView& view,
                            Part part) {
  Predictions result;
  const std::size_t width = view.model().outputs();
  if (models.size() == 1) {
    view.predict(models, part, [&](std::size_t, std::size_t, auto outputs, auto losses) {
      result.outputs.insert(result.outputs.end(), outputs.begin(), outputs.end());
      result.losses.insert(result.losses.end(), losses.begin(), losses.end());
    });
    return result;
  }
  result.outputs.assign(view.count(part) * width, 0.0);
  const bool by_row = weights.size() != models.size();
  view.predict(models, part, [&](std::size_t k, std::size_t row, auto outputs, auto) {
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      const std::size_t weight = by_row ? (row + j / width) * models.size() + k : k;
      result.outputs[row * width + j] += weights[weight] * outputs[j];
    }
  });
  const Samples& samples = view.samples(part);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.shape.task == Task::classification) {
      double p = result.outputs[i * width + samples.label(i)];
      result.losses.push_back(-std::log(std::max(p, 1e-30)));
    } else {
      double gap = result.outputs[i] - samples.targets[i];
      result.losses.push_back(view.model().loss_factor() * gap * gap);
    }
  }
  return result;
}

const Job<TrainNote, TrainReply>& train_job() {
  static const Job<TrainNote, TrainReply> job(
      "train", [](const Shelf& shelf, const TrainNote& note, ClientView& view) {
        return TrainReply{
            view.train(shelf[note.item], {.prox = note.prox, .centre = nullptr, .weights = {}, .slot = 0})};
      });
  return job;
}

Vec change_by_training(const Shared& model, std::int64_t rounds, ClientView& view) {
  if (rounds == 0) return view.gradient(model);
  Vec trained = model.values(), momentum;
  for (std::int64_t t = 0; t < rounds; ++t) {
    trained = view.train(view.to_shared(std::move(trained)),
                         {.prox = 0, .centre = nullptr, .weights = {}, .slot = 0, .momentum = &momentum});
  }
  Vec change = model.values();
  add_scaled(-1.0, trained, change);
  return change;
}

double client_weight(const Setting& setting, const Fleet& fleet, ClientId client) {
  return setting.aggregate.weights == "uniform" ? 1.0 : static_cast<double>(fleet.samples(client));
}

double total_weight(const Setting& setting, const Fleet& fleet, std::span<const ClientId> cohort) {
  double total = 0;
  for (ClientId client : cohort) total += client_weight(setting, fleet, client);
  return total;
}

void train_and_average(Fleet& fleet, const Setting& setting, std::span<const ClientId> cohort,
                       const std::function<std::uint32_t(ClientId)>& cluster_of, double prox,
                       std::vector<Vec>& models) {
  auto means =
      setting.aggregate.slots(models.size(), setting.model.size(), total_weight(setting, fleet, cohort));
  IntoSlots<TrainReply> fold(*means, &TrainReply::model, [&](ClientId i, const TrainReply&) {
    return SlotWeight{cluster_of(i), client_weight(setting, fleet, i)};
  });
  auto note = [&](ClientId i) { return TrainNote{Items::only({cluster_of(i)}), cluster_of(i), prox}; };
  fleet.ask(train_job(), cohort, Shelf(models, fleet.precision()), note, {&fold});
  for (std::size_t k = 0; k < models.size(); ++k) models[k] = means->mean_or(k, models[k]);
}

}  // namespace coterie
