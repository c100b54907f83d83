#include "groups/null_draws.h"

#include <cmath>
#include <span>
#include <utility>

#include "groups/matrix_views.h"

namespace coterie {

NullDraws::NullDraws(const ModeratedEstimates& from, Model model, bool moderate)
    : from_(from), model_(std::move(model)), moderate_(moderate) {
  if (model_.inside.empty()) model_.inside.assign(from.estimates.width * from.estimates.width, 0.0);
}

Estimates NullDraws::draw(Stream& stream) const {
  const std::size_t width = from_.estimates.width;
  const auto q = static_cast<Eigen::Index>(width);
  const RowMatrixView inside = square(model_.inside, width);
  Estimates drawn = from_.estimates;
  Eigen::VectorXd normals(q);
  for (Estimate& e : drawn.of) {
    if (moderate_) {
      const double known = from_.prior_freedom + noise_freedom(e);
      const double factor = std::isinf(known) ? 1 : known / (2 * stream.gamma(known / 2));
      for (double& v : e.v) v *= factor;
    }
    const std::size_t z = model_.share.size() == 1 ? 0 : stream.index(model_.share);
    stream.normals(std::span(normals.data(), width));
    const RowMatrix root = (inside + covariance(e)).llt().matrixL();
    const VectorView mu(model_.mu.data() + z * width, q);
    Eigen::Map<Eigen::VectorXd>(e.b.data(), q) = mu + root * normals;
    if (moderate_) e.v = redrawn_covariance(e, stream);
  }
  return moderate_ ? moderated(drawn).estimates : drawn;
}

}  // namespace coterie
