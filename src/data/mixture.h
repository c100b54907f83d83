// What synthetic regressions share: groups of clients, each with true parameters theta and a law of its own
// for x.
//
// A sample is one run of normals: those of x, then one more for the target. So x does not depend on how noisy
// the target is, and the first samples do not depend on how many follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/data.h"
#include "coterie/options.h"
#include "coterie/random.h"

namespace coterie {

struct MixtureGroup {
  Vec theta;
  Vec mean;        // of x
  Vec deviations;  // of the coordinates of x, when they are independent
  Vec factor;      // otherwise: lower triangular, row by row; x = mean + factor z
};

// The options that describe the groups, with the set-ups of the papers:
//   IFCA 6.1         parameters = "bernoulli", radius = R, rescale = true (the authors' code: rescale =
//   false) FedMD V          parameters = "gaussian", radius = 2, dimension = 100, noise = 0.2 ODCL 5, D.2
//   parameters = "intervals", intervals = [[1, 2], [4, 5], ...], active = 5, noise = 1 ODCL D.1 parameters =
//   "given", covariance = "given", repair = true Federated-Clustering 4.1   parameters = "bernoulli", radius
//   = 100, mean = "index", noise = 0
// Two groups never get the same Bernoulli parameters: a repeated draw is made again (the papers do not say).
class MixtureSetup {
 public:
  void options(Options& o);

  std::size_t clusters() const { return static_cast<std::size_t>(clusters_); }
  std::size_t dimension() const { return static_cast<std::size_t>(dimension_); }
  std::size_t active() const { return static_cast<std::size_t>(active_); }
  std::vector<double> shares() const;
  // Throws Error when the groups would take more than so many GB.
  void check_size(double memory) const;
  std::vector<MixtureGroup> groups(std::uint64_t seed) const;

 private:
  void require_parameters(Options& o) const;
  void require_features(Options& o) const;
  Vec draw_parameters(std::size_t group, std::uint64_t seed, const std::vector<MixtureGroup>& before) const;
  void set_features(std::size_t group, MixtureGroup& made) const;

  std::int64_t clusters_ = 2;
  std::int64_t dimension_ = 10;
  std::vector<double> shares_;
  std::string parameters_ = "gaussian";
  double radius_ = 2;
  bool rescale_ = false;
  std::vector<std::vector<double>> intervals_;
  std::vector<std::vector<double>> given_;
  std::int64_t active_ = 0;
  std::string mean_ = "zero";
  std::vector<std::vector<double>> means_;
  std::string covariance_ = "identity";
  std::vector<std::vector<double>> covariances_;
  bool repair_ = false;
};

// [shares] of a source: one for each group and 1 in all, or empty for equal ones.
void require_shares(Options& o, const std::vector<double>& shares, std::size_t groups);
std::vector<double> equal_unless_given(const std::vector<double>& shares, std::size_t groups);

// Calls use(i, normals) for i = 0 .. count-1 with `each` fresh normals, made many at a time.
template <class Use>
void with_normals(Stream& stream, std::size_t count, std::size_t each, Use&& use) {
  const std::size_t at_once = std::min(count, std::max<std::size_t>(1, 4096 / each));
  Vec buffer(at_once * each);
  for (std::size_t done = 0; done < count; done += at_once) {
    const std::size_t now = std::min(at_once, count - done);
    stream.normals(std::span(buffer).first(now * each));
    for (std::size_t i = 0; i < now; ++i)
      use(done + i, std::span<const double>(buffer).subspan(i * each, each));
  }
}

// In [0, 1], uniform when z is a standard normal.
double uniform_of(double z);

// x of one group, row after row; `target(score, z)` makes y from <x, theta> and the sample's last normal.
class MixtureDraw {
 public:
  MixtureDraw(const MixtureGroup& group, const Shape& shape, std::size_t active)
      : group_(group), shape_(shape), active_(active) {}

  template <class Target>
  Samples operator()(std::size_t count, Stream& stream, Target&& target) const {
    const std::size_t width = shape_.width;
    Vec features(count * width);
    Samples samples;
    samples.shape = shape_;
    samples.targets.resize(count);
    auto finish = [&](std::size_t i, std::span<const double> row, double z) {
      samples.targets[i] = target(score(row), z);
    };
    if (active_ == 0) {
      with_normals(stream, count, width + 1, [&](std::size_t i, std::span<const double> z) {
        std::span<double> row = std::span(features).subspan(i * width, width);
        place(z, row);
        finish(i, row, z[width]);
      });
    } else {
      std::vector<std::uint8_t> chosen(width);
      Vec z(active_ + 1);
      for (std::size_t i = 0; i < count; ++i) {
        std::span<double> row = std::span(features).subspan(i * width, width);
        place_some(stream, z, chosen, row);
        finish(i, row, z[active_]);
      }
    }
    samples.features = std::move(features);
    return samples;
  }

 private:
  double score(std::span<const double> row) const;
  void place(std::span<const double> z, std::span<double> row) const;
  // All but `active` random coordinates stay zero.
  void place_some(Stream& stream, std::span<double> z, std::span<std::uint8_t> chosen,
                  std::span<double> row) const;

  const MixtureGroup& group_;
  const Shape& shape_;
  std::size_t active_;
};

}  // namespace coterie
