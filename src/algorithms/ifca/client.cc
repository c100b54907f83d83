#include "algorithms/ifca/client.h"

#include <cmath>
#include <numeric>

#include "algorithms/ifca/frozen.h"
#include "coterie/attack.h"
#include "coterie/methods/choose.h"
#include "coterie/methods/first_layer.h"
#include "coterie/methods/sharing.h"
#include "coterie/methods/with_real.h"
#include "data/penalty.h"

namespace coterie {
namespace {

IfcaReply update_chosen(const Shared& model, const Choice& choice, const IfcaNote& note, ClientView& view) {
  IfcaReply reply{choice.model, choice.loss, {}, {}, {}};
  // Each model has its own surviving momentum, unless asked otherwise: a client that changes its mind starts
  // that of the other afresh.
  const std::uint32_t slot = note.one_momentum ? 0 : choice.model;
  Numbers whole = note.gradient
                      ? view.gradient(model)
                      : view.train(model, {.prox = 0, .centre = nullptr, .weights = {}, .slot = slot});
  if (!note.sharing.any()) {
    reply.update = std::move(whole);
  } else {
    auto [common, own] = note.sharing.split(whole);
    reply.common = common;
    reply.update = own;
  }
  return reply;
}

// The model of the lowest objective on a few rows, drawn anew; the first that it was sent where no loss is
// finite, or there are no rows.
template <class Real>
Choice choose_by_few(const Shelf& models, std::size_t count, ClientView& view) {
  const Batch<Real> all = view.batch<Real>(Part::train);
  std::vector<std::uint32_t> order(all.rows);
  std::iota(order.begin(), order.end(), 0u);
  view.stream().shuffle(std::span(order));
  order.resize(std::min(count, order.size()));
  std::vector<Real> x;
  std::vector<Real> backgrounds;
  Vec y, weights;
  for (const std::uint32_t row : order) {
    const auto from = all.x.begin() + static_cast<std::ptrdiff_t>(row * all.width);
    x.insert(x.end(), from, from + static_cast<std::ptrdiff_t>(all.width));
    y.push_back(all.y[row]);
    if (!all.weights.empty()) weights.push_back(all.weights[row]);
    if (!all.backgrounds.empty()) backgrounds.push_back(all.backgrounds[row]);
  }
  Choice best{0, 0};
  while (best.model < models.size() && !models.has(best.model)) ++best.model;
  if (best.model == models.size()) throw Error("it was sent no model");
  bool found = false;
  double lowest = 0;
  for (std::uint32_t k = best.model; k < models.size() && !order.empty(); ++k) {
    if (!models.has(k)) continue;
    view.expect_model(models[k]);
    Vec losses(order.size());
    view.model().losses(models[k].as<Real>(), {order.size(), all.width, x, y, {}, backgrounds}, losses);
    for (std::size_t i = 0; i < weights.size(); ++i) losses[i] *= weights[i];
    const double loss =
        std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(order.size());
    const double value = loss + penalty(view.model(), models[k].as<Real>());
    if (!std::isfinite(value) || (found && value >= lowest)) continue;
    best = {k, loss};
    lowest = value;
    found = true;
  }
  return best;
}

std::vector<IfcaReply> choose_and_work(std::span<const Shelf> shelves, std::span<const IfcaNote> notes,
                                       std::span<ClientView> views) {
  // With one sum a row a block is of no use: each client's update then finds its rows still in cache.
  const FirstLayer* first = views[0].model().first_layer();
  if (views.size() > 1 && first != nullptr && first->outputs() == 1) {
    std::vector<IfcaReply> replies;
    for (std::size_t i = 0; i < views.size(); ++i) {
      replies.push_back(
          std::move(choose_and_work(shelves.subspan(i, 1), notes.subspan(i, 1), views.subspan(i, 1))[0]));
    }
    return replies;
  }
  std::vector<Shelf> models;
  std::vector<std::uint32_t> guesses;
  for (std::size_t i = 0; i < views.size(); ++i) {
    models.push_back(notes[i].sharing.join(shelves[i], views[i].precision()));
    guesses.push_back(notes[i].guess);
    if (notes[i].portions > 0) views[i].use_slice(notes[i].portion, notes[i].portions);
  }
  if (notes[0].frozen) {
    std::vector<IfcaReply> replies;
    for (std::size_t i = 0; i < views.size(); ++i) replies.push_back(frozen_turn(models[i], views[i]));
    return replies;
  }
  std::vector<Choice> choices;
  std::vector<std::vector<Evidence>> seen(views.size());
  if (notes[0].choose_by > 0) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      choices.push_back(with_real(views[i].precision(), [&](auto real) {
        return choose_by_few<decltype(real)>(models[i], notes[i].choose_by, views[i]);
      }));
    }
  } else if (notes[0].evaluate_all) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      Weighed weighed = weigh(views[i], models[i]);
      choices.push_back(weighed.choice);
      if (notes[i].evidence) seen[i] = std::move(weighed.seen);
    }
  } else {
    choices = choose(views, models, guesses);
  }
  std::vector<IfcaReply> replies;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (notes[i].portions > 0) views[i].use_slice(notes[i].portion + 1, notes[i].portions);
    replies.push_back(update_chosen(models[i][choices[i].model], choices[i], notes[i], views[i]));
    replies.back().seen = std::move(seen[i]);
  }
  return replies;
}

}  // namespace

const Job<IfcaNote, IfcaReply> kChooseAndWork(
    "ifca",
    [](const Shelf& shelf, const IfcaNote& note, ClientView& view) {
      return std::move(choose_and_work({&shelf, 1}, {&note, 1}, {&view, 1})[0]);
    },
    [](const std::vector<Shelf>& shelves, const std::vector<IfcaNote>& notes,
       std::vector<ClientView>& views) { return choose_and_work(shelves, notes, views); });

namespace {

const AttackTraitEntry kChooseAndWorkTrait{
    "ifca", {.from_nothing = [](Message& note) { return content_of<IfcaNote>(note).gradient; }}};

}  // namespace

}  // namespace coterie
