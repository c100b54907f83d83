// FedMD's anchors (inits/fedmd): who they are, and what groups their models form in the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// The anchors and how far they have come.
struct AnchorDescent {
  std::vector<ClientId> anchors;  // H
  std::vector<Vec> models;        // theta_{i,t}
  std::vector<bool> moves;        // not stopped
  double scale = 1;               // of the last products

  // The places of those that are not stopped.
  std::vector<std::size_t> moving() const;
  // More anchors, which have come as far as they will.
  void append(AnchorDescent more);
};

// H: m_H clients, the largest (random among equals), any, or those with the given ids. Each has at least
// `needed` samples, and none is among those taken. Nobody where all that could be are taken.
std::vector<ClientId> choose_anchors(const Fleet& fleet, const std::string& how, std::size_t count,
                                     const std::vector<std::int64_t>& ids, std::size_t needed,
                                     const std::vector<ClientId>& taken, Stream stream);

struct AnchorGroups {
  std::vector<std::uint32_t> labels;  // of the anchors
  std::vector<Vec> means;
  std::size_t near = 0;  // how many groups nearness alone made, before the nearest were joined

  // Least distance between two means; 0 of a single group.
  double least_distance() const;
  // Largest distance of an anchor to the mean of its group.
  double largest_radius(const std::vector<Vec>& models) const;
};

// Line 16: anchors nearer to each other than delta / 2 are of one group; where these are more than k, the
// nearest groups are joined. Without a delta, k-means into k groups.
AnchorGroups group_anchors(const std::vector<Vec>& models, std::size_t k, std::optional<double> delta,
                           Stream stream);

// What was merged, with every distance between two anchors.
Event grouped_event(const std::vector<ClientId>& anchors, const std::vector<Vec>& models,
                    const AnchorGroups& groups, std::size_t k);

}  // namespace coterie
