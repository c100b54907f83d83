// The laws of synthetic groups: their parameters, and where x lies.
#include "data/mixture.h"

#include <fmt/format.h>

#include <cmath>

#include "base/memory.h"
#include "coterie/error.h"
#include "data/covariance.h"

namespace coterie {
namespace {

// A covariance as users write it: one variance for all coordinates, one for each, or the matrix row by row.
bool is_matrix(const std::vector<double>& given, std::size_t dimension) {
  return dimension > 1 && given.size() == dimension * dimension;
}

double norm(const Vec& values) {
  double sum = 0;
  for (double x : values) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

void require_shares(Options& o, const std::vector<double>& shares, std::size_t groups) {
  double sum = 0;
  for (double x : shares) sum += x;
  o.require(shares.empty() || shares.size() == groups, "shares",
            "must have " + std::to_string(groups) + " numbers, one for each cluster");
  o.require(shares.empty() || std::abs(sum - 1) < 1e-6, "shares", "must sum to 1");
}

std::vector<double> equal_unless_given(const std::vector<double>& shares, std::size_t groups) {
  return shares.empty() ? std::vector<double>(groups, 1.0 / static_cast<double>(groups)) : shares;
}

void MixtureSetup::options(Options& o) {
  o("clusters", &clusters_, "true clusters", at_least(1));
  o("dimension", &dimension_, "features of a sample", at_least(1));
  o("shares", &shares_, "share of clients of each cluster; equal unless given", share());
  o.choice("parameters", parameters_, {"gaussian", "bernoulli", "intervals", "given"},
           "how the true parameters are drawn, coordinate by coordinate: normal with deviation radius / "
           "sqrt(dimension), radius or 0 with equal chance, uniform in the cluster's interval, or as listed");
  o("radius", &radius_, "size of gaussian and bernoulli parameters", above(0));
  o("rescale", &rescale_, "stretch gaussian and bernoulli parameters to a norm of exactly radius");
  o("intervals", &intervals_, "[low, high] of the parameters, one for each cluster");
  o("given", &given_, "the parameters themselves, one list for each cluster");
  o("active", &active_, "so many random coordinates of x are drawn, the rest is 0; 0 draws all", at_least(0));
  o.choice(
      "mean", mean_, {"zero", "index", "index-from-zero", "given"},
      "mean of x: zero, the cluster's number (from 1, or from 0) in every coordinate, or as listed in means");
  o("means", &means_,
    "means of x, one list for each cluster: one number for all coordinates, or one for each");
  o.choice("covariance", covariance_, {"identity", "given"}, "covariance of x");
  o("covariances", &covariances_,
    "one list for each cluster: one variance for all coordinates, one for each, or the matrix row by row");
  o("repair", &repair_,
    "accept a covariance that is not positive semidefinite and make its negative eigenvalues positive, as "
    "samplers by singular values do");
  require_shares(o, shares_, clusters());
  require_parameters(o);
  require_features(o);
}

void MixtureSetup::require_parameters(Options& o) const {
  const std::string each = std::to_string(clusters_) + " lists, one for each cluster";
  const bool drawn = parameters_ == "gaussian" || parameters_ == "bernoulli";
  o.require(drawn || !rescale_, "rescale", "is for gaussian and bernoulli parameters");
  // Different 0-1 vectors run out: there are 2^dimension of them, and the zero vector cannot be rescaled.
  const double vectors = std::ldexp(1.0, static_cast<int>(std::min<std::int64_t>(dimension_, 100)));
  o.require(parameters_ != "bernoulli" || static_cast<double>(clusters_) <= vectors - (rescale_ ? 1 : 0),
            "clusters", "there are not so many different bernoulli parameters in this dimension");

  if (parameters_ == "intervals") {
    o.require(intervals_.size() == clusters(), "intervals", "must have " + each);
    for (const auto& interval : intervals_) {
      o.require(interval.size() == 2 && interval[0] <= interval[1], "intervals",
                "each must be [low, high] with low <= high");
    }
  } else {
    o.require(intervals_.empty(), "intervals", "needs parameters = \"intervals\"");
  }
  if (parameters_ == "given") {
    o.require(given_.size() == clusters(), "given", "must have " + each);
    for (const auto& theta : given_) {
      o.require(theta.size() == dimension(), "given",
                "each list must have " + std::to_string(dimension_) + " numbers, the dimension");
    }
  } else {
    o.require(given_.empty(), "given", "needs parameters = \"given\"");
  }
}

void MixtureSetup::require_features(Options& o) const {
  const std::string each = std::to_string(clusters_) + " lists, one for each cluster";
  const std::size_t d = dimension();
  o.require(active() <= d, "active", "must be at most the dimension, " + std::to_string(d));
  o.require(active_ == 0 || covariance_ == "identity", "active", "needs covariance = \"identity\"");

  if (mean_ == "given") {
    o.require(means_.size() == clusters(), "means", "must have " + each);
    for (const auto& mean : means_) {
      o.require(mean.size() == 1 || mean.size() == d, "means",
                "each list must have 1 number or " + std::to_string(d) + ", the dimension");
    }
  } else {
    o.require(means_.empty(), "means", "needs mean = \"given\"");
  }

  o.require(!repair_ || covariance_ == "given", "repair", "needs covariance = \"given\"");
  if (covariance_ != "given") {
    o.require(covariances_.empty(), "covariances", "needs covariance = \"given\"");
    return;
  }
  o.require(covariances_.size() == clusters(), "covariances", "must have " + each);
  for (std::size_t g = 0; g < covariances_.size(); ++g) {
    const auto& given = covariances_[g];
    const std::string which = "list " + std::to_string(g + 1);
    if (is_matrix(given, d)) {
      const bool symmetric = is_symmetric(given, d);
      o.require(symmetric, "covariances", which + " is not symmetric");
      o.require(!symmetric || repair_ || cholesky(given, d), "covariances",
                which +
                    " is not positive semidefinite, so it is no covariance; repair = true uses the nearest "
                    "thing that samplers by singular values make of it");
    } else {
      o.require(given.size() == 1 || given.size() == d, "covariances",
                which + " must have 1, " + std::to_string(d) + " or " + std::to_string(d * d) + " numbers");
      const bool positive = std::all_of(given.begin(), given.end(), [](double v) { return v >= 0; });
      o.require(positive, "covariances", which + " has a negative variance");
    }
  }
}

std::vector<double> MixtureSetup::shares() const { return equal_unless_given(shares_, clusters()); }

void MixtureSetup::check_size(double memory) const {
  constexpr double kVectors = 3;  // parameters, means, deviations
  check_memory(kVectors * sizeof(double) * static_cast<double>(clusters_) * static_cast<double>(dimension_),
               memory, fmt::format("data.dimension = {} with data.clusters = {}", dimension_, clusters_),
               "use smaller numbers");
}

std::vector<MixtureGroup> MixtureSetup::groups(std::uint64_t seed) const {
  std::vector<MixtureGroup> made;
  for (std::size_t g = 0; g < clusters(); ++g) {
    MixtureGroup group;
    group.theta = draw_parameters(g, seed, made);
    set_features(g, group);
    made.push_back(std::move(group));
  }
  return made;
}

Vec MixtureSetup::draw_parameters(std::size_t group, std::uint64_t seed,
                                  const std::vector<MixtureGroup>& before) const {
  if (parameters_ == "given") return given_[group];
  Stream stream(seed, {.purpose = Purpose::source, .client = static_cast<std::uint32_t>(group)});
  Vec theta(dimension());
  auto is_taken = [&] {
    return std::any_of(before.begin(), before.end(),
                       [&](const MixtureGroup& other) { return other.theta == theta; });
  };
  do {
    if (parameters_ == "intervals") {
      for (double& x : theta) x = stream.uniform(intervals_[group][0], intervals_[group][1]);
      return theta;
    }
    if (parameters_ == "gaussian") {
      stream.normals(theta);
      for (double& x : theta) x *= radius_ / std::sqrt(static_cast<double>(dimension_));
    } else {
      for (double& x : theta) x = stream.bernoulli(0.5) ? radius_ : 0;
    }
    if (double length = norm(theta); rescale_ && length > 0) {
      for (double& x : theta) x *= radius_ / length;
    }
  } while ((rescale_ && norm(theta) == 0) || is_taken());
  return theta;
}

void MixtureSetup::set_features(std::size_t group, MixtureGroup& made) const {
  const std::size_t d = dimension();
  made.mean.assign(d, 0);
  if (mean_ == "index") made.mean.assign(d, static_cast<double>(group + 1));
  if (mean_ == "index-from-zero") made.mean.assign(d, static_cast<double>(group));
  if (mean_ == "given") made.mean = means_[group].size() == d ? means_[group] : Vec(d, means_[group][0]);

  made.deviations.assign(d, 1);
  if (covariance_ != "given") return;
  const auto& given = covariances_[group];
  if (is_matrix(given, d)) {
    auto factor = cholesky(given, d);
    if (!factor) factor = cholesky(with_absolute_eigenvalues(given, d), d);
    check(factor.has_value(), "a repaired covariance has no factor");
    made.factor = std::move(*factor);
  } else {
    for (std::size_t j = 0; j < d; ++j)
      made.deviations[j] = std::sqrt(given.size() == d ? given[j] : given[0]);
  }
}

double uniform_of(double z) { return 0.5 * std::erfc(-z * 0.70710678118654752440); }

double MixtureDraw::score(std::span<const double> row) const {
  // Four sums, always in the same order: one alone waits for itself.
  const double* theta = group_.theta.data();
  double sums[4] = {0, 0, 0, 0};
  std::size_t j = 0;
  for (; j + 4 <= row.size(); j += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += row[j + k] * theta[j + k];
  }
  double rest = 0;
  for (; j < row.size(); ++j) rest += row[j] * theta[j];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

void MixtureDraw::place(std::span<const double> z, std::span<double> row) const {
  const std::size_t d = row.size();
  const double* mean = group_.mean.data();
  if (group_.factor.empty()) {
    const double* deviations = group_.deviations.data();
    for (std::size_t j = 0; j < d; ++j) row[j] = mean[j] + deviations[j] * z[j];
    return;
  }
  for (std::size_t j = 0; j < d; ++j) {
    const double* factor = &group_.factor[j * d];
    double sum = mean[j];
    for (std::size_t k = 0; k <= j; ++k) sum += factor[k] * z[k];
    row[j] = sum;
  }
}

void MixtureDraw::place_some(Stream& stream, std::span<double> z, std::span<std::uint8_t> chosen,
                             std::span<double> row) const {
  // Floyd's choice of `active` different coordinates: each draw counts, none is thrown away.
  const std::size_t d = row.size();
  for (std::size_t top = d - active_; top < d; ++top) {
    const std::size_t j = stream.below(top + 1);
    chosen[chosen[j] ? top : j] = 1;
  }
  stream.normals(z);
  std::size_t used = 0;
  for (std::size_t j = 0; j < d; ++j) {
    if (chosen[j]) row[j] = group_.mean[j] + z[used++];
    chosen[j] = 0;
  }
}

}  // namespace coterie
