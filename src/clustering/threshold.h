// Threshold clustering (the Federated-Clustering paper, Algorithm 3): a centre moves towards the points in a
// ball around it, by the share of all points that are in the ball,
//
//   v_l = 1/N sum_i ( z_i if |z_i - v_{l-1}| <= tau_l, else v_{l-1} )        (4)
//
// so that liars can do no more than stand at the edge of the ball. The radius tau_l is
//
//   fixed        as given
//   percentile   `factor` times the distance of rank floor(quantile N), from 0, among the sorted distances to
//                v_{l-1}, that of a point which is v_{l-1} itself included: chosen anew in each step. The
//                authors' experiments with images use factor 0.99, those with linear models 1 and strict
//   theory       sqrt(share sigma separation): delta, sigma and Delta of Theorem 1
//
// Several centres are several calls: in (4) they do not see each other.
//
// Differs from the paper: points may have weights, which replace 1/N by w_i / sum w. Ranks of percentiles
// count points, whatever their weights. A centre with nobody in its ball stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coterie/data.h"
#include "coterie/options.h"
#include "math/gemm.h"
#include "math/points.h"

namespace coterie {

struct ThresholdOptions {
  std::string rule = "auto";       // percentile, unless its user knows another way (gap)
  std::optional<double> radius;    // tau, fixed
  std::optional<double> quantile;  // 0.2 where not given
  double factor = 0.99;
  bool strict = false;               // in the ball is who is nearer than tau, not who is at most so far
  std::optional<double> sigma;       // deviation of the points of a cluster from their mean
  std::optional<double> separation;  // Delta: distance between the means of clusters
  std::optional<double> share;       // delta: of all points, those of the cluster
  // l of the paper; 0: until the centre is the mean of who is in its ball; with rule = "theory", as many as
  // Theorem 1 asks for.
  std::int64_t steps = 0;

  // `gap`: whether rule = "gap" is one of the choices, and the one of "auto" unless a quantile is given; what
  // it is, its user says.
  void options(Options& o, bool gap = false);
  double share_inside() const { return quantile.value_or(0.2); }
  // How many of `count` points the first ball holds when it begins at one of them, that one included, as far
  // as the options alone tell: with rule = "percentile", where no two distances are equal.
  std::optional<std::size_t> held_at_first(std::size_t count) const;
};

// The tau and l of Theorem 1, with its constants taken as 1. Needs 0 < sigma < separation, 0 < share <= 1.
double theory_radius(double sigma, double separation, double share);
std::size_t theory_steps(double sigma, double separation, double share);

// Points that no ball reaches, such as vectors of which no more is known than that they are far: outside
// wherever the centre is, but among the N of (4), and at an infinite distance where distances are ranked.
struct FarPoints {
  std::size_t count = 0;
  double weight = 0;  // of all of them
};

struct ThresholdCentre {
  Vec centre;
  std::vector<std::uint8_t> inside;  // for each point, whether it was in the ball of the last step
  double radius = 0;                 // of that ball; infinite where the quantile is a far point's
  std::size_t steps = 0;             // that were taken
  // The centre is the mean of those inside (or nobody is), and its own ball holds the same points. False
  // where a number of steps was asked for, after 5,000 of them, and where a point is at the radius but for
  // rounding.
  bool settled = false;
};

// From `start`. A weight above 0 for each point; none: all alike. Throws Error when a coordinate is not
// finite.
ThresholdCentre threshold_centre(const Points& points, std::span<const double> weights, Vec start,
                                 const ThresholdOptions& options, const FarPoints& far = {});

// The same from the points' inner products alone: a centre is given by coefficients of the points, which add
// up to 1; beginning at point i, 1 for i and 0 for the others. N^2 operations a step, however wide the points
// are. Decisions are the same up to rounding, which grows with the squared lengths of the points.
ThresholdCentre threshold_coefficients(Matrix<const double> gram, std::span<const double> weights, Vec start,
                                       const ThresholdOptions& options, const FarPoints& far = {});

}  // namespace coterie
