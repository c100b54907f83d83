#include "methods/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace coterie {

Neighbours compare_neighbours(const Eigen::MatrixXd& residuals, const Samples& rows, const Lots& lots) {
  const Eigen::Index count = residuals.cols();
  if (count < 2 || rows.places.size() != static_cast<std::size_t>(count)) return {};
  const Eigen::MatrixXd e = residuals.colwise() - residuals.rowwise().mean();
  const double square = e.squaredNorm() / static_cast<double>(count);
  if (!(square > 0) || !std::isfinite(square)) return {};
  std::vector<Eigen::Index> order(rows.places.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return rows.places[static_cast<std::size_t>(a)] < rows.places[static_cast<std::size_t>(b)];
  });
  Neighbours found;
  for (std::size_t j = 1; j < order.size(); ++j) {
    const Eigen::Index here = order[j - 1], next = order[j];
    if (lots.of[static_cast<std::size_t>(here)] == lots.of[static_cast<std::size_t>(next)]) continue;
    found.product += e.col(here).dot(e.col(next)) / square;
    found.pairs += 1;
  }
  return found;
}

}  // namespace coterie
