#include "algorithms/tiers/prototypes.h"

#include <algorithm>

#include "coterie/error.h"
#include "math/cosine.h"
#include "math/kernels.h"

namespace coterie {

Prototypes prototypes(std::span<const double> features, std::span<const double> labels, std::size_t classes) {
  check(!labels.empty() && features.size() % labels.size() == 0, "features that do not fit their labels");
  const std::size_t width = features.size() / labels.size();
  Prototypes out{Vec(classes, 0.0), Vec((classes + 1) * width, 0.0)};
  auto row = [&](std::size_t c) { return std::span(out.means).subspan(c * width, width); };
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const auto label = static_cast<std::size_t>(labels[j]);
    check(label < classes, "a label beyond the classes");
    out.counts[label] += 1;
    add_scaled(1.0, features.subspan(j * width, width), row(label));
    add_scaled(1.0, features.subspan(j * width, width), row(classes));
  }
  for (std::size_t c = 0; c < classes; ++c) {
    if (out.counts[c] > 0) scale(1 / out.counts[c], row(c));
  }
  scale(1 / static_cast<double>(labels.size()), row(classes));
  return out;
}

double prototype_distance(const Prototypes& a, const Prototypes& b, const PrototypeRule& rule) {
  check(a.classes() == b.classes() && a.means.size() == b.means.size(), "prototypes of different shapes");
  double largest = 0, total = 0, compared = 0;
  for (std::size_t c = 0; c < a.classes() + (rule.overall ? 1 : 0); ++c) {
    if (c < a.classes() && (a.counts[c] < rule.least || b.counts[c] < rule.least)) continue;
    const double distance = 1 - cosine_similarity(a.mean(c), b.mean(c));
    largest = std::max(largest, distance);
    total += distance;
    compared += 1;
  }
  if (compared == 0) return rule.unknown;
  return rule.average ? total / compared : largest;
}

Vec prototype_distances(std::span<const Prototypes> clients, const PrototypeRule& rule) {
  const std::size_t count = clients.size();
  Vec matrix(count * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      matrix[i * count + j] = matrix[j * count + i] = prototype_distance(clients[i], clients[j], rule);
    }
  }
  return matrix;
}

void weigh_pairs(std::span<double> distances, std::span<const double> weights) {
  const std::size_t count = weights.size();
  check(distances.size() == count * count, "weights that do not fit their distances");
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) distances[i * count + j] *= weights[i] * weights[j];
  }
}

}  // namespace coterie
