// A method on a federation of a test's own: model, solver, algorithm and fleet, put together.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"
#include "fleet/fleets.h"
#include "support/plugins.h"

namespace coterie {

template <class Data>
class MethodRun {
 public:
  void start(std::vector<Vec> models) { algorithm->start(*fleet, {std::move(models), {}}); }
  void round(std::vector<ClientId> cohort) {
    ++rounds;
    fleet->begin_round(rounds);
    algorithm->round(*fleet, {rounds, 100, std::move(cohort)});
  }
  std::vector<Vec> models() const { return algorithm->offer().models; }

  Data federation;
  std::unique_ptr<Model> model;
  std::unique_ptr<Solver> solver;
  AggregateOptions aggregate;
  std::unique_ptr<Algorithm> algorithm;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Setting> setting;
  std::unique_ptr<Fleet> fleet;
  std::uint32_t rounds = 0;

 protected:
  template <class From>
  MethodRun(From&& data, std::unique_ptr<Model> one, std::unique_ptr<Solver> another,
            std::unique_ptr<Algorithm> method)
      : federation(std::forward<From>(data)),
        model(std::move(one)),
        solver(std::move(another)),
        algorithm(std::move(method)) {}

  // The rest, once options are set.
  void make_ready(std::size_t clusters, Precision precision, const FleetOptions& options, unsigned threads) {
    aggregate.aggregator = make_plugin<Aggregator>("mean");
    model->bind(federation.shape(), 1);
    engine = std::make_unique<Engine>(Engine{federation, *model, *solver, precision, 1});
    setting = std::make_unique<Setting>(Setting{*model, *solver, aggregate, clusters, 1, precision, {}});
    for (std::size_t i = 0; i < federation.training(); ++i) {
      setting->truth.push_back(federation.info(static_cast<ClientId>(i)).truth);
    }
    algorithm->prepare(*setting);
    fleet = make_fleet(*engine, *algorithm, options, threads, "");
  }
};

}  // namespace coterie
