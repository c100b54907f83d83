#include "reproduce/measures.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "report/number_text.h"
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

// Whether the clients that events of a kind name are of every true cluster.
bool covered(const std::string& folder, const std::string& kind) {
  std::set<double> all, reached;
  for (const ClientRow& client : read_clients(folder)) {
    if (client.truth) all.insert(*client.truth);
  }
  for (const EventLine& event : read_events(folder)) {
    for (const auto& [name, value] : event.numbers) {
      if (event.kind == kind && name == "truth") reached.insert(value);
    }
  }
  return reached == all;
}

// A figure of one client at the end of a run.
double of_client(const std::string& folder, std::int64_t id, const std::string& figure) {
  for (const ClientRow& client : read_clients(folder)) {
    if (client.id != id || client.role != "train") continue;
    if (figure == "loss") return client.loss;
    if (figure == "accuracy") return client.accuracy;
    if (figure == "cluster") return client.cluster ? *client.cluster : std::nan("");
    throw Error("figure = \"" + figure + "\" of a client: it has loss, accuracy and cluster");
  }
  throw Error(folder + ": there is no client " + std::to_string(id));
}

}  // namespace

Curve curve_of(const std::string& folder, const std::string& figure, bool start) {
  const RunRecord run = read_run(folder);
  if (!start) return run.curve(figure);
  Curve points;
  double before = 0;  // rounds of what came before this trial of the start, or before training
  std::uint32_t last = 0;
  std::string phase;
  for (const RoundLine& line : run.rounds) {
    if (line.round <= last || line.phase != phase) before += last;
    last = line.round;
    phase = line.phase;
    if (const double value = line.figure(figure); std::isfinite(value)) {
      points.emplace_back(before + line.round, value);
    }
  }
  return points;
}

double measure_run(const Measure& measure, const std::string& folder) {
  RunRecord run = read_run(folder);
  if (measure.reach) {
    for (const auto& [round, value] : curve_of(folder, measure.figure, measure.start)) {
      if (value >= *measure.reach) return round;
    }
    return measure.never.value_or(std::nan(""));
  }
  if (measure.client) {
    return measure.plus + measure.times * of_client(folder, *measure.client, measure.figure);
  }
  if (!measure.covered_by.empty()) return covered(folder, measure.covered_by) ? 1 : 0;
  if (measure.best) {
    double best = std::nan("");
    for (const auto& [round, value] : run.curve(measure.figure)) {
      best = std::fmax(best, measure.plus + measure.times * value);
    }
    return best;
  }
  if (measure.average) {
    std::vector<double> values;
    for (const auto& [round, value] : run.curve(measure.figure)) values.push_back(value);
    return measure.plus + measure.times * spread_of(values).mean;
  }
  if (measure.round) {
    double last = std::nan("");
    for (const auto& [round, value] : run.curve(measure.figure)) {
      if (round <= static_cast<double>(*measure.round)) last = measure.plus + measure.times * value;
    }
    return last;
  }
  if (!measure.low_as.empty()) {
    const std::filesystem::path own(folder);  // <runs>/<name>/seed-<n>
    const std::filesystem::path other =
        own.parent_path().parent_path() / folder_name_of(measure.low_as) / own.filename();
    Measure last;
    last.figure = measure.figure;
    const double enough = measure_run(last, other.string());
    if (measure.within) return measure_run(last, folder) <= *measure.within * enough ? 1 : 0;
    for (const auto& [round, value] : run.curve(measure.figure)) {
      if (value <= enough) return round;
    }
    return measure.never.value_or(std::nan(""));
  }
  if (!run.rounds.empty() && run.rounds.back().figures.contains(measure.figure)) {
    return measure.plus + measure.times * run.rounds.back().figure(measure.figure);
  }
  if (std::optional<double> value = of_summary(folder, measure.figure))
    return measure.plus + measure.times * *value;
  throw Error(folder + ": neither rounds.jsonl nor summary.json has a figure " + measure.figure);
}

}  // namespace coterie
