#include "inits/fedmd/curvature.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "coterie/methods/erm.h"
#include "coterie/methods/slots.h"
#include "math/kernels.h"

namespace coterie {

SizesReply find_sizes(const InitContext& context, const AnchorDescent& descent) {
  Collect<SizesReply, SizesReply> replies([](SizesReply& reply) { return reply; });
  context.fleet.ask(kSizes, descent.anchors, Shelf({descent.models[0]}, context.fleet.precision()),
                    [](ClientId) { return SizesNote{}; }, {&replies});
  auto median = [&](double SizesReply::*size) {
    Vec found;
    for (const auto& [client, reply] : replies.items) {
      if (reply.*size > 0) found.push_back(reply.*size);
    }
    if (found.empty()) return 1.0;
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2),
                     found.end());
    return found[found.size() / 2];
  };
  return {median(&SizesReply::residual), median(&SizesReply::slope)};
}

Extremes find_curvature(const InitContext& context, const FedMdOptions& options, std::vector<ClientId> cohort,
                        double slope) {
  constexpr std::uint16_t kAsk = 48;  // of the server's streams
  constexpr std::size_t kProducts = 12;
  constexpr double kLeastAlpha = 0.1;
  constexpr double kLimit = 65536;  // how far a client's gradient may exceed those of the anchors
  const Model& model = context.setting.model;
  const bool squares = model.loss_kind() == LossKind::squared && model.depth() == 1;
  if (!squares || (options.alpha && options.beta))
    return {options.alpha.value_or(1), options.beta.value_or(1)};
  std::vector<ClientId> answered;  // every ask so far
  auto gradient = [&](const Vec& at) {
    double total = 0;
    for (const ClientId i : cohort) total += static_cast<double>(context.fleet.samples(i));
    // Weights in units of the gradients: weighted, they are near 1.
    Sums sums(1, model.size(), 1 / slope, kLimit * slope);
    IntoSlots<SlopeReply> fold(sums, &SlopeReply::gradient, [&](ClientId i, const SlopeReply&) {
      return SlotWeight{0, static_cast<double>(context.fleet.samples(i)) / total / slope};
    });
    const std::vector<ClientId> now =
        context.fleet.ask(slope_job(), cohort, Shelf({at}, context.fleet.precision()),
                          [](ClientId) { return SlopeNote{}; }, {&fold});
    std::vector<ClientId> both;
    std::set_intersection(answered.begin(), answered.end(), now.begin(), now.end(), std::back_inserter(both));
    answered = std::move(both);
    return sums.mean_or(0, Vec(model.size(), 0.0));
  };
  Extremes found;
  // Differences of gradients make sense for the same clients only: where some could not be used, once more
  // without them.
  for (bool once_more = true; once_more;) {
    answered = cohort;
    const Vec at_zero = gradient(Vec(model.size(), 0.0));
    Stream stream(context.setting.seed, {Purpose::server, 0, kAsk, 0});
    found = extreme_eigenvalues(
        [&](const Vec& v) {
          Vec product = gradient(v);
          add_scaled(-1.0, at_zero, product);
          return product;
        },
        model.size(), kProducts, stream);
    once_more = answered.size() < cohort.size();
    cohort = answered;
  }
  found.largest = options.beta.value_or(found.largest);
  found.least = options.alpha.value_or(std::max(found.least, kLeastAlpha * found.largest));
  if (!(found.least > 0)) {
    throw Error("clusters.init = \"fedmd\": all inputs are zero, so there is nothing to learn");
  }
  context.fleet.report(
      {0,
       "curvature",
       {},
       fmt::format("second moments of the inputs: alpha = {:.4g}, beta = {:.4g}", found.least, found.largest),
       {{"alpha", found.least}, {"beta", found.largest}}});
  return found;
}

}  // namespace coterie
