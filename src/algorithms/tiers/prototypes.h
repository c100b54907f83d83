// Prototypes of a client's data: the means of its features, by class and over all its samples (HCFL, eqs. 11
// and 12), and distances between them that tell kinds of shift apart (eqs. 9 and 10).
//
//   CSCP   d_c: the largest distance between prototypes of the same class; large where the same label goes
//          with different features: concept shift
//   ASCP   max(d_c, d_lf): also the distance between the overall means, which feature and label shifts move
//
// A distance is 1 - cosine (the paper says "cos-similarity"; its code takes the distance). Only classes that
// both clients hold are compared; where there is none, d_c is 0. The mean of one or two samples is mostly
// noise, and the largest distance finds it: `least` leaves such classes out (the paper does not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coterie/detail/archive.h"

namespace coterie {

struct Prototypes {
  Vec counts;  // samples of each class
  Vec means;   // (classes + 1) x width: zeros for a class without samples; the last row is the overall mean

  std::size_t classes() const { return counts.size(); }
  std::span<const double> mean(std::size_t row) const {
    const std::size_t width = means.size() / (counts.size() + 1);
    return std::span(means).subspan(row * width, width);
  }
  void fields(Archive& a) { a(counts, means); }
};

// `features` has labels.size() rows; labels are whole numbers below `classes`.
Prototypes prototypes(std::span<const double> features, std::span<const double> labels, std::size_t classes);

struct PrototypeRule {
  bool overall = false;  // ASCP: the overall means count too
  bool average = false;  // the mean of the distances instead of the largest (an ablation of HCFL's table 2)
  double least = 1;      // samples of a class that both clients need for it to count
  double unknown = 0;    // the distance of clients without a class to compare: the paper's 0, or NaN
};

double prototype_distance(const Prototypes& a, const Prototypes& b, const PrototypeRule& rule);

// Of all pairs: count x count.
Vec prototype_distances(std::span<const Prototypes> clients, const PrototypeRule& rule);

// D_ij w_i w_j: distances inside a cluster count by how surely both clients belong to it (eq. 9).
void weigh_pairs(std::span<double> distances, std::span<const double> weights);

}  // namespace coterie
