// Tier 4: how far clients of a cluster are apart. Each is 0 for clients that are alike; all but `parameter`
// are 1 - a similarity.
//
//   gradient-cosine   1 - cosine of what training changed (CFL, ICFL)
//   parameter         length of the difference between trained models (FeSEM)
//   anchor-gradient   1 - cosine of the gradients at one and the same model, asked for once (StoCFL); or,
//                     with anchor_rounds, of how rounds of training from there change it, as in its authors'
//                     code: less is then due to which labels a client has
//   local-change      1 - cosine of what anchor_rounds rounds of training change, from the cluster's model:
//   one round says
//                     mostly which labels a client has, many say what it would make of them
//   eigenvector       1 - |cosine| of the principal directions of the features
//   feature-norm      largest relative difference between the mean lengths of features of a class
//   prototype-cscp    largest 1 - cosine of the mean features of a class: concept shift (HCFL+, eq. 9)
//   prototype-ascp    the same, or of all features: any shift
//
// With pair_weights a distance counts by how much both clients belong to the cluster, w~_ik w~_jk (eq. 9).
// For hard rules those are 1.
//
// With a shared extractor gradients and parameters are those of the head. Features are those of the model as
// it was received, the inputs of its last layer; where clusters have whole models, that of the client's own
// (eq. 11 has one extractor for all), so that only those who began with the same model are compared. Clients
// without labels of classes have one class.
#include <cmath>
#include <limits>

#include "algorithms/tiers/feature_summaries.h"
#include "algorithms/tiers/parts.h"
#include "algorithms/tiers/prototypes.h"
#include "coterie/methods/train.h"
#include "coterie/methods/with_real.h"
#include "math/cosine.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kPowerSteps = 30;
constexpr std::int64_t kLookRounds = 20;

template <class Real>
Vec features_as(const Shared& model, ClientView& view) {
  const Batch<Real> rows = view.batch<Real>(Part::train);
  std::vector<Real> features(rows.rows * view.model().feature_width());
  view.model().features(model.as<Real>(), rows, features);
  return Vec(features.begin(), features.end());
}

// Of the training rows: rows x feature_width.
Vec features_of(const Shared& model, ClientView& view) {
  return with_real(view.precision(), [&](auto real) { return features_as<decltype(real)>(model, view); });
}

// Weighs the pairs of what a kind of distance makes plain.
class Distance : public TierDistance {
 public:
  void prepare(const TierOptions& options, const Setting& setting) override {
    options_ = &options;
    width_ = setting.model.feature_width();
    const LossKind loss = setting.model.loss_kind();
    classes_ = loss == LossKind::cross_entropy ? setting.model.outputs() : loss == LossKind::logistic ? 2 : 1;
  }
  Vec matrix(std::span<const Told* const> who, std::size_t cluster,
             std::span<const Vec> sent) const override {
    Vec distances = plain(who, cluster, sent);
    if (options_->pair_weights) {
      Vec weights;
      for (const Told* one : who) weights.push_back(one->weights[cluster]);
      weigh_pairs(distances, weights);
    }
    return distances;
  }

 protected:
  virtual Vec plain(std::span<const Told* const> who, std::size_t cluster,
                    std::span<const Vec> sent) const = 0;
  // Classes as numbers below classes_.
  Vec labels_of(ClientView& view) const {
    const Samples& samples = view.samples(Part::train);
    return classes_ == 1 ? Vec(samples.size(), 0.0) : samples.targets;
  }
  // By a distance between two traces.
  template <class Between>
  static Vec between_traces(std::span<const Told* const> who, const Between& between) {
    const std::size_t count = who.size();
    Vec distances(count * count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        distances[i * count + j] = distances[j * count + i] = between(who[i]->trace, who[j]->trace);
      }
    }
    return distances;
  }

  const TierOptions* options_ = nullptr;
  std::size_t width_ = 0;
  std::size_t classes_ = 1;
};

class GradientCosine : public Distance {
 public:
  bool of_vectors() const override { return true; }
  Source source() const override { return Source::trained; }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t cluster, std::span<const Vec> sent) const override {
    Vec updates;
    for (const Told* one : who) {
      const Vec change = update(*one, cluster, sent);
      updates.insert(updates.end(), change.begin(), change.end());
    }
    return cosine_distances({updates, who.size(), updates.size() / who.size()});
  }
};

class Parameter : public Distance {
 public:
  Source source() const override { return Source::trained; }
  bool is_dissimilarity() const override { return false; }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t cluster, std::span<const Vec>) const override {
    const std::size_t count = who.size();
    Vec distances(count * count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        distances[i * count + j] = distances[j * count + i] =
            std::sqrt(squared_distance(who[i]->stepped(cluster), who[j]->stepped(cluster)));
      }
    }
    return distances;
  }
};

class AnchorGradient : public Distance {
 public:
  void prepare(const TierOptions& options, const Setting& setting) override {
    Distance::prepare(options, setting);
    size_ = setting.model.size();
  }
  bool of_vectors() const override { return true; }
  Source source() const override { return Source::told_once; }
  std::size_t trace_size() const override { return size_; }
  Vec trace(const Shared& anchor, ClientView& view) const override {
    return change_by_training(anchor, options_->anchor_rounds.value_or(options_->gap ? kLookRounds : 0),
                              view);
  }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    return between_traces(who, [](const Vec& a, const Vec& b) { return 1 - cosine_similarity(a, b); });
  }

 private:
  std::size_t size_ = 0;
};

class LocalChange : public Distance {
 public:
  void prepare(const TierOptions& options, const Setting& setting) override {
    Distance::prepare(options, setting);
    size_ = setting.model.size();
    trainable_ = setting.model.trainable();
  }
  bool of_vectors() const override { return true; }
  Source source() const override { return Source::told; }
  bool at_own_model() const override { return true; }
  std::size_t trace_size() const override { return size_; }
  Vec trace(const Shared& model, ClientView& view) const override {
    return change_by_training(model, options_->anchor_rounds.value_or(kLookRounds), view);
  }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    Vec changes;
    for (const Told* one : who) {
      const std::span<const double> change = std::span(one->trace).first(trainable_);
      changes.insert(changes.end(), change.begin(), change.end());
    }
    return cosine_distances({changes, who.size(), trainable_});
  }

 private:
  std::size_t size_ = 0, trainable_ = 0;
};

class Eigenvector : public Distance {
 public:
  Source source() const override { return Source::told; }
  std::size_t trace_size() const override { return width_; }
  Vec trace(const Shared& model, ClientView& view) const override {
    const Vec features = features_of(model, view);
    return principal_direction({features.data(), features.size() / width_, width_}, kPowerSteps,
                               view.stream());
  }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    return between_traces(who, [](const Vec& a, const Vec& b) { return direction_distance(a, b); });
  }
};

class FeatureNorm : public Distance {
 public:
  Source source() const override { return Source::told; }
  std::size_t trace_size() const override { return classes_; }
  Vec trace(const Shared& model, ClientView& view) const override {
    const Vec features = features_of(model, view);
    return class_norms({features.data(), features.size() / width_, width_}, labels_of(view), classes_);
  }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    return between_traces(who, [](const Vec& a, const Vec& b) { return norm_distance(a, b); });
  }
};

class Prototype : public Distance {
 public:
  explicit Prototype(bool overall) : overall_(overall) {}
  Source source() const override { return Source::told; }
  std::size_t trace_size() const override { return classes_ + (classes_ + 1) * width_; }
  Vec trace(const Shared& model, ClientView& view) const override {
    const Prototypes own = prototypes(features_of(model, view), labels_of(view), classes_);
    Vec all = own.counts;
    all.insert(all.end(), own.means.begin(), own.means.end());
    return all;
  }

 protected:
  Vec plain(std::span<const Told* const> who, std::size_t, std::span<const Vec>) const override {
    std::vector<Prototypes> clients;
    for (const Told* one : who) {
      const auto means = one->trace.begin() + static_cast<std::ptrdiff_t>(classes_);
      clients.push_back({Vec(one->trace.begin(), means), Vec(means, one->trace.end())});
    }
    const auto least = static_cast<double>(options_->least_samples.value_or(options_->gap ? 5 : 1));
    const PrototypeRule rule{overall_, options_->over_classes == "mean", least,
                             options_->gap ? std::numeric_limits<double>::quiet_NaN() : 0};
    return prototype_distances(clients, rule);
  }

 private:
  bool overall_;
};

const Registration<TierDistance> kGradientCosine{"gradient-cosine",
                                                 "1 - cosine of what training changed (CFL, ICFL)",
                                                 [] { return std::make_unique<GradientCosine>(); }};
const Registration<TierDistance> kParameter{"parameter", "length of the difference between trained models",
                                            [] { return std::make_unique<Parameter>(); }};
const Registration<TierDistance> kAnchorGradient{
    "anchor-gradient", "1 - cosine of the gradients at one and the same model, asked for once (StoCFL)",
    [] { return std::make_unique<AnchorGradient>(); }};
const Registration<TierDistance> kLocalChange{
    "local-change", "1 - cosine of what rounds of training change, from the cluster's model",
    [] { return std::make_unique<LocalChange>(); }};
const Registration<TierDistance> kEigenvector{
    "eigenvector", "1 - |cosine| of the principal directions of the clients' features",
    [] { return std::make_unique<Eigenvector>(); }};
const Registration<TierDistance> kFeatureNorm{
    "feature-norm", "largest relative difference between the mean lengths of features of a class",
    [] { return std::make_unique<FeatureNorm>(); }};
const Registration<TierDistance> kAscp{
    "prototype-ascp", "largest 1 - cosine of mean features, of a class or of all: any shift (HCFL+)",
    [] { return std::make_unique<Prototype>(true); }};
const Registration<TierDistance> kCscp{
    "prototype-cscp", "largest 1 - cosine of the mean features of a class: concept shift alone (HCFL+)",
    [] { return std::make_unique<Prototype>(false); }};

}  // namespace
}  // namespace coterie
