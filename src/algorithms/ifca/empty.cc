#include "algorithms/ifca/empty.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace coterie {

void EmptyModels::look_after(Fleet& fleet, const Round& round, std::uint64_t seed, std::uint32_t patience,
                             std::span<const std::uint32_t> choices, std::span<const std::uint32_t> turns,
                             std::span<const std::pair<ClientId, Choice>> chosen, std::vector<Vec>& models) {
  std::vector<std::size_t> members(models.size(), 0);
  std::size_t known = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (turns[i] == 0) continue;
    ++known;
    ++members[choices[i]];
  }
  if (2 * known < choices.size()) return;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const bool empty = members[k] == 0;
    if (empty && rule == "reseed") {
      if (reseeded_[k] == 0 || round.number >= reseeded_[k] + patience)
        reseed(fleet, round, seed, k, chosen, models);
    } else if (empty && !empty_[k]) {
      fleet.report({0,
                    "empty-cluster",
                    {},
                    fmt::format("nobody of the {} asked so far chose model {}; it stays as it is",
                                counted(known, "client"), k),
                    {}});
    }
    empty_[k] = empty ? 1 : 0;
  }
}

void EmptyModels::reseed(Fleet& fleet, const Round& round, std::uint64_t seed, std::size_t k,
                         std::span<const std::pair<ClientId, Choice>> chosen, std::vector<Vec>& models) {
  Vec loss(models.size(), 0), count(models.size(), 0);
  for (const auto& [i, choice] : chosen) {
    if (!std::isfinite(choice.loss)) continue;
    loss[choice.model] += choice.loss;
    count[choice.model] += 1;
  }
  std::size_t donor = k;
  for (std::size_t j = 0; j < models.size(); ++j) {
    if (count[j] > 0 && (donor == k || loss[j] / count[j] > loss[donor] / count[donor])) donor = j;
  }
  if (donor == k) return;
  double square = 0;
  for (const double value : models[donor]) square += value * value;
  const double noise = 0.1 * std::sqrt(square / static_cast<double>(models[donor].size()));
  Stream stream(seed, {Purpose::server, round.number, 0, static_cast<std::uint32_t>(k)});
  reseeded_[k] = round.number;
  models[k] = models[donor];
  for (double& value : models[k]) value += (noise > 0 ? noise : 0.1) * stream.normal();
  fleet.report({0,
                "reseeded",
                {},
                fmt::format("nobody chose model {}; it starts again as a noisy copy of model {}", k, donor),
                {{"loss", loss[donor] / count[donor]}}});
}

}  // namespace coterie
