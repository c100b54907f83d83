// The model that fits all rows of a group of clients best, and how sure it is: of the group as a whole, so
// that clients with few rows do not leave directions untold.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

//   A = sum_i n_i H_i over the members, s_i = n_i g_i member i's slope at the minimum
//   covariance = m / (m - 1) A^-1 (sum_i s_i s_i') A^-1
//
// so intervals go by how members spread, whatever that is made of: noise, or differences inside the group.
// Directions of which the rows tell nothing (a text that no member has, columns that depend on each other)
// are left out of the inverse, or bent by the L2 term alone; in them the model is 0.
struct GroupModel {
  Eigen::VectorXd model;
  Eigen::MatrixXd covariance;
  Eigen::MatrixXd curvature;  // A, with the L2 term of the model
  Eigen::MatrixXd told_by;    // A without that term: what the rows themselves tell
  std::size_t clients = 0;    // m, those that answered
};

// Clients with rows alone count. Without any, `clients` is 0.
GroupModel fit_group(Fleet& fleet, const Setting& setting, const std::vector<ClientId>& members);

// The orthonormal directions that a curvature knows nothing of, as columns.
Eigen::MatrixXd untold_directions(const Eigen::MatrixXd& curvature, Precision precision);

}  // namespace coterie
