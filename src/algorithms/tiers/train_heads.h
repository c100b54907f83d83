// Local training of heads over one extractor, of either part or both.
#pragma once

#include <span>

#include "algorithms/tiers/heads_model.h"
#include "coterie/client.h"

namespace coterie {

// One training job of the config's solver; returns what it trained. `all`: the extractor, then the heads;
// `gamma`: rows x heads; `sums_of`: a model with this extractor; `momentum`: where it survives.
Vec train_heads(HeadsModel::Trains trains, const Shared& sums_of, std::span<const double> gamma,
                std::size_t heads, const Vec& all, double prox, Vec& momentum, ClientView& view);

}  // namespace coterie
