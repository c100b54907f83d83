#include "math/minimise.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kMemory = 10;       // pairs that L-BFGS keeps; values that SPG looks back on
constexpr int kTrials = 60;               // of one line search
constexpr double kDecrease = 1e-4;        // share of the promised decrease that a step must bring
constexpr double kCurvature = 0.9;        // share of the slope that may be left
constexpr double kNoise = 1e-14;          // relative rounding error of a value
constexpr std::size_t kPatience = 10000;  // steps in a row that may lead nowhere

double length(std::span<const double> x) { return std::sqrt(squared_norm(x)); }

Vec difference(std::span<const double> a, std::span<const double> b) {
  Vec out(a.begin(), a.end());
  add_scaled(-1.0, b, out);
  return out;
}

struct Pair {
  Vec step;
  Vec change;  // of the gradient
  double product = 0;
};

// The two-loop recursion: -H gradient, for the inverse Hessian H that the pairs describe.
Vec direction(const std::deque<Pair>& pairs, std::span<const double> gradient) {
  Vec d(gradient.begin(), gradient.end());
  Vec factors(pairs.size());
  for (std::size_t j = pairs.size(); j-- > 0;) {
    factors[j] = dot(pairs[j].step, d) / pairs[j].product;
    add_scaled(-factors[j], pairs[j].change, d);
  }
  if (!pairs.empty()) scale(pairs.back().product / squared_norm(pairs.back().change), d);
  for (std::size_t j = 0; j < pairs.size(); ++j) {
    add_scaled(factors[j] - dot(pairs[j].change, d) / pairs[j].product, pairs[j].step, d);
  }
  scale(-1.0, d);
  return d;
}

// A point with its value and gradient.
struct Place {
  Vec x;
  Vec gradient;
  double value = 0;

  void evaluate(const Smooth& f) {
    gradient.resize(x.size());
    value = f(x, gradient);
  }
};

// Looks along d for a step that goes down and leaves little slope: bisection after doubling (Lewis and
// Overton, 2013). Returns false when there is none.
bool search(const Smooth& f, const Place& from, const Vec& d, double step, Place& to) {
  const double slope = dot(from.gradient, d);
  if (!(slope < 0)) return false;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < kTrials; ++trial) {
    to.x = from.x;
    add_scaled(step, d, to.x);
    to.evaluate(f);
    const double slope_there = dot(to.gradient, d);
    const bool down = to.value <= from.value + kDecrease * step * slope;
    const bool level =
        to.value <= from.value + kNoise * std::abs(from.value) && slope_there <= (2 * kDecrease - 1) * slope;
    if (!std::isfinite(to.value) || !std::isfinite(slope_there) || !(down || level)) {
      high = step;
    } else if (slope_there < kCurvature * slope) {
      low = step;
    } else {
      return true;
    }
    step = std::isfinite(high) ? (low + high) / 2 : 2 * step;
  }
  return false;
}

// Notices when steps only wander in rounding errors: a tolerance below them is never met.
class Progress {
 public:
  bool stalled(double value, double gradient) {
    const bool better = value < value_ || gradient < gradient_;
    value_ = std::min(value_, value);
    gradient_ = std::min(gradient_, gradient);
    since_ = better ? 0 : since_ + 1;
    return since_ >= kPatience;
  }

 private:
  double value_ = std::numeric_limits<double>::infinity();
  double gradient_ = std::numeric_limits<double>::infinity();
  std::size_t since_ = 0;
};

Minimum result_of(Place&& place, double gradient, std::size_t iterations, bool converged) {
  return {std::move(place.x), place.value, gradient, iterations, converged};
}

}  // namespace

Minimum minimise(const Smooth& f, Vec start, const MinimiseOptions& options,
                 const std::function<bool(double)>& stop) {
  Place here;
  here.x = std::move(start);
  here.evaluate(f);
  double gradient = length(here.gradient);
  const double enough = options.tolerance * std::max(1.0, gradient);
  std::deque<Pair> pairs;
  Progress progress;
  std::size_t t = 0;
  Place next;
  while (gradient > enough && t < options.iterations) {
    double step = pairs.empty() ? std::min(1.0, 1 / gradient) : 1;
    if (!search(f, here, direction(pairs, here.gradient), step, next)) {
      if (pairs.empty()) break;
      pairs.clear();  // once more, straight down
      continue;
    }
    ++t;
    Pair pair{difference(next.x, here.x), difference(next.gradient, here.gradient), 0};
    pair.product = dot(pair.step, pair.change);
    if (pair.product > 1e-16 * length(pair.step) * length(pair.change)) pairs.push_back(std::move(pair));
    if (pairs.size() > kMemory) pairs.pop_front();
    std::swap(here, next);
    gradient = length(here.gradient);
    if ((stop && stop(here.value)) || progress.stalled(here.value, gradient)) break;
  }
  return result_of(std::move(here), gradient, t, gradient <= enough);
}

void project_on_ball(double radius, std::span<double> x) {
  double norm = length(x);
  if (norm > radius) scale(radius / norm, x);
}

Minimum minimise_in_ball(const Smooth& f, Vec start, double radius, const MinimiseOptions& options) {
  Place here;
  here.x = std::move(start);
  project_on_ball(radius, here.x);
  here.evaluate(f);
  const double enough = options.tolerance * std::max(1.0, length(here.gradient));
  // Where a step of this length along the gradient leads, less where it begins.
  auto projected = [&](double step) {
    Vec to = here.x;
    add_scaled(-step, here.gradient, to);
    project_on_ball(radius, to);
    add_scaled(-1.0, here.x, to);
    return to;
  };
  double gradient = length(projected(1));
  double step = 1 / std::max(1.0, length(here.gradient));
  std::deque<double> values{here.value};
  Progress progress;
  std::size_t t = 0;
  Place next;
  while (gradient > enough && t < options.iterations) {
    Vec d = projected(step);
    const double slope = dot(here.gradient, d);
    const double highest = *std::max_element(values.begin(), values.end());
    const double slack = kNoise * std::abs(highest);
    double share = 1;
    bool found = false;
    for (int trial = 0; trial < kTrials && !found; ++trial, share /= 2) {
      next.x = here.x;
      add_scaled(share, d, next.x);
      next.evaluate(f);
      found = next.value <= highest + kDecrease * share * slope + slack;
    }
    if (!found || !(slope < 0)) break;
    ++t;
    Vec moved = difference(next.x, here.x);
    const double curvature = dot(moved, difference(next.gradient, here.gradient));
    step = curvature > 0 ? std::clamp(squared_norm(moved) / curvature, 1e-10, 1e10) : 1e10;
    std::swap(here, next);
    values.push_back(here.value);
    if (values.size() > kMemory) values.pop_front();
    gradient = length(projected(1));
    if (progress.stalled(here.value, gradient)) break;
  }
  return result_of(std::move(here), gradient, t, gradient <= enough);
}

}  // namespace coterie
