// Training of heads and a shared extractor (eqs. 6 and 7), in the same steps or one after the other.
#include <algorithm>

#include "algorithms/tiers/client.h"
#include "algorithms/tiers/train_heads.h"

namespace coterie {
bool no_rows_of(std::span<const double> gamma, std::size_t clusters, std::size_t k) {
  for (std::size_t j = k; j < gamma.size(); j += clusters) {
    if (gamma[j] != 0) return false;
  }
  return !gamma.empty();
}

void ClientHalf::train_shared(const std::vector<Shared>& models, std::span<const std::uint32_t> slots,
                              std::span<const double> gamma, ClientView& view, TierReply& reply) const {
  const bool joint = options.update == "joint", hard = this->weights.hard();
  const std::size_t heads = models.size(), head = view.model().head();
  if (joint && heads == 1) {
    // Of soft rules the buffer is the one that further heads will be added to.
    const Numbers whole =
        view.train(models[0], {.prox = prox(),
                               .centre = nullptr,
                               .weights = {},
                               .slot = slots[0],
                               .momentum = hard ? nullptr : &view.state<TierState>().momentum});
    auto [common, own] = sharing.split(whole);
    reply.common = common;
    reply.own.emplace_back(own);
    return;
  }
  Vec all(models[0].values().begin(), models[0].values().begin() + static_cast<std::ptrdiff_t>(head));
  for (const Shared& model : models) {
    all.insert(all.end(), model.values().begin() + static_cast<std::ptrdiff_t>(head), model.values().end());
  }
  const Vec ones(heads == 1 ? view.count(Part::train) : 0, 1.0);
  const std::span<const double> weights = heads == 1 ? std::span<const double>(ones) : gamma;
  TierState none;
  const bool keeps = !hard || view.solver().momentum_survives();
  TierState& state = keeps ? view.state<TierState>() : none;
  if (hard && state.head_slot != slots[0]) {  // the momentum of another cluster's head
    state.head_momentum.clear();
    state.head_slot = slots[0];
  }
  auto train = [&](HeadsModel::Trains trains, Vec& momentum) {
    const Vec trained = train_heads(trains, models[0], weights, heads, all, prox(), momentum, view);
    const std::size_t begin = trains == HeadsModel::Trains::heads ? head : 0;
    std::copy(trained.begin(), trained.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  if (joint) {
    train(HeadsModel::Trains::both, state.momentum);
  } else {
    train(HeadsModel::Trains::heads, state.head_momentum);
    train(HeadsModel::Trains::extractor, state.momentum);
  }
  reply.common = Vec(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(head));
  const std::size_t size = (all.size() - head) / heads;
  for (std::size_t k = 0; k < heads; ++k) {
    if (no_rows_of(weights, heads, k)) {  // not what weight decay or old momentum make of it
      reply.own.emplace_back(
          Vec(models[k].values().begin() + static_cast<std::ptrdiff_t>(head), models[k].values().end()));
      continue;
    }
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(head + k * size);
    reply.own.emplace_back(Vec(begin, begin + static_cast<std::ptrdiff_t>(size)));
  }
}

}  // namespace coterie
