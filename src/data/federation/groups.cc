#include "data/federation/groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <numeric>

#include "data/apportion.h"

namespace coterie {
namespace {

using Values = std::vector<std::uint32_t>;  // one for each factor: group, class set, variants of shifts

// Clients told apart by the factors seen so far.
struct Strata {
  std::vector<Values> values;             // of each stratum
  std::vector<std::uint32_t> stratum_of;  // of each client
};

std::vector<double> shares_of(const ShiftUse& use, std::size_t number) {
  const std::size_t variants = use.shift->variants();
  if (use.shares.empty()) return std::vector<double>(variants, 1.0 / static_cast<double>(variants));
  if (use.shares.size() != variants) {
    throw Error(fmt::format("shift {}: it has {} variants, but {} shares are given", number, variants,
                            use.shares.size()));
  }
  double sum = 0;
  for (double share : use.shares) {
    if (!(share >= 0))
      throw Error(fmt::format("shift {}: a share of {:g}; shares must be at least 0", number, share));
    sum += share;
  }
  if (!(std::abs(sum - 1) <= 0.011)) {  // three times 0.33 will do
    throw Error(fmt::format("shift {}: its shares sum to {:g}; they must sum to 1", number, sum));
  }
  return use.shares;
}

// Exactly apportioned, and evenly spread over the strata: these take turns in this order of their clients.
Values balanced(const Strata& strata, std::span<const double> shares,
                const std::vector<std::uint32_t>& order) {
  const std::size_t clients = strata.stratum_of.size();
  std::vector<std::size_t> place(strata.values.size() + 1, 0);
  for (std::uint32_t stratum : strata.stratum_of) ++place[stratum + 1];
  for (std::size_t s = 1; s < place.size(); ++s) place[s] += place[s - 1];
  const Values sequence = interleave(apportion(clients, shares));
  Values dealt(clients);
  for (std::uint32_t client : order) {
    dealt[client] = sequence[place[strata.stratum_of[client]]++];
  }
  return dealt;
}

Values independent(std::size_t clients, std::span<const double> shares, Stream& stream) {
  Values drawn(clients);
  for (std::uint32_t& value : drawn) value = static_cast<std::uint32_t>(stream.index(shares));
  return drawn;
}

Values listed(const ShiftUse& use, std::size_t number, std::size_t clients) {
  if (use.variants.size() != clients) {
    throw Error(fmt::format("shift {}: variants lists {} clients, but there are {}; give one number for each",
                            number, use.variants.size(), clients));
  }
  const auto last = static_cast<std::int64_t>(use.shift->variants()) - 1;
  Values chosen;
  for (std::int64_t variant : use.variants) {
    if (variant < 0 || variant > last) {
      throw Error(fmt::format("shift {}: variants names {}; its variants are 0 (\"{}\") to {} (\"{}\")",
                              number, variant, use.shift->variant_name(0), last,
                              use.shift->variant_name(static_cast<std::size_t>(last))));
    }
    chosen.push_back(static_cast<std::uint32_t>(variant));
  }
  return chosen;
}

// The first variant that does the same as each. Names that differ promise different data, so a note tells
// when they do not keep it.
Values canonical_variants(const Shift& shift, std::size_t number, const Shape& shape,
                          std::vector<std::string>& notes) {
  Values canonical;
  for (std::size_t v = 0; v < shift.variants(); ++v) {
    const std::size_t first = shift.canonical(v, shape);
    canonical.push_back(static_cast<std::uint32_t>(first));
    if (shift.variant_name(v) == shift.variant_name(first)) continue;
    notes.push_back(
        fmt::format("shift {}: \"{}\" is the same as \"{}\" on this data, so their clients are one group",
                    number, shift.variant_name(v), shift.variant_name(first)));
  }
  return canonical;
}

// Splits strata by one more factor; only combinations that occur remain, in lexicographic order.
void refine(Strata& strata, const Values& factor) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> found;
  for (std::size_t i = 0; i < factor.size(); ++i) found[{strata.stratum_of[i], factor[i]}] = 0;
  std::vector<Values> values;
  for (auto& [key, number] : found) {
    number = static_cast<std::uint32_t>(values.size());
    values.push_back(strata.values[key.first]);
    values.back().push_back(key.second);
  }
  for (std::size_t i = 0; i < factor.size(); ++i)
    strata.stratum_of[i] = found[{strata.stratum_of[i], factor[i]}];
  strata.values = std::move(values);
}

bool is_truth(const ShiftUse& use) { return use.truth.value_or(use.shift->is_truth_by_default()); }

std::string cluster_name(const FederationSpec& spec, const Population& population,
                         const std::vector<std::vector<std::uint32_t>>& class_sets, const Profile& profile) {
  std::vector<std::string> words;
  if (population.groups() > 1) words.push_back(population.group_name(profile.group));
  if (!class_sets.empty())
    words.push_back(fmt::format("classes {}", fmt::join(class_sets[profile.class_set], " ")));
  for (std::size_t s = 0; s < spec.shifts.size(); ++s) {
    if (is_truth(spec.shifts[s])) words.push_back(spec.shifts[s].shift->variant_name(profile.variants[s]));
  }
  return words.empty() ? "all" : fmt::format("{}", fmt::join(words, ", "));
}

// The same numbers in every stratum, but in order of the clients' ids.
Values in_blocks(const Strata& strata, Values values) {
  std::vector<Values> sorted(strata.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sorted[strata.stratum_of[i]].push_back(values[i]);
  for (Values& all : sorted) std::sort(all.begin(), all.end());
  std::vector<std::size_t> next(sorted.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t stratum = strata.stratum_of[i];
    values[i] = sorted[stratum][next[stratum]++];
  }
  return values;
}

// Numbers the true clusters that the profiles form.
void number_clusters(const FederationSpec& spec, const Population& population, ClientProfiles& groups) {
  std::map<Values, std::vector<std::uint32_t>> clusters;
  for (std::size_t p = 0; p < groups.profiles.size(); ++p) {
    const Profile& profile = groups.profiles[p];
    Values key = {population.cluster_of(profile.group), profile.class_set};
    for (std::size_t s = 0; s < spec.shifts.size(); ++s) {
      if (is_truth(spec.shifts[s])) key.push_back(profile.variants[s]);
    }
    clusters[key].push_back(static_cast<std::uint32_t>(p));
  }
  // A shift of the inputs or labels leaves a generator's parameters behind.
  bool shifted = false;
  for (const ShiftUse& use : spec.shifts) shifted = shifted || is_truth(use);
  groups.truth.clusters = clusters.size();
  for (const auto& [key, members] : clusters) {
    for (std::uint32_t p : members)
      groups.profiles[p].truth = static_cast<std::uint32_t>(groups.of_truth.size());
    const Profile& first = groups.profiles[members.front()];
    groups.truth.names.push_back(cluster_name(spec, population, groups.class_sets, first));
    groups.truth.parameters.push_back(shifted ? std::nullopt : population.parameters(first.group));
    groups.of_truth.push_back(members);
  }
}

}  // namespace

ClientProfiles group_clients(const FederationSpec& spec, const Population& population, std::size_t clients,
                             std::uint64_t seed, const std::vector<std::uint32_t>& given) {
  ClientProfiles groups;
  groups.training = clients;
  groups.class_sets = spec.partition->class_sets(population.shape().classes);
  Strata strata{{Values{}}, std::vector<std::uint32_t>(clients, 0)};
  std::uint16_t factor = 0;
  const auto deal = [&](std::span<const double> shares, const std::string& how) {
    Stream stream(seed, {.purpose = Purpose::groups, .ask = factor++});
    if (how == "random") return independent(clients, shares, stream);
    std::vector<std::uint32_t> order(clients);
    std::iota(order.begin(), order.end(), 0u);
    if (how == "balanced") order = stream.permutation(clients);
    Values dealt = balanced(strata, shares, order);
    return how == "in-blocks" ? in_blocks(strata, std::move(dealt)) : dealt;
  };

  if (given.empty()) {
    refine(strata, deal(population.shares(), spec.clients.deal));
  } else {
    ++factor;
    refine(strata, given);
  }
  Values sets(clients, 0);
  for (std::size_t i = 0; i < clients && !groups.class_sets.empty(); ++i) {
    sets[i] = static_cast<std::uint32_t>(i % groups.class_sets.size());
  }
  refine(strata, sets);
  for (std::size_t s = 0; s < spec.shifts.size(); ++s) {
    const ShiftUse& use = spec.shifts[s];
    Values variants = deal(shares_of(use, s + 1), use.deal.value_or(spec.clients.deal));
    if (!use.variants.empty()) variants = listed(use, s + 1, clients);
    const Values canonical = canonical_variants(*use.shift, s + 1, population.shape(), groups.notes);
    for (std::uint32_t& variant : variants) variant = canonical[variant];
    refine(strata, variants);
  }

  for (const Values& values : strata.values) {
    groups.profiles.push_back(
        {.group = values[0], .class_set = values[1], .variants = {values.begin() + 2, values.end()}});
  }
  groups.profile_of = std::move(strata.stratum_of);
  for (std::uint32_t p : groups.profile_of) ++groups.profiles[p].clients;
  number_clusters(spec, population, groups);
  return groups;
}

}  // namespace coterie
