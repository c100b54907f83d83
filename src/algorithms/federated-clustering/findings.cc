#include "algorithms/federated-clustering/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "coterie/methods/slots.h"

namespace coterie {
namespace {

// The first few of these clients, and how many more.
std::string some_of(std::span<const ClientId> clients) {
  constexpr std::size_t kNamed = 5;
  const std::span<const ClientId> named = clients.first(std::min(kNamed, clients.size()));
  std::string text = fmt::format("{} {}", clients.size() == 1 ? "client" : "clients", fmt::join(named, ", "));
  if (named.size() < clients.size()) text += fmt::format(" and {} more", clients.size() - named.size());
  return text;
}

struct MetSpread {
  double sum = 0, count = 0, least = std::nan(""), most = std::nan("");
  void add(double value) {
    sum += value;
    count += 1;
    least = std::fmin(least, value);
    most = std::fmax(most, value);
  }
  double mean() const { return sum / count; }
};

}  // namespace

void Findings::sort() {
  std::sort(unusable_at.begin(), unusable_at.end());
  std::sort(met.begin(), met.end(), [](const Met& a, const Met& b) { return a.client < b.client; });
  std::sort(inside.begin(), inside.end());
}

Event unusable_event(const Findings& findings) {
  std::size_t total = 0;
  std::vector<ClientId> senders;
  for (const auto& [client, count] : findings.unusable) {
    total += count;
    senders.push_back(client);
  }
  return {
      0,
      "unusable",
      {},
      fmt::format("{} at models of others cannot be used (not finite, or beyond aggregate.limit) and count "
                  "as outside of the ball; sent by {}, taken at the models of {}",
                  counted(total, "gradient"), some_of(senders), some_of(findings.unusable_at)),
      {{"gradients", static_cast<double>(total)},
       {"senders", static_cast<double>(senders.size())},
       {"models", static_cast<double>(findings.unusable_at.size())}}};
}

Event look_event(const Findings& findings, std::int64_t rounds) {
  const auto [least, most] =
      std::minmax_element(findings.looks.begin(), findings.looks.end(),
                          [](const LookFound& a, const LookFound& b) { return a.groups < b.groups; });
  std::string text = fmt::format("by what {} of training change in the common model ",
                                 counted(static_cast<std::size_t>(rounds), "round"));
  if (findings.looks.size() > 1) {
    text += fmt::format("clients fall into {} to {} groups in {} looks", least->groups, most->groups,
                        findings.looks.size());
  } else if (most->groups > 1) {
    text += fmt::format("clients fall into {} groups", most->groups);
  } else {
    text += "clients fall into no groups: they step with everybody";
  }
  Event event{0, "look", {}, std::move(text), {{"groups", static_cast<double>(most->groups)}}};
  if (findings.looks.size() == 1) {
    event.text += fmt::format(
        "; eigenvalues fall by a factor of {:.3g} from groups to noise, groups pull {:.3g} apart, everybody "
        "{:.3g} together",
        most->gap, most->apart, most->together);
    event.numbers.emplace_back("gap", most->gap);
    event.numbers.emplace_back("apart", most->apart);
    event.numbers.emplace_back("together", most->together);
  }
  return event;
}

std::vector<std::pair<std::string, double>> figures_of(std::span<const Met> all,
                                                       std::span<const ClientId> clients, bool truth) {
  MetSpread inside, within, between;
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
