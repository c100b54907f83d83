#include "clustering/threshold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/error.h"
#include "math/distances.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr double kNear = 1e-6;            // of the radius: so near the mean of the ball, the mean is tried
constexpr double kThere = 1e-13;          // so near, it is the mean, whoever rounding puts in its ball
constexpr std::size_t kMostSteps = 5000;  // towards a mean

// A centre as a vector of the points' space.
class InSpace {
 public:
  explicit InSpace(const Points& points) : points_(points) {}
  Vec distances(const Vec& centre) const { return distances_to(points_, centre); }
  // centre + sum_i factors_i (z_i - centre).
  Vec moved(const Vec& centre, std::span<const double> factors) const {
    Vec result = centre;
    add_differences(points_, factors, centre, result);
    return result;
  }
  double gap(const Vec& a, const Vec& b) const {
    return std::sqrt(squared_distance(std::span<const double>(a), std::span<const double>(b)));
  }

 private:
  const Points& points_;
};

// A centre v = sum_i c_i z_i as its coefficients: |z_i - v|^2 = G_ii - 2 (G c)_i + c' G c.
class InGram {
 public:
  explicit InGram(Matrix<const double> gram) : gram_(gram) {}
  Vec distances(const Vec& centre) const {
    const std::size_t n = centre.size();
    const Vec products = times(centre);
    const double squared = dot(std::span<const double>(products), centre);
    Vec result(n);
    for (std::size_t i = 0; i < n; ++i) {
      result[i] = std::sqrt(std::max(0.0, (row(i)[i] - products[i]) + (squared - products[i])));
    }
    return result;
  }
  Vec moved(const Vec& centre, std::span<const double> factors) const {
    double total = 0;
    for (const double factor : factors) total += factor;
    Vec result(centre.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = (1 - total) * centre[i] + factors[i];
    return result;
  }
  double gap(const Vec& a, const Vec& b) const {
    Vec between = a;
    add_scaled(-1.0, b, between);
    return std::sqrt(std::max(0.0, dot(std::span<const double>(times(between)), between)));
  }

 private:
  Vec times(std::span<const double> coefficients) const {
    Vec products(gram_.rows);
    for (std::size_t i = 0; i < products.size(); ++i) products[i] = dot(row(i), coefficients);
    return products;
  }
  std::span<const double> row(std::size_t i) const {
    return {gram_.data + i * gram_.row_step, gram_.columns};
  }
  Matrix<const double> gram_;
};

struct Ball {
  double radius = 0;
  std::vector<std::uint8_t> inside;
};

// The place, from 0, of the distance that decides among so many.
std::size_t rank_of(double quantile, std::size_t count) {
  return std::min(static_cast<std::size_t>(std::floor(quantile * static_cast<double>(count))), count - 1);
}

double radius_at(Vec distances, std::size_t far, const ThresholdOptions& options) {
  if (options.rule == "fixed") return *options.radius;
  if (options.rule == "theory") return theory_radius(*options.sigma, *options.separation, *options.share);
  const std::size_t rank = rank_of(options.share_inside(), distances.size() + far);
  if (rank >= distances.size()) return std::numeric_limits<double>::infinity();
  const auto at = distances.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(distances.begin(), at, distances.end());
  return options.factor * *at;
}

template <class Space>
Ball ball_around(const Space& space, const Vec& centre, std::size_t far, const ThresholdOptions& options) {
  const Vec distances = space.distances(centre);
  Ball ball{radius_at(distances, far, options), {}};
  for (const double distance : distances) {
    ball.inside.push_back(options.strict ? distance < ball.radius : distance <= ball.radius);
  }
  return ball;
}

// What holds in every step.
struct Given {
  std::span<const double> weights;
  double total = 0;     // of all weights, those of far points too
  std::size_t far = 0;  // far points
  const ThresholdOptions& options;
};

// The weights of those inside, as shares of `total`.
Vec shares_of(const Ball& ball, std::span<const double> weights, double total) {
  Vec shares(weights.size(), 0.0);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (ball.inside[i]) shares[i] = weights[i] / total;
  }
  return shares;
}

// The weight of those inside.
double weight_of(const Ball& ball, std::span<const double> weights) {
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) total += ball.inside[i] ? weights[i] : 0;
  return total;
}

// Update (4), so many times.
template <class Space>
void take_steps(const Space& space, const Given& given, std::size_t steps, ThresholdCentre& at) {
  for (; at.steps < steps; ++at.steps) {
    Ball ball = ball_around(space, at.centre, given.far, given.options);
    at.centre = space.moved(at.centre, shares_of(ball, given.weights, given.total));
    at.radius = ball.radius;
    at.inside = std::move(ball.inside);
  }
}

// Update (4), until the centre is the mean of its ball. While the ball holds the same points their mean stays
// and the centre nears it by a constant factor. It jumps there only from close by, because on the way other
// points might enter.
template <class Space>
void settle(const Space& space, const Given& given, ThresholdCentre& at) {
  while (!at.settled && at.steps < kMostSteps) {
    Ball ball = ball_around(space, at.centre, given.far, given.options);
    const double held = weight_of(ball, given.weights);
    at.radius = ball.radius;
    at.inside = ball.inside;
    if (held == 0) {
      at.settled = true;
      return;
    }
    const Vec mean = space.moved(at.centre, shares_of(ball, given.weights, held));
    const double gap = space.gap(at.centre, mean);
    if (gap <= kNear * ball.radius) {
      const Ball there = ball_around(space, mean, given.far, given.options);
      at.settled = there.inside == ball.inside;
      if (at.settled || gap <= kThere * ball.radius) {
        at.centre = mean;
        at.radius = there.radius;
        return;
      }
    }
    at.centre = space.moved(at.centre, shares_of(ball, given.weights, given.total));
    ++at.steps;
  }
}

template <class Space>
ThresholdCentre find(const Space& space, std::size_t count, std::span<const double> weights, Vec start,
                     const ThresholdOptions& options, const FarPoints& far) {
  check(weights.empty() || weights.size() == count, "a weight for each point, or none");
  check(options.rule != "fixed" || options.radius, "a fixed radius");
  const Vec alike(weights.empty() ? count : 0, 1.0);
  Given given{weights.empty() ? std::span<const double>(alike) : weights, 0, far.count, options};
  for (const double weight : given.weights) given.total += weight;
  given.total += far.weight;
  ThresholdCentre at;
  at.centre = std::move(start);
  std::size_t steps = static_cast<std::size_t>(options.steps);
  if (steps == 0 && options.rule == "theory") {
    steps = theory_steps(*options.sigma, *options.separation, *options.share);
  }
  if (steps > 0) {
    take_steps(space, given, steps, at);
  } else {
    settle(space, given, at);
  }
  return at;
}

}  // namespace

void ThresholdOptions::options(Options& o, bool gap) {
  std::vector<std::string> rules = {"auto", "percentile", "fixed", "theory"};
  if (gap) rules.emplace_back("gap");
  o.choice(
      "rule", rule, std::move(rules),
      std::string("the radius: from the distances' quantile, as given, or sqrt(share sigma separation)") +
          (gap ? "; or twice the median distance inside a group, groups being found by what training "
                 "changes (gap); auto: gap, unless a quantile is given"
               : "; auto: percentile"));
  o("radius", &radius, "of the ball, with rule = \"fixed\"", above(0));
  o("quantile", &quantile, "of the distances, with rule = \"percentile\"; default: 0.2", between(0, 1));
  o("factor", &factor, "times that distance is the radius", above(0));
  o("strict", &strict, "who is exactly at the radius is outside");
  o("sigma", &sigma, "with rule = \"theory\": deviation of a cluster's vectors from their mean", above(0));
  o("separation", &separation, "with rule = \"theory\": distance to the means of others", above(0));
  o("share", &share, "with rule = \"theory\": of all vectors, the share of the cluster's (delta)", above(0));
  o("steps", &steps,
    "moves of the centre; 0: until it is the mean of its ball, or with rule = \"theory\" as many as Theorem "
    "1 asks for",
    at_least(0));
  const bool theory = rule == "theory";
  o.require(radius.has_value() == (rule == "fixed"), "radius", "goes with rule = \"fixed\", which needs it");
  o.require(sigma.has_value() == theory && separation.has_value() == theory && share.has_value() == theory,
            "sigma", "goes with rule = \"theory\", which needs sigma, separation and share");
  o.require(!sigma || !separation || *sigma < *separation, "sigma", "must be below separation");
  o.require(!share || *share <= 1, "share", "must be at most 1");
}

std::optional<std::size_t> ThresholdOptions::held_at_first(std::size_t count) const {
  if ((rule != "percentile" && rule != "auto") || count == 0) return std::nullopt;
  const bool at_edge = factor > 1 || (factor == 1 && !strict);  // whether whose distance it is is inside
  return rank_of(share_inside(), count) + (at_edge ? 1 : 0);
}

double theory_radius(double sigma, double separation, double share) {
  return std::sqrt(share * sigma * separation);
}

std::size_t theory_steps(double sigma, double separation, double share) {
  check(0 < sigma && sigma < separation && 0 < share && share <= 1, "Theorem 1 needs sigma < Delta");
  const double steps = std::log(sigma / separation) / std::log(1 - share / 2);
  return static_cast<std::size_t>(std::clamp(std::ceil(steps), 1.0, static_cast<double>(kMostSteps)));
}

ThresholdCentre threshold_centre(const Points& points, std::span<const double> weights, Vec start,
                                 const ThresholdOptions& options, const FarPoints& far) {
  require_finite(points, "threshold clustering");
  check(start.size() == points.width, "a centre of another width");
  return find(InSpace(points), points.count, weights, std::move(start), options, far);
}

ThresholdCentre threshold_coefficients(Matrix<const double> gram, std::span<const double> weights, Vec start,
                                       const ThresholdOptions& options, const FarPoints& far) {
  check(gram.rows == gram.columns && gram.column_step == 1, "inner products of all points with all");
  check(start.size() == gram.rows, "a coefficient for each point");
  for (std::size_t i = 0; i < gram.rows; ++i) {
    if (all_finite(std::span(gram.data + i * gram.row_step, gram.columns))) continue;
    throw Error("threshold clustering: inner products of point " + std::to_string(i) +
                " are not finite; leave it out");
  }
  return find(InGram(gram), gram.rows, weights, std::move(start), options, far);
}

}  // namespace coterie
