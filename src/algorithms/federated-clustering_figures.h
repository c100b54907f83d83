// What a round of Federated-Clustering met at its clients' models, and the figures that are made of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "coterie/fleet.h"

namespace coterie {

// At one client's model.
struct Met {
  ClientId client = 0;
  double inside = 0;                      // gradients in the ball
  std::optional<double> within, between;  // how assumptions (7) and (8) fare, where the truth is known
  void fields(Archive& a) { a(client, inside, within, between); }
};

// What a round found: everything by client, whatever the order in which groups were worked on.
struct Findings {
  std::vector<Met> met;
  std::vector<std::pair<ClientId, ClientId>> inside;  // (owner, neighbour in its ball)
  std::map<ClientId, std::size_t> unusable;           // gradients at others' models, by who sent them

  void sort() {
    std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) { return a.client < b.client; });
    std::sort(inside.begin(), inside.end());
  }
};

// The event that says whose gradients could not be used; `unusable` is not empty.
inline Event unusable_event(const std::map<ClientId, std::size_t>& unusable) {
  constexpr std::size_t kNamed = 5;
  std::size_t total = 0;
  std::vector<std::string> names;
  for (const auto& [client, count] : unusable) {
    total += count;
    if (names.size() < kNamed) names.push_back(std::to_string(client));
  }
  return {
      0,
      "unusable",
      {},
      fmt::format("{} at models of others cannot be used (not finite, or beyond aggregate.limit) and count "
                  "as outside of the ball; sent by {} {}{}",
                  counted(total, "gradient"), unusable.size() == 1 ? "client" : "clients", join(names, ", "),
                  unusable.size() > kNamed ? fmt::format(" and {} more", unusable.size() - kNamed) : ""),
      {{"gradients", static_cast<double>(total)}, {"clients", static_cast<double>(unusable.size())}}};
}

// Over the models of these clients (ascending); `truth`: the assumptions too.
inline std::vector<std::pair<std::string, double>> figures_of(std::span<const Met> all,
                                                              std::span<const ClientId> clients, bool truth) {
  struct Spread {
    double sum = 0, count = 0, least = std::nan(""), most = std::nan("");
    void add(double value) {
      sum += value;
      count += 1;
      least = std::fmin(least, value);
      most = std::fmax(most, value);
    }
    double mean() const { return sum / count; }
  };
  Spread inside, within, between;
  for (const Met& one : all) {
    if (!std::binary_search(clients.begin(), clients.end(), one.client)) continue;
    inside.add(one.inside);
    if (one.within) within.add(*one.within);
    if (one.between) between.add(*one.between);
  }
  std::vector<std::pair<std::string, double>> figures{{"neighbours", inside.mean()}};
  if (!truth) return figures;
  figures.emplace_back("gradients_within", within.mean());
  figures.emplace_back("gradients_within_most", within.most);
  figures.emplace_back("gradients_between", between.mean());
  figures.emplace_back("gradients_between_least", between.least);
  return figures;
}

}  // namespace coterie
