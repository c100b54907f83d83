#include "reproduce/measures.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/run_folder.h"
#include "run/folder.h"

namespace coterie {
namespace {

// The value at a dotted path of summary.json; nothing when there is no such key.
std::optional<double> of_summary(const std::string& folder, const std::string& path) {
  nlohmann::json value = nlohmann::json::parse(read_file(folder + "/summary.json"), nullptr, false);
  for (const std::string& key : split(path, '.')) {
    if (!value.is_object() || !value.contains(key)) return std::nullopt;
    nlohmann::json inner = value[key];
    value = std::move(inner);
  }
  if (value.is_null()) return std::nan("");
  return value.is_number() ? std::optional<double>(value.get<double>()) : std::nullopt;
}

}  // namespace

Curve curve_of(const std::string& folder, const std::string& figure) {
  return read_run(folder).curve(figure);
}

double measure_run(const Measure& measure, const std::string& folder) {
  RunRecord run = read_run(folder);
  if (measure.reach) {
    for (const auto& [round, value] : run.curve(measure.figure)) {
      if (value >= *measure.reach) return round;
    }
    return measure.never.value_or(std::nan(""));
  }
  if (!measure.low_as.empty()) {
    const std::filesystem::path own(folder);  // <runs>/<name>/seed-<n>
    const std::filesystem::path other =
        own.parent_path().parent_path() / folder_name_of(measure.low_as) / own.filename();
    Measure last;
    last.figure = measure.figure;
    const double enough = measure_run(last, other.string());
    for (const auto& [round, value] : run.curve(measure.figure)) {
      if (value <= enough) return round;
    }
    return measure.never.value_or(std::nan(""));
  }
  if (!run.rounds.empty() && run.rounds.back().figures.contains(measure.figure)) {
    return measure.times * run.rounds.back().figure(measure.figure);
  }
  if (std::optional<double> value = of_summary(folder, measure.figure)) return measure.times * *value;
  throw Error(folder + ": neither rounds.jsonl nor summary.json has a figure " + measure.figure);
}

}  // namespace coterie
