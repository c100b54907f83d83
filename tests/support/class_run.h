// Given samples of classes, a model over them, gradient descent, and an algorithm on a fleet, at double
// precision.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coterie/methods/tiers.h"
#include "support/given_federation.h"
#include "support/method_run.h"

namespace coterie {

struct LabelledRow {
  Vec x;
  double label;
};

inline Samples samples_of(const std::vector<LabelledRow>& rows, std::size_t classes) {
  Samples samples;
  samples.shape = {Task::classification, rows[0].x.size(), classes, 0, 0, 0};
  std::vector<double> features;
  for (const LabelledRow& row : rows) {
    features.insert(features.end(), row.x.begin(), row.x.end());
    samples.targets.push_back(row.label);
  }
  samples.features = std::move(features);
  return samples;
}

class ClassRun : public MethodRun<GivenFederation> {
 public:
  struct Choices {
    std::string algorithm = "fedem";
    std::string algorithm_toml = "";
    std::string tiers_toml = "";
    std::string model = "softmax";
    std::string model_toml = "";
    std::string solver_toml = "rate = 0.1\nsteps = 1";
    std::size_t clusters = 2;
  };

  ClassRun(GivenFederation given, const Choices& choices)
      : MethodRun(std::move(given),
                  ProgramChoices{choices.algorithm, choices.algorithm_toml, choices.tiers_toml, choices.model,
                                 choices.model_toml, "gd", choices.solver_toml, choices.clusters,
                                 Precision::f64}) {}

  using MethodRun::start;
  void start() { start(random_models(*setting, algorithm->start_models(), 0)); }
  // The losses of a client's rows under some parameters.
  Vec losses(const Vec& w, ClientId client) const {
    const auto samples = federation.samples(client, Part::train, 0);
    const auto& x = std::get<std::vector<double>>(samples->features);
    Vec out(samples->size());
    model->losses(w, Batch<double>{samples->size(), samples->shape.width, x, samples->targets, {}}, out);
    return out;
  }
};

}  // namespace coterie
