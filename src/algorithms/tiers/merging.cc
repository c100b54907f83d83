#include "algorithms/tiers/merging.h"

#include <algorithm>

#include "coterie/error.h"
#include "math/components.h"
#include "math/cosine.h"

namespace coterie {

Merges merge_alike(const Points& vectors, std::span<const std::size_t> sizes, double tau) {
  const std::size_t count = vectors.count;
  check(sizes.size() == count, "one size for each cluster");
  const Vec similarities = cosine_similarities(vectors);
  std::vector<Merge> pairs;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = i + 1; j < count; ++j) {
      const double similarity = similarities[i * count + j];
      if (similarity >= tau) pairs.push_back({i, j, i, similarity});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Merge& a, const Merge& b) { return a.similarity > b.similarity; });

  Components groups(count);
  std::vector<std::size_t> size(sizes.begin(), sizes.end());
  Merges merges;
  for (Merge pair : pairs) {
    const std::uint32_t a = groups.find(pair.kept), b = groups.find(pair.gone);
    if (!groups.join(a, b)) continue;
    pair.kept = std::min(a, b);
    pair.gone = std::max(a, b);
    pair.model_of = size[pair.gone] > size[pair.kept] ? pair.gone : pair.kept;
    size[pair.kept] += size[pair.gone];
    merges.all.push_back(pair);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = i + 1; j < count; ++j) {
      if (groups.find(i) == groups.find(j)) continue;
      merges.apart = std::max(merges.apart.value_or(-1), similarities[i * count + j]);
    }
  }
  return merges;
}

}  // namespace coterie
