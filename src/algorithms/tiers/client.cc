#include "algorithms/tiers/client.h"

#include <algorithm>
#include <numeric>

#include "algorithms/tiers/e_step.h"
#include "coterie/methods/extractor.h"
#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"
#include "math/scratch.h"

namespace coterie {
namespace {

template <class Real>
AllLosses all_losses_as(const Shelf& models, bool shared, ClientView& view, std::span<const double> weights) {
  AllLosses all;
  const FirstLayer* first = view.model().first_layer();
  const Extractor* extractor = first == nullptr && shared ? view.model().extractor() : nullptr;
  const std::size_t rows = view.count(Part::train), head = view.model().head();
  std::vector<Real> features;  // those of all heads
  if (extractor != nullptr && rows > 0) {
    features.resize(rows * view.model().feature_width());
    view.model().features(models[0].as<Real>(), view.batch<Real>(Part::train), features);
  }
  for (std::size_t k = 0; k < models.size(); ++k) {
    if (!weights.empty() && weights[k] == 0) {
      all.losses.emplace_back(rows, 0.0);
      all.sums.emplace_back();
      continue;
    }
    if (!features.empty()) {
      all.losses.emplace_back(rows);
      extractor->head_losses(models[k].as<Real>().subspan(head), features, view.batch<Real>(Part::train).y,
                             all.losses.back());
      continue;
    }
    if (first == nullptr || rows == 0) {
      all.losses.push_back(view.losses(models[k]));
      continue;
    }
    const std::span<const Real> kept = view.first_sums<Real>(models[shared ? 0 : k]);
    const std::span<Real> spent = scratch<Real, struct AllLossSums>(kept.size());
    std::copy(kept.begin(), kept.end(), spent.begin());
    all.losses.emplace_back(rows);
    first->tail_losses(first->tail(models[k].as<Real>()), spent, view.batch<Real>(Part::train).y,
                       all.losses.back());
    if (!shared) all.sums.emplace_back(Room<Real>(kept.begin(), kept.end()));
  }
  return all;
}

// gamma of one cluster.
Vec column(std::span<const double> gamma, std::size_t clusters, std::size_t k) {
  Vec out;
  for (std::size_t j = k; j < gamma.size(); j += clusters) out.push_back(gamma[j]);
  return out;
}

// Momentum is the client's own and goes on through edits: that of the extractor, which has `begin` numbers,
// and of every head that stays. A new head has none yet, as a new cluster of whole models has none.
void edit_momentum(const ClusterEdit& edit, std::size_t begin, std::size_t head, Vec& momentum) {
  if (momentum.size() <= begin) return;
  if (edit.kind == ClusterEdit::Kind::split) {
    momentum.resize(momentum.size() + head, 0.0);
    return;
  }
  const std::size_t gone = edit.kind == ClusterEdit::Kind::merge ? edit.other : edit.cluster;
  const auto from = momentum.begin() + static_cast<std::ptrdiff_t>(begin + gone * head);
  momentum.erase(from, from + static_cast<std::ptrdiff_t>(head));
}

}  // namespace

AllLosses all_losses(const Shelf& models, bool shared, ClientView& view, std::span<const double> weights) {
  if (models.size() == 0) throw Error("it was sent no model");
  return with_real(view.precision(),
                   [&](auto real) { return all_losses_as<decltype(real)>(models, shared, view, weights); });
}

Vec loss_shares(const std::vector<Vec>& losses, double floor) {
  const std::size_t rows = losses[0].size();
  Vec shares(losses.size(), 0.0), row(losses.size());
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t k = 0; k < losses.size(); ++k) row[k] = losses[k][j];
    shares[lowest(row)] += 1;
  }
  for (double& s : shares) s = s > 0 ? s / static_cast<double>(rows) : floor;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& s : shares) s = sum > 0 ? s / sum : 1 / static_cast<double>(shares.size());
  return shares;
}

Shelf ClientHalf::models(const Shelf& shelf, std::size_t clusters, Precision precision) const {
  Shelf some;
  const std::size_t count = clusters + (sharing.any() ? 1 : 0);
  for (std::size_t k = 0; k < count; ++k) some.add(shelf.has(k) ? shelf[k] : Shared());
  return sharing.join(some, precision);
}

std::vector<Shared> ClientHalf::figures(const Shelf& shelf, std::size_t clusters) const {
  std::vector<Shared> some;
  const std::size_t begin = clusters + (sharing.any() ? 1 : 0);
  for (std::size_t f = 0; f < objective.figure_count(); ++f) some.push_back(shelf[begin + f]);
  return some;
}

std::vector<TierReply> ClientHalf::work(std::span<const Shelf> shelves, std::span<const TierNote> notes,
                                        std::span<ClientView> views) const {
  std::vector<Shelf> models;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (notes[i].slots.empty()) throw Error("it was sent no model");
    models.push_back(this->models(shelves[i], notes[i].slots.size(), views[i].precision()));
    if (notes[i].decided && notes[i].home >= models[i].size())
      throw Error("its cluster is none that it was sent");
  }
  std::vector<TierReply> replies(views.size());
  if (weights.hard()) {
    const std::vector<Choice> homes = this->homes(models, notes, views);
    for (std::size_t i = 0; i < views.size(); ++i)
      replies[i] = hard(shelves[i], models[i], notes[i], homes[i], views[i]);
  } else {
    for (std::size_t i = 0; i < views.size(); ++i) {
      replies[i] =
          weights.mixes() ? soft(shelves[i], models[i], notes[i], views[i]) : counted(models[i], views[i]);
    }
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!notes[i].trace) continue;
    replies[i].trace = distance.trace(models[i][replies[i].home], views[i]);
  }
  return replies;
}

// The clusters of a block of clients: where the server put them, or that of the lowest loss.
std::vector<Choice> ClientHalf::homes(std::span<const Shelf> models, std::span<const TierNote> notes,
                                      std::span<ClientView> views) const {
  const auto decided = [](const TierNote& note) { return note.decided; };
  if (std::none_of(notes.begin(), notes.end(), decided)) {
    std::vector<std::uint32_t> guesses;
    for (const TierNote& note : notes) guesses.push_back(note.home);
    return choose(views, models, guesses);
  }
  std::vector<Choice> homes;
  for (std::size_t i = 0; i < views.size(); ++i) {
    homes.push_back(notes[i].decided
                        ? Choice{notes[i].home, 0}
                        : choose(views.subspan(i, 1), models.subspan(i, 1), {&notes[i].home, 1})[0]);
  }
  return homes;
}

TierReply ClientHalf::hard(const Shelf& shelf, const Shelf& models, const TierNote& note, const Choice& home,
                           ClientView& view) const {
  TierReply reply;
  reply.home = home.model;
  reply.chosen = !note.decided;
  reply.loss = home.loss;
  if (sharing.any()) {
    train_shared({models[home.model]}, {&note.slots[home.model], 1}, {}, view, reply);
  } else {
    reply.own.push_back(
        view.train(models[home.model],
                   {.prox = prox(), .centre = centre(shelf), .weights = {}, .slot = note.slots[home.model]}));
  }
  return reply;
}

// Algorithm 3 of the HCFL paper; with whole models FedEM's local step.
TierReply ClientHalf::soft(const Shelf& shelf, const Shelf& models, const TierNote& note,
                           ClientView& view) const {
  const std::size_t clusters = models.size();
  TierState& state = view.state<TierState>();
  if (state.weights.size() != clusters) {
    state = TierState();
    state.weights.assign(clusters, 1 / static_cast<double>(clusters));
  }
  const double mu = weights.rule == TierWeights::Rule::em ? 0 : options.mu;
  // What has no weight gets none: where samples follow the client's weights, such a model is left alone.
  const std::span<const double> known =
      mu == 0 ? std::span<const double>(state.weights) : std::span<const double>();
  AllLosses all = all_losses(models, sharing.any(), view, known);
  const Vec logs = objective.log_likelihoods(all.losses, figures(shelf, clusters), view);
  if (state.rows.size() != logs.size()) state.rows.clear();
  EStep step = e_step(logs, state.weights, state.rows, mu);
  state.weights = step.client;
  state.rows = std::move(step.rows);

  TierReply reply;
  reply.weights = state.weights;
  reply.home = home_of(state.weights);
  reply.loss = -step.log_likelihood;
  reply.told = objective.tell(step.gamma, clusters, view);
  // With one cluster every row counts 1.
  const Vec gamma = clusters == 1 ? Vec() : std::move(step.gamma);
  if (sharing.any()) {
    std::vector<Shared> whole;
    for (std::size_t k = 0; k < clusters; ++k) whole.push_back(models[k]);
    train_shared(whole, note.slots, gamma, view, reply);
    return reply;
  }
  for (std::size_t k = 0; k < clusters; ++k) {
    if (no_rows_of(gamma, clusters, k)) {
      reply.own.emplace_back(models[k].values());
      continue;
    }
    const Vec rows = column(gamma, clusters, k);
    if (k < all.sums.size()) {
      std::visit([&](auto& sums) { view.keep_first_sums(models[k], std::move(sums)); }, all.sums[k]);
    }
    reply.own.push_back(view.train(
        models[k], {.prox = prox(), .centre = centre(shelf), .weights = rows, .slot = note.slots[k]}));
  }
  return reply;
}

// FedSoft: one model of its own, pulled to the clusters' by its weights.
TierReply ClientHalf::counted(const Shelf& models, ClientView& view) const {
  const std::size_t clusters = models.size();
  TierState& state = view.state<TierState>();
  const auto every = static_cast<std::uint32_t>(options.estimate_every);
  if (state.weights.size() != clusters || view.round() >= state.estimated + every) {
    state.weights = loss_shares(all_losses(models, false, view).losses, options.floor);
    state.estimated = view.round();
  }
  TierReply reply;
  reply.weights = state.weights;
  reply.home = home_of(state.weights);
  Vec centre(models[0].size(), 0.0);
  for (std::size_t k = 0; k < clusters; ++k) {
    for (std::size_t j = 0; j < centre.size(); ++j) centre[j] += state.weights[k] * models[k].values()[j];
  }
  const Shared pull = view.to_shared(std::move(centre));
  const Shared start = state.own.empty() ? models[reply.home] : view.to_shared(state.own);
  const Numbers own = view.train(start, {.prox = prox(), .centre = &pull, .weights = {}, .slot = 0});
  state.own = own;
  reply.own.push_back(own);
  return reply;
}

Vec ClientHalf::settle(const Shelf& models, std::span<const Shared> figures, ClientView& view) const {
  const std::size_t clusters = models.size();
  const AllLosses all = all_losses(models, sharing.any(), view);
  if (!weights.mixes()) return loss_shares(all.losses, options.floor);
  const Vec& known = view.state<TierState>().weights;
  Vec from = known.size() == clusters ? known : Vec(clusters, 1 / static_cast<double>(clusters));
  return settle_weights(objective.log_likelihoods(all.losses, figures, view), std::move(from),
                        static_cast<std::size_t>(options.settle));
}

Vec ClientHalf::costs(const Shelf& models, std::span<const Shared> figures, ClientView& view) const {
  const AllLosses all = all_losses(models, sharing.any(), view);
  const Vec logs = objective.log_likelihoods(all.losses, figures, view);
  Vec sums(models.size(), 0.0);
  for (std::size_t j = 0; j < logs.size(); ++j) sums[j % sums.size()] -= logs[j];
  return sums;
}

void ClientHalf::follow(const ClusterEdit& edit, ClientView& view) const {
  if (weights.hard()) return;
  TierState& state = view.state<TierState>();
  if (state.weights.empty()) return;
  const std::size_t clusters = state.weights.size();
  if (edit.cluster >= clusters || (edit.kind == ClusterEdit::Kind::merge && edit.other >= clusters)) {
    throw Error("it was sent an edit of a cluster that it does not have");
  }
  ClusterEdit of_rows = edit;
  if (edit.parts == ClusterEdit::Parts::reset && weights.rule == TierWeights::Rule::sample_soft) {
    // As in public code the client's weights alone begin afresh; those of its samples are halved.
    of_rows.parts = ClusterEdit::Parts::halves;
    if (edit.kind == ClusterEdit::Kind::split && state.rows.empty()) {
      for (std::size_t j = 0; j < view.count(Part::train) * clusters; ++j)
        state.rows.push_back(state.weights[j % clusters]);
    }
  }
  Vec rows, after;
  for (std::size_t j = 0; j + clusters <= state.rows.size(); j += clusters) {
    apply(of_rows, view.id(), std::span(state.rows).subspan(j, clusters), after);
    rows.insert(rows.end(), after.begin(), after.end());
  }
  state.rows = std::move(rows);
  apply(edit, view.id(), state.weights);
  const std::size_t head = view.model().head(), size = view.model().size() - head;
  edit_momentum(edit, head, size, state.momentum);
  edit_momentum(edit, 0, size, state.head_momentum);
}

}  // namespace coterie
