// Gaussian blobs: x is normal around the centre of its class, and what the centres or their labels are
// depends on the true cluster. A generator: every client draws its own samples, as many as it wants.
//
// differ = "centres": each cluster has class centres of its own. With classes = 1 a cluster is a single blob,
// the points of Federated-Clustering's section 4.3: clusters = 10, dimension = 10, spread in 0.5, 1, 2, 4.
// differ = "labels": all share the centres, but cluster k calls class c (c + k) mod classes: with two classes
// the labels are swapped, with ten they are the private labels of the same paper.
//
// With alpha > 0 labels are skewed: each client has shares of the classes of its own, drawn once from the
// symmetric Dirichlet(alpha). Shared test sets have all classes alike.
//
// With tail > 0 a blob is no longer normal but has a one-sided tail, as laws of bounded variance may: that
// share of its points is moved by tail_reach along the last coordinate, and the others back, so that the
// centre stays the mean:
//   E|x - centre|^2 = dimension spread^2 + tail_reach^2 tail / (1 - tail)
// Whoever leaves the tail out finds a mean that is tail_reach tail / (1 - tail) off.
//
// Centres depend on the seed and not on the spread, so that a sweep over spreads keeps them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/memory.h"
#include "coterie/source.h"
#include "data/client_generator.h"
#include "data/mixture.h"

namespace coterie {
namespace {

struct BlobsSpec {
  std::int64_t clusters = 2;
  std::int64_t classes = 4;
  std::int64_t dimension = 2;
  std::vector<double> shares;
  double alpha = 0;
  std::string differ = "centres";
  std::string centres = "uniform";
  double reach = 10;
  std::vector<std::vector<double>> given;
  double spread = 1;
  double tail = 0;
  double tail_reach = 1;

  bool share_centres() const { return differ == "labels"; }
  std::size_t centre_lists() const {
    return static_cast<std::size_t>(share_centres() ? classes : classes * clusters);
  }
};

class Blobs : public ClientGenerator {
 public:
  Blobs(const BlobsSpec& spec, std::uint64_t seed) : spec_(spec) {
    shape_.task = Task::classification;
    shape_.width = static_cast<std::size_t>(spec.dimension);
    shape_.classes = static_cast<std::size_t>(spec.classes);
    const std::size_t sets = spec.share_centres() ? 1 : static_cast<std::size_t>(spec.clusters);
    for (std::size_t s = 0; s < sets; ++s) centres_.push_back(make_centres(s, seed));
  }

  const Shape& shape() const override { return shape_; }
  std::size_t groups() const override { return static_cast<std::size_t>(spec_.clusters); }
  std::vector<double> shares() const override { return equal_unless_given(spec_.shares, groups()); }

  // The centre of a single blob. With several classes the best classifier is a softmax whose weights and
  // intercepts depend on the spread too: nothing to hold a learned vector against.
  std::optional<Vec> parameters(std::size_t group) const override {
    if (shape_.classes > 1) return std::nullopt;
    return centres_.at(group);
  }

  Samples draw(std::size_t group, std::size_t count, Stream& stream) const override {
    return draw_with({}, group, count, stream);
  }
  Samples draw_of_client(std::size_t group, std::size_t count, Stream& traits,
                         Stream& stream) const override {
    return draw_with(class_bounds(traits), group, count, stream);
  }

 private:
  // Up to where in [0, 1] each class but the last reaches, for a client with skewed labels; otherwise empty.
  Vec class_bounds(Stream& traits) const {
    if (spec_.alpha == 0) return {};
    Vec bounds = traits.dirichlet(Vec(shape_.classes, spec_.alpha));
    std::partial_sum(bounds.begin(), bounds.end(), bounds.begin());
    bounds.pop_back();
    return bounds;
  }

  std::size_t class_at(double place, const Vec& bounds) const {
    if (!bounds.empty()) {
      return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), place) - bounds.begin());
    }
    return std::min(static_cast<std::size_t>(place * static_cast<double>(shape_.classes)),
                    shape_.classes - 1);
  }

  Samples draw_with(const Vec& bounds, std::size_t group, std::size_t count, Stream& stream) const {
    const std::size_t width = shape_.width, classes = shape_.classes;
    const Vec& centres = centres_.at(spec_.share_centres() ? 0 : group);
    const std::size_t turn = spec_.share_centres() ? group : 0;
    Vec features(count * width);
    Samples samples;
    samples.shape = shape_;
    samples.targets.resize(count);
    const bool tailed = spec_.tail > 0;
    with_normals(stream, count, width + (tailed ? 2 : 1), [&](std::size_t i, std::span<const double> z) {
      const std::size_t blob = class_at(uniform_of(z[width]), bounds);
      for (std::size_t j = 0; j < width; ++j) {
        features[i * width + j] = centres[blob * width + j] + spec_.spread * z[j];
      }
      if (tailed) features[i * width + width - 1] += moved_by(uniform_of(z[width + 1]));
      samples.targets[i] = static_cast<double>((blob + turn) % classes);
    });
    samples.features = std::move(features);
    return samples;
  }

  // How far a point is moved along the last coordinate; `place` is uniform in [0, 1].
  double moved_by(double place) const {
    return place < spec_.tail ? spec_.tail_reach : -spec_.tail_reach * spec_.tail / (1 - spec_.tail);
  }

  // classes x width
  Vec make_centres(std::size_t set, std::uint64_t seed) const {
    Vec centres(shape_.classes * shape_.width);
    Stream stream(seed, {.purpose = Purpose::source, .client = static_cast<std::uint32_t>(set)});
    if (spec_.centres == "uniform") {
      for (double& x : centres) x = stream.uniform(-spec_.reach, spec_.reach);
    } else if (spec_.centres == "gaussian") {
      stream.normals(centres);
      for (double& x : centres) x *= spec_.reach;
    } else {
      auto next = centres.begin();
      for (std::size_t c = 0; c < shape_.classes; ++c) {
        next = std::copy_n(spec_.given[set * shape_.classes + c].begin(), shape_.width, next);
      }
    }
    return centres;
  }

  BlobsSpec spec_;
  Shape shape_;
  std::vector<Vec> centres_;
};

class BlobsSource : public Source {
 public:
  void options(Options& o) override {
    BlobsSpec& s = spec_;
    o("clusters", &s.clusters, "true clusters", at_least(1));
    o("classes", &s.classes, "classes", at_least(1));
    o("dimension", &s.dimension, "features of a sample", at_least(1));
    o("shares", &s.shares, "share of clients of each cluster; equal unless given", share());
    o("alpha", &s.alpha,
      "label skew: concentration of the Dirichlet that each client's shares of the classes are drawn from; 0 "
      "makes all classes equally likely, as they are in shared test sets",
      at_least(0));
    o.choice(
        "differ", s.differ, {"centres", "labels"},
        "what tells the clusters apart: centres of their own, or the labels of shared centres, turned by one "
        "class from cluster to cluster");
    o.choice(
        "centres", s.centres, {"uniform", "gaussian", "given"},
        "how centres are drawn, coordinate by coordinate: uniform in [-reach, reach], normal with deviation "
        "reach, or as listed in given");
    o("reach", &s.reach, "how far out the centres lie", above(0));
    o("given", &s.given,
      "the centres, class by class (cluster by cluster, unless clusters differ in labels)");
    o("spread", &s.spread, "standard deviation of every coordinate around its centre", at_least(0));
    o("tail", &s.tail,
      "share of the points that stand apart, on one side; the others move back so that the centre stays the "
      "mean",
      {"must be at least 0 and below 1", [](double value) { return value >= 0 && value < 1; }});
    o("tail_reach", &s.tail_reach, "how far from the centre these stand, along the last coordinate",
      above(0));

    require_shares(o, s.shares, static_cast<std::size_t>(s.clusters));
    o.require(!s.share_centres() || s.clusters <= s.classes, "clusters",
              "must be at most the number of classes, " + std::to_string(s.classes) +
                  ", when clusters differ in labels: there are no more turns");
    if (s.centres != "given") {
      o.require(s.given.empty(), "given", "needs centres = \"given\"");
      return;
    }
    o.require(s.given.size() == s.centre_lists(), "given",
              "must have " + std::to_string(s.centre_lists()) + " lists, one for each centre");
    for (const auto& centre : s.given) {
      o.require(centre.size() == static_cast<std::size_t>(s.dimension), "given",
                "each list must have " + std::to_string(s.dimension) + " numbers, the dimension");
    }
  }
  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const BlobsSpec& s = spec_;
    const double lists =
        static_cast<double>(s.classes) * (s.share_centres() ? 1 : static_cast<double>(s.clusters));
    check_memory(lists * static_cast<double>(s.dimension) * sizeof(double), context.memory,
                 fmt::format("data.dimension = {} with data.classes = {} and data.clusters = {}", s.dimension,
                             s.classes, s.clusters),
                 "use smaller numbers");
    return std::make_unique<Blobs>(spec_, context.seed);
  }

 private:
  BlobsSpec spec_;
};

const Registration<Source> kBlobs{"blobs", "synthetic normal blobs around class centres, by cluster",
                                  [] { return std::make_unique<BlobsSource>(); }};

}  // namespace
}  // namespace coterie
