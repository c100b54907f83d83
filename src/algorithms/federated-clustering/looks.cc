#include "algorithms/federated-clustering/looks.h"

#include <algorithm>

#include "math/cosine.h"

namespace coterie {
namespace {

constexpr double kLeastGap = 1.5;

}  // namespace

GapParts parts_of_changes(std::span<const Numbers* const> changes, std::size_t trainable, Stream& stream) {
  Vec values(changes.size() * trainable);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Vec change = *changes[i];
    std::copy_n(change.begin(), trainable, values.begin() + static_cast<std::ptrdiff_t>(i * trainable));
  }
  const Vec cosines = cosine_similarities({values, changes.size(), trainable});
  return gap_parts(cosines, changes.size(), kLeastGap, stream);
}

bool Looks::due(std::span<const ClientId> members, std::uint32_t round, std::uint32_t every) const {
  return std::any_of(members.begin(), members.end(), [&](ClientId i) {
    return seen_[i].round == 0 || round - seen_[i].round >= every || !together(i, members[0]);
  });
}

void Looks::found(std::span<const ClientId> asked, std::span<const ClientId> answered,
                  std::span<const std::uint32_t> parts, std::uint32_t round, std::uint32_t number) {
  for (const ClientId i : asked) seen_[i] = {round, number, 0};
  for (std::size_t k = 0; k < answered.size(); ++k) seen_[answered[k]].part = parts[k] + 1;
}

bool Looks::alike(ClientId i, ClientId j) const {
  return i == j || (together(i, j) && seen_[i].part > 0 && seen_[i].part == seen_[j].part);
}

}  // namespace coterie
