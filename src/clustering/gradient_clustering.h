// Gradient clustering (Armacki, Bajovic, Jakovetic and Kar, "Gradient based clustering", 2022; the third
// example of ODCL): as k-means, but centres take one gradient step where Lloyd's take the mean,
//
//   labels    a point joins the nearest centre, and stays where none is nearer than its own
//   centres   x_k <- x_k - step * sum_{i in C_k} f'(x_k, a_i) / m
//
// with f = 1/2 |x - a|^2, or Huber's loss of |x - a|, which grows linearly beyond delta: choose that one when
// some points are far off.
//
// Small groups take more steps, since the sum is over their share of the points. A centre without points
// stays where it is.
//
// Differs from the paper: it begins with k-means++ seeds, and the best of several runs is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "clustering/kmeans.h"
#include "coterie/options.h"
#include "coterie/random.h"

namespace coterie {

struct GradientClusteringOptions {
  double step = 1;  // alpha; the objective never rises below 2, since f' has Lipschitz constant 1
  std::string loss = "squared";  // or "huber"
  double delta = 1;              // of Huber's loss
  std::int64_t restarts = 10;
  std::int64_t iterations = 10000;  // of each run
  // Stop when no label changes and the centres' moves are below this, relative to the points' root mean
  // squared distance to their mean.
  double tolerance = 1e-9;

  void options(Options& o);
};

// From these k x width centres. The objective of the grouping is twice the sum of f: for the squared loss,
// the sum of squared distances, as that of k-means.
Grouping gradient_descent(const Points& points, Vec centres, const GradientClusteringOptions& options = {});

// The best of several runs. Throws Error when a coordinate is not finite.
Grouping gradient_clustering(const Points& points, std::size_t k, const GradientClusteringOptions& options,
                             Stream& stream);

}  // namespace coterie
