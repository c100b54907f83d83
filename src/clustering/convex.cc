#include "clustering/convex.h"

#include <algorithm>
#include <cmath>

#include "clustering/groups.h"
#include "clustering/spanned.h"
#include "coterie/error.h"
#include "math/components.h"
#include "math/distances.h"
#include "math/kernels.h"
#include "math/lanes.h"

namespace coterie {
namespace {

using Register = Lanes<double>;
constexpr std::size_t kL = kLanes<double>;
constexpr std::size_t kCheck = 10;    // iterations from a check to the next
constexpr double kInDoubt = 1e-9;     // of the tolerance: the gap to which doubtful groups are followed,
constexpr std::size_t kPatience = 4;  // and for how much longer than the tolerance took, and this
constexpr std::size_t kLeastPatience = 200;

// Vectors are padded with zeros to whole registers.
class ConvexSolver {
 public:
  ConvexSolver(const Points& points, const std::vector<Edge>& edges, double lambda)
      : edges_(edges),
        count_(points.count),
        width_(points.width),
        registers_((points.width + kL - 1) / kL),
        lambda_(lambda),
        mean_(mean_of(points)),
        points_(points.count * stride()),
        step_(edges.size()),
        fused_(edges.size(), 0),
        z_(edges.size() * stride(), 0.0),
        before_(edges.size() * stride(), 0.0),
        v_(points.count * stride(), 0.0) {
    centre(points);
    choose_steps();
  }

  void start_from(const Vec& duals) {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      double* z = &z_[e * stride()];
      std::copy_n(&duals[e * width_], width_, z);
      shorten(z, radius(e));
    }
    before_ = z_;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      double* a = &v_[edges_[e].a * stride()];
      double* b = &v_[edges_[e].b * stride()];
      for (std::size_t c = 0; c < stride(); ++c) a[c] += z_[e * stride() + c];
      for (std::size_t c = 0; c < stride(); ++c) b[c] -= z_[e * stride() + c];
    }
  }

  ConvexClusters solve(const ConvexOptions& options) {
    ConvexClusters result;
    Vec v_before = v_;
    double t = 1;
    double momentum = 0;
    std::size_t converged_at = 0;
    const auto limit = static_cast<std::size_t>(options.iterations);
    for (std::size_t k = 1; k <= limit; ++k) {
      Vec moves = v_;  // of the extrapolated duals
      for (std::size_t c = 0; c < moves.size(); ++c) moves[c] += momentum * (v_[c] - v_before[c]);
      std::swap(v_, v_before);
      const double uphill = advance(moves, momentum);
      const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
      momentum = (t - 1) / next;
      t = next;
      if (uphill > 0) {
        t = 1;
        momentum = 0;
      }
      if (k > 3 && k % kCheck != 0 && k != limit) continue;
      result.iterations = k;
      const bool doubtful = certify(options.tolerance, result);
      if (!result.converged) continue;
      if (converged_at == 0) converged_at = k;
      if (!doubtful || k >= kPatience * converged_at + kLeastPatience) break;
    }
    return result;
  }

  void duals(Vec& out) const {
    out.resize(edges_.size() * width_);
    for (std::size_t e = 0; e < edges_.size(); ++e) std::copy_n(&z_[e * stride()], width_, &out[e * width_]);
  }

 private:
  std::size_t stride() const { return registers_ * kL; }
  double radius(std::size_t e) const { return lambda_ * edges_[e].weight; }

  // Shortens z to the radius; whether it was within.
  bool shorten(double* z, double radius) const {
    Register sums = {};
    for (std::size_t c = 0; c < stride(); c += kL) sums = fused<double>(load(z + c), load(z + c), sums);
    const double squared = tree_sum<double>(sums);
    if (squared <= radius * radius) return true;
    const double factor = radius / std::sqrt(squared);
    for (std::size_t c = 0; c < stride(); c += kL) store(z + c, load(z + c) * factor);
    return false;
  }

  // Around the mean, which the solution keeps.
  void centre(const Points& points) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t c = 0; c < width_; ++c) points_[i * stride() + c] = points[i][c] - mean_[c];
    }
  }

  // Steps T with T B B' <= 1, B the edges' differences: rows of |B B'| sum to the degrees of an edge's ends.
  // For all pairs the largest eigenvalue is the number of points.
  void choose_steps() {
    std::vector<double> degree(count_, 0.0);
    for (const Edge& edge : edges_) {
      degree[edge.a] += 1;
      degree[edge.b] += 1;
    }
    const bool complete = edges_.size() == count_ * (count_ - 1) / 2 &&
                          std::all_of(degree.begin(), degree.end(),
                                      [&](double d) { return d == static_cast<double>(count_ - 1); });
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const double all = complete ? static_cast<double>(count_) : degree[edges_[e].a] + degree[edges_[e].b];
      step_[e] = 1 / all;
    }
  }

  // One projected step from the extrapolated duals y = z + momentum (z - before), whose moves are given.
  // Sets v to those of the new duals. Returns how far the step went against the last move: the
  // momentum has gone too far where that is positive (O'Donoghue and Candes, 2015).
  double advance(const Vec& moves, double momentum) {
    std::fill(v_.begin(), v_.end(), 0.0);
    double uphill = 0;
    std::vector<Register> room(registers_);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const double* from = &points_[edges_[e].a * stride()];
      const double* to = &points_[edges_[e].b * stride()];
      const double* moved = &moves[edges_[e].a * stride()];
      const double* moved_to = &moves[edges_[e].b * stride()];
      const double* z = &z_[e * stride()];
      double* old = &before_[e * stride()];
      Register squares = {};
      for (std::size_t r = 0; r < registers_; ++r) {
        const std::size_t c = r * kL;
        const Register now = load(z + c);
        const Register y = now + (now - load(old + c)) * momentum;
        const Register apart = (load(from + c) - load(to + c)) - (load(moved + c) - load(moved_to + c));
        room[r] = y + apart * step_[e];
        squares = fused<double>(room[r], room[r], squares);
      }
      const double squared = tree_sum<double>(squares);
      const double limit = radius(e);
      fused_[e] = squared <= limit * limit ? 1 : 0;
      const double factor = fused_[e] ? 1 : limit / std::sqrt(squared);
      double* a = &v_[edges_[e].a * stride()];
      double* b = &v_[edges_[e].b * stride()];
      Register against = {};
      for (std::size_t r = 0; r < registers_; ++r) {
        const std::size_t c = r * kL;
        const Register now = load(z + c);
        const Register y = now + (now - load(old + c)) * momentum;
        const Register next = room[r] * factor;
        against = fused<double>(y - next, next - now, against);
        store(old + c, next);
        store(a + c, load(a + c) + next);
        store(b + c, load(b + c) - next);
      }
      uphill += tree_sum<double>(against) / step_[e];
    }
    std::swap(z_, before_);
    return uphill;
  }

  // Centroids for which the gap is of second order: the means of u over the components of edges whose duals
  // are strictly inside their balls. Differences that are nearly 0 would each add their length to the gap.
  Vec fuse(const Vec& u, std::size_t& groups) const {
    Components components(count_);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (fused_[e]) components.join(edges_[e].a, edges_[e].b);
    }
    groups = components.groups();
    const std::vector<std::uint32_t> labels = components.labels();
    Vec means(groups * stride(), 0.0);
    Vec sizes(groups, 0.0);
    for (std::size_t i = 0; i < count_; ++i) {
      sizes[labels[i]] += 1;
      for (std::size_t c = 0; c < stride(); ++c) means[labels[i] * stride() + c] += u[i * stride() + c];
    }
    Vec x(u.size());
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t c = 0; c < stride(); ++c) {
        x[i * stride() + c] = means[labels[i] * stride() + c] / sizes[labels[i]];
      }
    }
    return x;
  }

  // Fills in the result as it stands now; whether a smaller gap might part more groups.
  bool certify(double tolerance, ConvexClusters& result) const {
    std::size_t groups = 0;
    Vec u = points_;
    add_scaled(-1.0, v_, u);
    const Vec x = fuse(u, groups);
    // P = 1/2 |a - x|^2 + lambda sum w |x_a - x_b| and D = 1/2 |a|^2 - 1/2 |u|^2 may be large and nearly
    // equal; their difference is 1/2 |u - x|^2 + sum (lambda w |x_a - x_b| - z'(x_a - x_b)), of which no
    // part is negative. KKT: x = u, and z is the projection of z + x_a - x_b.
    double off = 0, away = 0, squares_v = 0;
    for (std::size_t c = 0; c < u.size(); ++c) {
      const double rest = u[c] - x[c];
      off += rest * rest;
      away += (v_[c] + rest) * (v_[c] + rest);
      squares_v += v_[c] * v_[c];
    }
    double lengths = 0, slack = 0, moved = 0, sum_z = 0, sum_x = 0;
    Vec length(edges_.size());
    Vec room(stride());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const double* a = &x[edges_[e].a * stride()];
      const double* b = &x[edges_[e].b * stride()];
      const double* z = &z_[e * stride()];
      Register squares = {}, squares_z = {}, products = {}, moves = {};
      for (std::size_t c = 0; c < stride(); c += kL) {
        const Register difference = load(a + c) - load(b + c);
        squares = fused<double>(difference, difference, squares);
        squares_z = fused<double>(load(z + c), load(z + c), squares_z);
        products = fused<double>(load(z + c), difference, products);
        store(&room[c], load(z + c) + difference);
      }
      shorten(room.data(), radius(e));
      for (std::size_t c = 0; c < stride(); c += kL) {
        const Register move = load(&room[c]) - load(z + c);
        moves = fused<double>(move, move, moves);
      }
      const double squared = tree_sum<double>(squares);
      length[e] = std::sqrt(squared);
      lengths += radius(e) * length[e];
      slack += radius(e) * length[e] - tree_sum<double>(products);
      moved += tree_sum<double>(moves);
      sum_z += tree_sum<double>(squares_z);
      sum_x += squared;
    }
    const double primal = away / 2 + lengths;
    const double gap = std::max(0.0, off / 2 + slack);
    result.objective = primal;
    result.gap = primal > 0 ? gap / primal : 0;
    // Relative to how far points move, which may be far less than how far apart they are.
    result.residual = std::max(off > 0 ? std::sqrt(off) / (std::sqrt(away) + std::sqrt(squares_v)) : 0,
                               moved > 0 ? std::sqrt(moved) / (std::sqrt(sum_z) + std::sqrt(sum_x)) : 0);
    result.converged = result.gap <= tolerance && result.residual <= tolerance;
    Components components(count_);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (length[e] <= 2 * std::sqrt(gap)) components.join(edges_[e].a, edges_[e].b);
    }
    result.groups = components.groups();
    result.labels = components.labels();
    result.centroids.resize(count_ * width_);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t c = 0; c < width_; ++c)
        result.centroids[i * width_ + c] = x[i * stride() + c] + mean_[c];
    }
    return groups != result.groups && result.gap > kInDoubt * tolerance;
  }

  const std::vector<Edge>& edges_;
  std::size_t count_;
  std::size_t width_;
  std::size_t registers_;
  double lambda_;
  Vec mean_;
  Vec points_;  // a, around the mean
  Vec step_;
  std::vector<std::uint8_t> fused_;  // whether the last projection left the dual as it was
  Vec z_;
  Vec before_;
  Vec v_;  // of z: how far each point has moved, so that u = a - v. Kept apart: v may be far smaller than a
};

}  // namespace

void ConvexOptions::options(Options& o) {
  o("tolerance", &tolerance, "relative duality gap and residual of convex clustering", between(1e-12, 0.1));
  o("iterations", &iterations, "steps of convex clustering at most", at_least(1));
}

ConvexClusters convex_clustering(const Points& points, const std::vector<Edge>& edges, double lambda,
                                 const ConvexOptions& options, Vec* duals) {
  require_finite(points, "convex clustering");
  check(lambda >= 0, "convex clustering needs lambda >= 0");
  for (const Edge& edge : edges) {
    check(edge.a < points.count && edge.b < points.count && edge.a != edge.b && edge.weight >= 0,
          "an edge that does not join two points");
  }
  const Spanned spanned(points);
  ConvexSolver solver(spanned.points(), edges, lambda);
  if (duals != nullptr && duals->size() == edges.size() * spanned.points().width) solver.start_from(*duals);
  ConvexClusters result = solver.solve(options);
  result.centroids = spanned.back(std::move(result.centroids));
  if (duals != nullptr) solver.duals(*duals);
  return result;
}

}  // namespace coterie
