// A byte of choices, then a table whose columns may be called y (the target), c (the client), t (its true
// cluster), s (a row's part) and w (its weight).
#include <algorithm>
#include <cmath>

#include "data/formats/tabular.h"
#include "data/table_scaling.h"
#include "fuzz/cutter.h"

namespace coterie::fuzz {

void csv(Input input) {
  Cutter cutter(input);
  const unsigned choices = cutter.byte();
  TabularSpec spec;
  spec.target = "y";
  if (choices & 1) spec.client = "c";
  if (choices & 2) spec.standardise = "none";
  spec.impute = choices & 4 ? "drop-row" : choices & 8 ? "zero" : "mean";
  spec.goal.task = choices & 16 ? "regression" : choices & 32 ? "classification" : "auto";
  spec.goal.standardise = spec.goal.task == "regression" && (choices & 32);
  if (spec.goal.task == "auto" && (choices & 64)) spec.goal.threshold = 0.5;
  const bool floats = !(choices & 128);
  const std::string text = Cutter::string_of(cutter.rest());
  const Sheet sheet(text, "fuzz.csv", ',');
  const auto has = [&](const char* name) {
    return std::find(sheet.columns().begin(), sheet.columns().end(), name) != sheet.columns().end();
  };
  if (spec.client && has("t")) spec.truth = "t";
  if (has("s")) spec.split = "s";
  if (has("w")) spec.weight = "w";
  Pool pool = make_pool(spec, sheet, floats);
  settle_alone(pool, floats);

  const Samples& samples = pool.train;
  std::visit(
      [&](const auto& features) {
        check(features.size() == samples.size() * samples.shape.width, "a feature for each place");
        for (const auto x : features) check(std::isfinite(x), "features are finite");
      },
      samples.features);
  for (const double y : samples.targets) {
    check(std::isfinite(y), "targets are finite");
    const bool in_range = y >= 0 && y < static_cast<double>(samples.shape.classes);
    check(samples.shape.task == Task::regression || in_range, "a target is a class");
  }
  check(pool.table && pool.table->features.size() == samples.shape.width, "a schema of each feature");
  for (const TableSchema::Feature& feature : pool.table->features) {
    check(std::isfinite(feature.mean) && std::isfinite(feature.fill), "means are finite");
    check(std::isfinite(feature.deviation) && feature.deviation > 0, "deviations are positive");
  }
  check(pool.owners.size() == (spec.client ? samples.size() : 0), "an owner for each row");
  for (const std::uint32_t owner : pool.owners) check(owner < pool.owner_names.size(), "owners have names");
  check(pool.owner_truth.size() == (spec.truth ? pool.owner_names.size() : 0),
        "a true cluster for each owner");
  check(pool.parts.size() == (spec.split ? samples.size() : 0), "a part for each row");
  check(samples.weights.size() == (spec.weight ? samples.size() : 0), "a weight for each row");
}

}  // namespace coterie::fuzz
