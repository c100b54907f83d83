#include "fit/group_model.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "coterie/methods/newton.h"
#include "data/penalty.h"

namespace coterie {
namespace {

// Beside the largest eigenvalue: what rounding on the way to the server leaves of one that is 0.
double least_told(Precision precision) { return precision == Precision::f32 ? 1e-6 : 1e-8; }

struct Directions {
  Eigen::MatrixXd told, untold;
  Eigen::VectorXd values;  // of those that are told
};

Directions directions_of(const Eigen::MatrixXd& curvature, Precision precision) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(curvature);
  const Eigen::VectorXd& values = solver.eigenvalues();  // ascending
  const Eigen::Index size = values.size();
  Eigen::Index untold = 0;
  while (untold < size && !(values[untold] > least_told(precision) * values[size - 1])) ++untold;
  return {solver.eigenvectors().rightCols(size - untold), solver.eigenvectors().leftCols(untold),
          values.tail(size - untold)};
}

}  // namespace

Eigen::MatrixXd untold_directions(const Eigen::MatrixXd& curvature, Precision precision) {
  return directions_of(curvature, precision).untold;
}

GroupModel fit_group(Fleet& fleet, const Setting& setting, const std::vector<ClientId>& members) {
  std::vector<ClientId> with_rows;
  for (const ClientId i : members) {
    if (fleet.samples(i) > 0) with_rows.push_back(i);
  }
  GroupModel group;
  if (with_rows.empty()) return group;
  const JointMinimum joint = solve_by_newton(fleet, setting, with_rows);
  const auto size = static_cast<Eigen::Index>(joint.model.size());
  Collect<CurvedReply, Vec> slopes(
      [](CurvedReply& reply) { return Vec(reply.gradient); },
      [&](ClientId, const CurvedReply& reply) {
        return reply.gradient.size() == joint.model.size() ? std::string() : "its gradient has another size";
      },
      joint.model.size() * sizeof(double));
  auto note = [](ClientId) { return CurvedNote{Items::only({0}), 0}; };
  fleet.ask(curved_job(), joint.clients, Shelf({joint.model}, fleet.precision()), note, {&slopes});
  group.clients = slopes.items.size();
  group.curvature = joint.rows * Eigen::Map<const Eigen::MatrixXd>(joint.curvature.data(), size, size);
  const Vec strengths = penalty_strengths(setting.model);
  group.told_by = group.curvature;
  group.told_by.diagonal() -= joint.rows * Eigen::Map<const Eigen::VectorXd>(strengths.data(), size);
  const Directions directions = directions_of(group.curvature, fleet.precision());
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(size, size);
  for (const auto& [client, slope] : slopes.items) {
    const Eigen::VectorXd score =
        static_cast<double>(fleet.samples(client)) * Eigen::Map<const Eigen::VectorXd>(slope.data(), size);
    squares += score * score.transpose();
  }
  const Eigen::MatrixXd inverse =
      directions.told * directions.values.cwiseInverse().asDiagonal() * directions.told.transpose();
  const auto m = static_cast<double>(group.clients);
  group.covariance = m / std::max(1.0, m - 1) * inverse * squares * inverse;
  group.model = directions.told *
                (directions.told.transpose() * Eigen::Map<const Eigen::VectorXd>(joint.model.data(), size));
  return group;
}

}  // namespace coterie
