#include "groups/em.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "coterie/error.h"

namespace coterie {
namespace {

// A share below this is a group that nobody is in; its mean stays.
constexpr double kNobody = 1e-10;

template <int P>
class Climber {
  using Point = Eigen::Matrix<double, P, 1>;
  using Square = Eigen::Matrix<double, P, P>;

 public:
  Climber(const Cloud& cloud, const EmOptions& options, Vec held = {})
      : options_(options),
        count_(cloud.count),
        p_(static_cast<Eigen::Index>(cloud.width)),
        b_(cloud.count),
        v_(cloud.count),
        inverse_(cloud.count),
        held_(std::move(held)) {
    for (std::size_t i = 0; i < count_; ++i) {
      b_[i] = Eigen::Map<const Point>(cloud.b.data() + i * cloud.width, p_);
      v_[i] = Eigen::Map<const Square>(cloud.v.data() + i * cloud.width * cloud.width, p_, p_);
    }
  }

  EmFit run(const MixtureParameters& start, Vec* trace) {
    groups_ = start.share.size();
    State now = read(start);
    if (!options_.spread_inside) now.t.setZero();
    double reached = expect(now);
    if (trace != nullptr) trace->push_back(reached);
    std::size_t iteration = 0;
    for (; iteration < options_.iterations; ++iteration) {
      State next = now;
      next.share = shares();
      next.mu = means(now.mu);
      Steps steps = options_.spread_inside ? spread_steps(next.mu, now.t) : Steps{now.t, now.t};
      next.t = steps.scoring;
      membership_before_ = membership_;
      inverse_before_ = inverse_;
      double value = expect(next);
      if (!(value >= reached)) {
        next.t = steps.em;
        value = expect(next);
      }
      if (!(value >= reached)) {  // rounding at the top
        membership_ = membership_before_;
        inverse_ = inverse_before_;
        break;
      }
      const double gain = value - reached;
      now = std::move(next);
      reached = value;
      if (trace != nullptr) trace->push_back(reached);
      if (gain < options_.tolerance) break;
    }
    return written(now, reached, iteration);
  }

 private:
  struct State {
    Vec share;
    std::vector<Point> mu;
    Square t;
  };
  struct Steps {
    Square scoring;
    Square em;
  };

  State read(const MixtureParameters& from) const {
    State state{from.share, std::vector<Point>(groups_), Eigen::Map<const Square>(from.t.data(), p_, p_)};
    for (std::size_t k = 0; k < groups_; ++k) {
      state.mu[k] = Eigen::Map<const Point>(from.mu.data() + static_cast<Eigen::Index>(k) * p_, p_);
    }
    return state;
  }

  EmFit written(const State& state, double value, std::size_t iterations) const {
    EmFit fit;
    fit.at.share = state.share;
    for (const Point& mu : state.mu) fit.at.mu.insert(fit.at.mu.end(), mu.data(), mu.data() + p_);
    fit.at.t.assign(state.t.data(), state.t.data() + p_ * p_);
    fit.membership = membership_;
    fit.log_likelihood = value;
    fit.iterations = iterations;
    return fit;
  }

  // Memberships, (T + V_i)^-1 and the log likelihood at these parameters.
  double expect(const State& state) {
    constexpr double kLog2Pi = 1.8378770664093454836;
    membership_.resize(count_ * groups_);
    log_share_.resize(groups_);
    for (std::size_t k = 0; k < groups_; ++k) log_share_[k] = std::log(std::max(state.share[k], kNobody));
    double total = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Square sum = state.t + v_[i];
      const Eigen::LLT<Square> factor(sum);
      double determinant = 1;
      for (Eigen::Index c = 0; c < p_; ++c) determinant *= factor.matrixLLT()(c, c);
      inverse_[i] = factor.solve(Square::Identity(p_, p_));
      double* row = membership_.data() + i * groups_;
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < groups_; ++k) {
        const Point away = b_[i] - state.mu[k];
        row[k] = log_share_[k] - 0.5 * away.dot(inverse_[i] * away);
        most = std::max(most, row[k]);
      }
      const double common = std::log(determinant) + 0.5 * static_cast<double>(p_) * kLog2Pi;
      if (!held_.empty()) {
        for (std::size_t k = 0; k < groups_; ++k) {
          total += held_[i * groups_ + k] * (row[k] - log_share_[k] - common);
          row[k] = held_[i * groups_ + k];
        }
        continue;
      }
      double weight = 0;
      for (std::size_t k = 0; k < groups_; ++k) {
        row[k] = groups_ == 1 ? 1 : std::exp(row[k] - most);
        weight += row[k];
      }
      for (std::size_t k = 0; k < groups_; ++k) row[k] /= weight;
      total += most + std::log(weight) - common;
    }
    return total;
  }

  Vec shares() const {
    Vec share(groups_, 0.0);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < groups_; ++k) share[k] += membership_[i * groups_ + k];
    }
    for (double& s : share) s /= static_cast<double>(count_);
    return share;
  }

  // GLS means, weighted by membership.
  std::vector<Point> means(const std::vector<Point>& before) const {
    std::vector<Point> mu = before;
    for (std::size_t k = 0; k < groups_; ++k) {
      Square precision = Square::Zero(p_, p_);
      Point sum = Point::Zero(p_);
      double weight = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        const double r = membership_[i * groups_ + k];
        if (r < kNobody) continue;
        precision += r * inverse_[i];
        sum += r * (inverse_[i] * b_[i]);
        weight += r;
      }
      if (weight > kNobody * static_cast<double>(count_)) mu[k] = Eigen::LLT<Square>(precision).solve(sum);
    }
    return mu;
  }

  // T + A g A, with g the gradient over T for each client: A = T for EM; the harmonic mean of all T + V_i for
  // scoring, which still moves where T is 0.
  Steps spread_steps(const std::vector<Point>& mu, const Square& t) const {
    Square gradient = Square::Zero(p_, p_);
    Square precision = Square::Zero(p_, p_);
    for (std::size_t i = 0; i < count_; ++i) {
      precision += inverse_[i];
      gradient -= inverse_[i];
      for (std::size_t k = 0; k < groups_; ++k) {
        const double r = membership_[i * groups_ + k];
        if (r < kNobody) continue;
        const Point away = inverse_[i] * (b_[i] - mu[k]);
        gradient += r * away * away.transpose();
      }
    }
    const double n = static_cast<double>(count_);
    gradient /= n;
    precision /= n;
    // In coordinates where A is the identity, the positive part is the nearest positive matrix.
    const Eigen::LLT<Square> factor(precision);  // L L' = A^-1
    const Square lower = factor.matrixL();
    const Square moved =
        lower.transpose() * t * lower +
        factor.matrixL().solve(Square(factor.matrixL().solve(gradient).transpose())).transpose();
    const Eigen::SelfAdjointEigenSolver<Square> eigen(Square(0.5 * (moved + moved.transpose())));
    const Square positive = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                            eigen.eigenvectors().transpose();
    const Square half = factor.matrixU().solve(positive);
    Square scoring = factor.matrixU().solve(Square(half.transpose()));
    scoring = (0.5 * (scoring + scoring.transpose())).eval();
    Square em = t + t * gradient * t;
    em = (0.5 * (em + em.transpose())).eval();
    return {scoring, em};
  }

  EmOptions options_;
  std::size_t count_;
  Eigen::Index p_;
  std::size_t groups_ = 0;
  std::vector<Point> b_;
  std::vector<Square> v_;
  std::vector<Square> inverse_, inverse_before_;
  Vec held_;  // memberships that stay; empty: they are estimated
  Vec membership_, membership_before_;
  Vec log_share_;
};

}  // namespace

EmFit climb(const Cloud& cloud, MixtureParameters start, const EmOptions& options, Vec* trace) {
  switch (cloud.width) {
    case 1:
      return Climber<1>(cloud, options).run(start, trace);
    case 2:
      return Climber<2>(cloud, options).run(start, trace);
    case 3:
      return Climber<3>(cloud, options).run(start, trace);
    case 4:
      return Climber<4>(cloud, options).run(start, trace);
    default:
      return Climber<Eigen::Dynamic>(cloud, options).run(start, trace);
  }
}

EmFit fit_members(const Cloud& cloud, Vec membership, std::size_t groups, const EmOptions& options) {
  check(membership.size() == cloud.count * groups, "each client has a membership in each group");
  const std::size_t p = cloud.width;
  MixtureParameters start{Vec(groups, 1.0 / static_cast<double>(groups)), Vec(groups * p, 0.0),
                          Vec(p * p, 0.0)};
  // From the mean noise downwards: a T of 0 would be a slow start.
  for (std::size_t i = 0; i < cloud.v.size(); ++i) {
    start.t[i % (p * p)] += cloud.v[i] / static_cast<double>(cloud.count);
  }
  return Climber<Eigen::Dynamic>(cloud, options, std::move(membership)).run(start, nullptr);
}

}  // namespace coterie
