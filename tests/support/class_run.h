// Given samples of classes, a model over them, gradient descent, and an algorithm on a fleet, at double
// precision.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"
#include "coterie/tiers.h"
#include "fleet/fleets.h"
#include "support/given_federation.h"
#include "support/plugins.h"

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

class ClassRun {
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
      : federation(std::move(given)),
        model(make_plugin<Model>(choices.model, choices.model_toml)),
        solver(make_plugin<Solver>("gd", choices.solver_toml)),
        algorithm(make_plugin<Algorithm>(choices.algorithm, choices.algorithm_toml)) {
    if (algorithm->tiers() != nullptr) set_options(*algorithm->tiers(), choices.tiers_toml);
    aggregate.aggregator = make_plugin<Aggregator>("mean");
    model->bind(federation.shape(), 1);
    engine = std::make_unique<Engine>(Engine{federation, *model, *solver, Precision::f64, 1});
    setting = std::make_unique<Setting>(
        Setting{*model, *solver, aggregate, choices.clusters, 1, Precision::f64, {}});
    algorithm->prepare(*setting);
    fleet = make_fleet(*engine, *algorithm, {"threads", 1, 0.5, 4}, 1, "");
  }

  void start() { start(random_models(*setting, algorithm->starts(), 0)); }
  void start(std::vector<Vec> models) { algorithm->start(*fleet, {std::move(models), {}}); }
  void round(std::vector<ClientId> cohort) {
    ++rounds;
    fleet->begin_round(rounds);
    algorithm->round(*fleet, {rounds, 100, std::move(cohort)});
  }
  std::vector<Vec> models() const { return algorithm->offer().models; }
  // The losses of a client's rows under some parameters.
  Vec losses(const Vec& w, ClientId client) const {
    const auto samples = federation.samples(client, Part::train, 0);
    const auto& x = std::get<std::vector<double>>(samples->features);
    Vec out(samples->size());
    model->losses(w, Batch<double>{samples->size(), samples->shape.width, x, samples->targets, {}}, out);
    return out;
  }

  GivenFederation federation;
  std::unique_ptr<Model> model;
  std::unique_ptr<Solver> solver;
  AggregateOptions aggregate;
  std::unique_ptr<Algorithm> algorithm;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Setting> setting;
  std::unique_ptr<Fleet> fleet;
  std::uint32_t rounds = 0;
};

}  // namespace coterie
