// kNN-Per (Marfoq et al., 2022): FedAvg for everybody, and at each client a memory of its own training
// samples. A prediction mixes the common model's with that of the nearest samples, as the common model sees
// them (Model::features, or its scores),
//
//   weight sum_j exp(-d_j / scale) y_j / sum_j exp(-d_j / scale)  +  (1 - weight) common(x)
//
// over the `neighbours` nearest in distance d_j, the first of equals; `squared`: with d_j^2 instead.
//
// The authors of Federated-Clustering look at scores, with squared distances and scale 10, and their memory
// has room for the whole data set: what is not filled are zeros of class 0 (`blanks`).
//
// Choose it when clients differ in their labels rather than in their inputs and the common model's features
// serve all of them. It costs no more than fedavg to train. Clients that never trained are served as well:
// the labelled samples by which they would choose a model are their memory.
//
// The loss of a mixture is -log of the mixed probability, or the squared loss.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/known/method.h"
#include "coterie/methods/with_real.h"
#include "math/gemm.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// What a client remembers while it predicts: made from its training part by `settle`.
struct Memory {
  Vec features;  // samples x width
  Vec targets;
  void fields(Archive& a) { a(features, targets); }
};

// What the common model sees of each row: its features, or what its last layer makes of them.
template <class Real>
Vec seen_as(const Shared& w, bool scores, ClientView& view, Part part) {
  const Model& model = view.model();
  view.expect_model(w);
  const Batch<Real> rows = view.batch<Real>(part);
  std::vector<Real> out(rows.rows * model.feature_width());
  if (rows.rows > 0) model.features(w.as<Real>(), rows, out);
  if (!scores) return {out.begin(), out.end()};
  std::vector<Real> sums(rows.rows * model.scores());
  model.head_outputs(w.as<Real>(), std::span<const Real>(out), std::span<Real>(sums));
  return {sums.begin(), sums.end()};
}

// Squared distances of some rows to all that are remembered, by products.
Vec squared_distances(std::span<const double> rows, std::size_t count, const Memory& memory,
                      std::size_t width) {
  const std::size_t known = memory.targets.size();
  Vec gaps(count * known);
  multiply(Matrix<const double>(rows.data(), count, width),
           Matrix<const double>(memory.features.data(), known, width).transposed(),
           Matrix<double>(gaps.data(), count, known));
  Vec norms(known);
  for (std::size_t j = 0; j < known; ++j) {
    norms[j] = squared_norm(std::span(memory.features).subspan(j * width, width));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double own = squared_norm(rows.subspan(i * width, width));
    for (std::size_t j = 0; j < known; ++j) {
      gaps[i * known + j] = std::max(0.0, own - 2 * gaps[i * known + j] + norms[j]);
    }
  }
  return gaps;
}

class KnnPer : public KnownClustersMethod {
 public:
  KnnPer() : KnownClustersMethod(KnownClusters::one) {}
  Keeps keeps() const override { return Keeps::samples; }

  void options(Options& o) override {
    o("weight", &weight_, "of the neighbours in a prediction, against the common model", share());
    o("neighbours", &neighbours_, "how many samples a prediction looks at", at_least(1));
    o("scale", &scale_, "distance at which a neighbour counts less by a factor of e", above(0));
    o("squared", &squared_, "scale is of the squared distance");
    o.choice("look_at", look_at_, {"features", "scores"},
             "samples are near by what comes before the model's last layer, or by what that makes of it");
    o("blanks", &blanks_, "so many zeros of class 0 (or target 0) among what a client remembers",
      at_least(0));
  }

  Vec settle(const Shelf& offer, ClientView& view) const override {
    auto& memory = view.state<Memory>();
    memory.features = seen(offer[0], view, Part::train);
    memory.targets = view.samples(Part::train).targets;
    return {1.0};
  }
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override {
    Predictions result = predict_mixture({offer[0]}, {1.0}, view, part);
    const Memory& memory = view.state<Memory>();
    if (weight_ == 0 || memory.targets.empty()) return result;
    const std::size_t outputs = view.model().outputs();
    const std::size_t width = look_at_ == "scores" ? view.model().scores() : view.model().feature_width();
    const Samples& samples = view.samples(part);
    const Vec rows = seen(offer[0], view, part);
    constexpr std::size_t kRows = 256;  // at a time
    for (std::size_t begin = 0; begin < samples.size(); begin += kRows) {
      const std::size_t count = std::min(kRows, samples.size() - begin);
      const Vec gaps =
          squared_distances(std::span(rows).subspan(begin * width, count * width), count, memory, width);
      for (std::size_t i = 0; i < count; ++i) {
        const std::span<double> out = std::span(result.outputs).subspan((begin + i) * outputs, outputs);
        const std::size_t known = memory.targets.size();
        Vec all(gaps.begin() + static_cast<std::ptrdiff_t>(i * known),
                gaps.begin() + static_cast<std::ptrdiff_t>((i + 1) * known));
        const double zero = squared_norm(std::span(rows).subspan((begin + i) * width, width));
        all.resize(known + static_cast<std::size_t>(std::min(blanks_, neighbours_)), zero);
        mix(all, memory, samples.shape.task, out);
        result.losses[begin + i] = loss_of(samples, begin + i, out, view.model());
      }
    }
    return result;
  }
  Shared model_of(const Shelf&, const Vec&, ClientView&) const override { return {}; }

  void round(Fleet& fleet, const Round& round) override { average_trained(fleet, round); }

 private:
  Vec seen(const Shared& w, ClientView& view, Part part) const {
    const bool scores = look_at_ == "scores";
    return with_real(view.precision(),
                     [&](auto real) { return seen_as<decltype(real)>(w, scores, view, part); });
  }
  // How far a neighbour counts as being, given its squared distance.
  double reach(double gap) const { return squared_ ? gap : std::sqrt(gap); }
  // Mixes the neighbours' answer into the common model's. Beyond what is remembered are blanks.
  void mix(std::span<const double> gaps, const Memory& memory, Task task, std::span<double> out) const {
    std::vector<std::uint32_t> order(gaps.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::size_t count = std::min(static_cast<std::size_t>(neighbours_), order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
        [&](std::uint32_t a, std::uint32_t b) { return gaps[a] != gaps[b] ? gaps[a] < gaps[b] : a < b; });
    // Only differences of distances matter: the nearest counts 1, so that the sum is never 0.
    const double nearest = reach(gaps[order[0]]);
    Vec answer(out.size(), 0.0);
    double total = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double closeness = std::exp((nearest - reach(gaps[order[k]])) / scale_);
      total += closeness;
      const double target = order[k] < memory.targets.size() ? memory.targets[order[k]] : 0;
      if (task == Task::classification) {
        answer[static_cast<std::size_t>(target)] += closeness;
      } else {
        answer[0] += closeness * target;
      }
    }
    for (std::size_t c = 0; c < out.size(); ++c) {
      out[c] = weight_ * answer[c] / total + (1 - weight_) * out[c];
    }
  }
  static double loss_of(const Samples& samples, std::size_t row, std::span<const double> out,
                        const Model& model) {
    if (samples.shape.task == Task::classification)
      return -std::log(std::max(out[samples.label(row)], 1e-30));
    const double gap = out[0] - samples.targets[row];
    return model.loss_factor() * gap * gap;
  }

  double weight_ = 0.5;
  std::int64_t neighbours_ = 10;
  double scale_ = 1;
  bool squared_ = false;
  std::string look_at_ = "features";
  std::int64_t blanks_ = 0;
};

const Registration<Algorithm> kKnnPer{"knn-per", "fedavg, mixed with the nearest of a client's own samples",
                                      [] { return std::make_unique<KnnPer>(); }};

}  // namespace
}  // namespace coterie
