// Estimates as matrices of Eigen, for the .cc files of this room.
#pragma once

#include <Eigen/Dense>

#include "groups/em.h"
#include "groups/estimate.h"

namespace coterie {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMatrixView = Eigen::Map<const RowMatrix>;
using VectorView = Eigen::Map<const Eigen::VectorXd>;

inline VectorView coefficients(const Estimate& e) {
  return {e.b.data(), static_cast<Eigen::Index>(e.b.size())};
}

// A square matrix of this side, row by row.
inline RowMatrixView square(const Vec& values, std::size_t side) {
  return {values.data(), static_cast<Eigen::Index>(side), static_cast<Eigen::Index>(side)};
}
inline RowMatrixView covariance(const Estimate& e) { return square(e.v, e.b.size()); }

// All coordinates of the estimates.
inline Cloud whole_cloud(const Estimates& estimates) {
  Cloud cloud{.count = estimates.of.size(), .width = estimates.width, .b = {}, .v = {}};
  for (const Estimate& e : estimates.of) {
    cloud.b.insert(cloud.b.end(), e.b.begin(), e.b.end());
    cloud.v.insert(cloud.v.end(), e.v.begin(), e.v.end());
  }
  return cloud;
}

}  // namespace coterie
