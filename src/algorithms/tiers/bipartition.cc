#include "algorithms/tiers/bipartition.h"

#include <algorithm>
#include <limits>

#include "clustering/agglomerative.h"
#include "coterie/error.h"
#include "math/kernels.h"

namespace coterie {

Bipartition bipartition(std::span<const double> distances, std::size_t count) {
  check(count >= 2 && distances.size() == count * count, "a matrix that cannot be divided");
  Bipartition out;
  out.parts = agglomerate(distances, count, Linkage::complete).cut_into(2);
  out.across = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = distances[i * count + j];
      if (out.parts[i] == out.parts[j]) {
        out.within = std::max(out.within, distance);
      } else {
        out.across = std::min(out.across, distance);
      }
    }
  }
  return out;
}

DistanceSpread spread(std::span<const double> distances, std::size_t count) {
  if (count == 0) return {};
  check(distances.size() == count * count, "distances that do not fit their count");
  return {*std::max_element(distances.begin(), distances.end()),
          sum(distances) / static_cast<double>(distances.size())};
}

std::vector<double> submatrix(std::span<const double> matrix, std::size_t count,
                              std::span<const std::size_t> members) {
  std::vector<double> out;
  out.reserve(members.size() * members.size());
  for (const std::size_t i : members) {
    for (const std::size_t j : members) out.push_back(matrix[i * count + j]);
  }
  return out;
}

}  // namespace coterie
