// parameter_error: how far the models are from the parameters that generated the data,
//   min over matchings  max over true clusters k  |theta_k - theta*_k|_2        (d(theta, theta*) of FedMD)
// parameter_error_mean: the same with the mean over true clusters in place of the maximum, under its own
// matching.
// parameter_error_nearest: mean over models of the distance to the nearest true parameters (dist of the IFCA
// authors' code). No matching: two models at one truth look perfect.
//
// A matching gives each true cluster a model of its own. With fewer models than true clusters each takes its
// nearest, so that a single global model has a figure too. Intercepts, which the truth does not have, are
// dropped. Does not apply when the parameters of some true cluster are unknown or models have another size.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "clustering/matching.h"
#include "metrics/scores.h"

namespace coterie {
namespace {

double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

// True clusters x models, row by row.
struct Distances {
  std::size_t clusters = 0;
  std::size_t models = 0;
  std::vector<double> values;
};

std::optional<Distances> distances(const Evaluation& evaluation) {
  if (evaluation.truth == nullptr || evaluation.personal) return std::nullopt;
  const auto& truth = evaluation.truth->parameters;
  if (truth.empty() || evaluation.models.empty()) return std::nullopt;
  Distances all{truth.size(), evaluation.models.size(), {}};
  for (const auto& parameters : truth) {
    for (const Vec& model : evaluation.models) {
      if (!parameters || model.size() != parameters->size() + evaluation.intercepts) return std::nullopt;
      all.values.push_back(distance(*parameters, std::span(model).first(parameters->size())));
    }
  }
  // A model that has diverged has no distance.
  if (!std::all_of(all.values.begin(), all.values.end(), [](double v) { return std::isfinite(v); })) {
    return std::nullopt;
  }
  return all;
}

double nearest_truth(const Distances& all) {
  double sum = 0;
  for (std::size_t j = 0; j < all.models; ++j) {
    double least = all.values[j];
    for (std::size_t k = 1; k < all.clusters; ++k) least = std::min(least, all.values[k * all.models + j]);
    sum += least;
  }
  return sum / static_cast<double>(all.models);
}

class ParameterError : public Metric {
 public:
  void measure(const Evaluation& evaluation, Record& out) const override {
    double worst = kNoFigure;
    double mean = kNoFigure;
    double to_nearest = kNoFigure;
    if (auto all = distances(evaluation)) {
      auto clusters = static_cast<double>(all->clusters);
      if (all->models >= all->clusters) {
        worst = assign_least_max(all->values, all->clusters, all->models).value;
        mean = assign_least_sum(all->values, all->clusters, all->models).value / clusters;
      } else {
        worst = 0;
        mean = 0;
        for (auto row = all->values.begin(); row != all->values.end();) {
          auto end = row + static_cast<std::ptrdiff_t>(all->models);
          double nearest = *std::min_element(row, end);
          worst = std::max(worst, nearest);
          mean += nearest / clusters;
          row = end;
        }
      }
      to_nearest = nearest_truth(*all);
    }
    out.set("parameter_error", worst);
    out.set("parameter_error_mean", mean);
    out.set("parameter_error_nearest", to_nearest);
  }
};

const Registration<Metric> kParameterError{"parameter-error",
                                           "distance of the models to the parameters that generated the data",
                                           [] { return std::make_unique<ParameterError>(); }};

}  // namespace
}  // namespace coterie
