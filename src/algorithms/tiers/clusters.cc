#include "algorithms/tiers/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "coterie/methods/slots.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// Makes weights sum to one; equal where nothing is left of them.
void normalise(Vec& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : weights) w = sum > 0 ? w / sum : 1 / static_cast<double>(weights.size());
}

template <class T>
void erase_at(std::vector<T>& values, std::size_t index) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

void apply(const ClusterEdit& edit, ClientId client, std::span<const double> before, Vec& after) {
  after.assign(before.begin(), before.end());
  if (after.empty()) return;
  if (edit.kind == ClusterEdit::Kind::split) {
    double& old = after[edit.cluster];
    double part = old / 2;
    if (edit.parts == ClusterEdit::Parts::whole) {
      part = std::binary_search(edit.moved.begin(), edit.moved.end(), client) ? old : 0;
    }
    old -= part;
    after.push_back(part);
    if (edit.parts == ClusterEdit::Parts::reset) {
      std::fill(after.begin(), after.end(), 1 / static_cast<double>(after.size()));
    }
  } else if (edit.kind == ClusterEdit::Kind::merge) {
    after[edit.cluster] += after[edit.other];
    erase_at(after, edit.other);
  } else {
    erase_at(after, edit.cluster);
    normalise(after);
  }
}

std::uint32_t home_of(std::span<const double> weights) {
  return static_cast<std::uint32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

Vec update(const Told& told, std::size_t cluster, std::span<const Vec> sent) {
  const std::span<const double> trained = told.stepped(cluster);
  Vec change(trained.begin(), trained.end());
  add_scaled(-1.0, std::span<const double>(sent[told.began]).first(change.size()), change);
  return change;
}

void Clusters::start(std::vector<Vec> own, Vec shared, std::size_t clients) {
  models = std::move(own);
  common = std::move(shared);
  global.assign(models[0].size(), 0.0);
  for (const Vec& model : models) add_scaled(1 / static_cast<double>(models.size()), model, global);
  weights.assign(clients, {});
  traces.assign(clients, {});
  slots.resize(models.size());
  std::iota(slots.begin(), slots.end(), 0u);
  next_slot_ = static_cast<std::uint32_t>(models.size());
}

std::uint32_t Clusters::home(ClientId client) const {
  return weights[client].empty() ? kUnknownCluster : home_of(weights[client]);
}

std::vector<const Told*> Clusters::members(std::span<const Told> told, std::size_t cluster) const {
  std::vector<const Told*> some;
  for (const Told& one : told) {
    if (one.home == cluster && (!own_features || one.began == cluster)) some.push_back(&one);
  }
  return some;
}

std::vector<ClientId> Clusters::residents(std::size_t cluster) const {
  std::vector<ClientId> some;
  for (ClientId i = 0; i < weights.size(); ++i) {
    if (home(i) == cluster) some.push_back(i);
  }
  return some;
}

Vec Clusters::mean(const Setting& setting, std::span<const Told* const> who, std::size_t cluster) const {
  std::vector<Contribution> parts;
  for (const Told* one : who) {
    if (cluster < one->trained.size() && !one->trained[cluster].empty()) {
      const double share = by_shares ? one->weights[cluster] : 1;
      parts.push_back({one->client, one->weight * share, one->trained[cluster]});
    }
  }
  return parts.empty() ? models[cluster] : setting.aggregate.aggregator->combine(parts);
}

std::size_t Clusters::add(Vec model) {
  models.push_back(std::move(model));
  slots.push_back(next_slot_++);
  for (Vec& one : weights) {
    if (!one.empty()) one.push_back(0);
  }
  return count() - 1;
}

void Clusters::put(ClientId client, std::size_t cluster) {
  weights[client].assign(count(), 0.0);
  weights[client][cluster] = 1;
}

std::size_t Clusters::forget_others(std::size_t cluster, std::span<const Told* const> members) {
  std::size_t forgotten = 0;
  auto next = members.begin();
  for (ClientId i = 0; i < weights.size(); ++i) {
    while (next != members.end() && (*next)->client < i) ++next;
    const bool member = next != members.end() && (*next)->client == i;
    if (member || home(i) != cluster) continue;
    weights[i].clear();
    ++forgotten;
  }
  return forgotten;
}

void Clusters::divide(Fleet& fleet, const Setting& setting, std::size_t cluster,
                      std::span<const Told* const> members, std::span<const std::uint32_t> sides, Event why) {
  std::vector<const Told*> stay, go;
  std::vector<ClientId> moved;
  for (std::size_t i = 0; i < members.size(); ++i) (sides[i] == 0 ? stay : go).push_back(members[i]);
  for (const Told* one : go) moved.push_back(one->client);
  why.numbers.emplace_back("stay", static_cast<double>(stay.size()));
  why.numbers.emplace_back("go", static_cast<double>(go.size()));
  why.numbers.emplace_back("part", static_cast<double>(count()));
  why.text += fmt::format("; of those asked {} stay, and {} go to cluster {}: {}", stay.size(), go.size(),
                          count(), first_of(moved));
  why.clients = moved;
  if (hard) {
    const std::size_t undecided = forget_others(cluster, members);
    why.numbers.emplace_back("undecided", static_cast<double>(undecided));
    if (undecided > 0) {
      why.text += fmt::format("; {} of its other members will choose anew by their loss", undecided);
    }
  }
  split(fleet, cluster, mean(setting, stay, cluster), mean(setting, go, cluster), std::move(moved),
        std::move(why));
}

void Clusters::divide_into(Fleet& fleet, const Setting& setting, std::size_t cluster,
                           std::vector<const Told*> members, std::vector<std::uint32_t> parts,
                           const Event& why) {
  for (std::uint32_t p = *std::max_element(parts.begin(), parts.end()); p > 0; --p) {
    std::vector<std::uint32_t> sides;
    std::vector<const Told*> rest;
    for (std::size_t i = 0; i < members.size(); ++i) {
      sides.push_back(parts[i] == p ? 1 : 0);
      if (parts[i] != p) rest.push_back(members[i]);
    }
    divide(fleet, setting, cluster, members, sides, why);
    std::erase(parts, p);
    members = std::move(rest);
  }
}

void Clusters::split(Fleet& fleet, std::size_t cluster, Vec first, Vec second, std::vector<ClientId> moved,
                     Event why) {
  models[cluster] = std::move(first);
  models.push_back(std::move(second));
  slots.push_back(next_slot_++);
  std::sort(moved.begin(), moved.end());
  if (parts != ClusterEdit::Parts::whole) moved.clear();
  edit(fleet, {ClusterEdit::Kind::split, static_cast<std::uint32_t>(cluster), 0, parts, std::move(moved)},
       std::move(why));
}

void Clusters::remove(Fleet& fleet, std::size_t cluster, Event why) {
  erase_at(models, cluster);
  erase_at(slots, cluster);
  edit(fleet, {ClusterEdit::Kind::remove, static_cast<std::uint32_t>(cluster), 0, parts, {}}, std::move(why));
}

void Clusters::merge(Fleet& fleet, std::size_t into, std::size_t gone, Vec model, Event why) {
  models[into] = std::move(model);
  erase_at(models, gone);
  erase_at(slots, gone);
  edit(fleet,
       {ClusterEdit::Kind::merge,
        static_cast<std::uint32_t>(into),
        static_cast<std::uint32_t>(gone),
        parts,
        {}},
       std::move(why));
}

void Clusters::edit(Fleet& fleet, ClusterEdit edit, Event why) {
  for (std::size_t i = 0; i < weights.size(); ++i) apply(edit, static_cast<ClientId>(i), weights[i]);
  if (edited) edited(edit);
  fleet.edit(encode(edit, Precision::f64));
  why.numbers.emplace_back("clusters", static_cast<double>(count()));
  fleet.report(std::move(why));
}

std::string first_of(std::span<const ClientId> clients) {
  constexpr std::size_t kNamed = 12;
  const std::span<const ClientId> named = clients.first(std::min(kNamed, clients.size()));
  return fmt::format("{}{}", fmt::join(named, ", "), named.size() < clients.size() ? " ..." : "");
}

void report_unchanged(Fleet& fleet, const Round& round, const char* kind, Event why) {
  if (!std::has_single_bit(round.number) || why.text.empty()) return;
  why.kind = kind;
  fleet.report(std::move(why));
}

}  // namespace coterie
