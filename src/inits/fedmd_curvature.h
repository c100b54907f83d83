// alpha and beta of FedMD (inits/fedmd.cc): between which the eigenvalues of the inputs' second moments lie.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "coterie/erm.h"
#include "inits/fedmd_options.h"
#include "math/kernels.h"
#include "math/singular.h"

namespace coterie {

// As given. What is not: of a regression the extreme eigenvalues of the second moments of all inputs of the
// cohort, alpha at least a tenth of beta; of other losses 1. The gradient of a regression is affine in the
// model, so what it gains from 0 to v is a product of the second moments by v: that is what clients are asked
// for, 13 times.
inline Extremes find_curvature(const InitContext& context, const FedMdOptions& options,
                               const std::vector<ClientId>& cohort) {
  constexpr std::uint16_t kAsk = 48;  // of the server's streams
  constexpr std::size_t kProducts = 12;
  constexpr double kLeastAlpha = 0.1;
  const Model& model = context.setting.model;
  const bool squares = model.loss_kind() == LossKind::squared && model.depth() == 1;
  if (!squares || (options.alpha && options.beta))
    return {options.alpha.value_or(1), options.beta.value_or(1)};
  double total = 0;
  for (const ClientId i : cohort) total += static_cast<double>(context.fleet.samples(i));
  auto gradient = [&](const Vec& at) {
    Sums sums(1, model.size(), total, context.setting.aggregate.limit);
    IntoSlots<SlopeReply> fold(sums, &SlopeReply::gradient, [&](ClientId i, const SlopeReply&) {
      return Share{0, static_cast<double>(context.fleet.samples(i))};
    });
    context.fleet.ask(slope_job(), cohort, Shelf({at}, context.fleet.precision()),
                      [](ClientId) { return SlopeNote{}; }, {&fold});
    return sums.mean_or(0, Vec(model.size(), 0.0));
  };
  const Vec at_zero = gradient(Vec(model.size(), 0.0));
  Stream stream(context.setting.seed, {Purpose::server, 0, kAsk, 0});
  Extremes found = extreme_eigenvalues(
      [&](const Vec& v) {
        Vec product = gradient(v);
        add_scaled(-1.0, at_zero, product);
        return product;
      },
      model.size(), kProducts, stream);
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
