#include "coterie/attack.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace coterie {

void Attack::lie(Vec&, Stream&) const { check(false, "this attack changes no vectors"); }
Vec Attack::agree(std::span<const Vec>, const Crowd&) const {
  check(false, "liars of this attack agree on nothing");
  return {};
}
std::optional<std::uint32_t> Attack::vote(std::span<const std::size_t>) const {
  check(false, "this attack changes no votes");
  return std::nullopt;
}
void Attack::poison(Samples&) const { check(false, "this attack changes no data"); }

namespace {

std::map<std::string, AttackTrait>& traits() {
  static std::map<std::string, AttackTrait> all;
  return all;
}

}  // namespace

const AttackTrait& AttackTrait::of(const std::string& job) {
  static const AttackTrait kPlain;
  const auto found = traits().find(job);
  return found == traits().end() ? kPlain : found->second;
}

AttackTraitEntry::AttackTraitEntry(const std::string& job, AttackTrait trait) {
  check(traits().emplace(job, std::move(trait)).second, "two jobs with attack traits are called " + job);
}

void AttackOptions::options(Options& o) {
  o("fraction", &fraction, "share of the training clients that lie, chosen by the seed",
    {"must be at least 0 and below 1", [](double value) { return value >= 0 && value < 1; }});
  o("start", &start, "the first round in which they lie; 0: also while the first models are made",
    at_least(0));
}

bool AttackOptions::strikes(std::uint32_t round, bool starting) const {
  return starting ? start == 0 : static_cast<std::int64_t>(round) >= start;
}

std::vector<ClientId> AttackOptions::choose(std::size_t clients, std::uint64_t seed) const {
  if (!any() || clients == 0) return {};
  const auto wanted = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(clients)));
  return Stream(seed, {Purpose::attack, 0, 0, 0}).sample(clients, std::min(wanted, clients - 1));
}

}  // namespace coterie
