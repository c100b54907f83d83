#include "report/run_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/number_text.h"

namespace coterie {
namespace {

// Frames of the charts that a run and a comparison share.
ChartFrame accuracy_frame() { return {"round", "accuracy %", std::nullopt, 100, false}; }
ChartFrame loss_frame() { return {"round", "loss", std::nullopt, std::nullopt, true, true}; }
ChartFrame ari_frame() { return {"round", "agreement", 0.0, 1.0, false}; }
ChartFrame sizes_frame() { return {"round", "clients", 0.0, std::nullopt, false}; }
ChartFrame error_frame() { return {"round", "parameter error", std::nullopt, std::nullopt, true, true}; }

// Training clients in each found cluster by round; nothing when there is only one.
std::vector<Curve> size_curves(const RunRecord& run) {
  std::vector<Curve> curves;
  for (const RoundLine& line : run.rounds) {
    for (std::size_t k = 0; k < line.sizes.size() && line.phase != "init"; ++k) {
      if (k >= curves.size()) curves.push_back({fmt::format("cluster {}", k), {}});
      curves[k].points.emplace_back(line.round, line.sizes[k]);
    }
  }
  return curves.size() > 1 && curves.size() <= kMostCurves ? curves : std::vector<Curve>{};
}

// Mean and range over a group's runs, at the rounds that all of them have.
Curve group_curve(const std::vector<RunRecord>& runs, const RunGroup& group, const std::string& figure,
                  double factor) {
  std::map<double, std::vector<double>> by_round;
  for (std::size_t i : group.runs) {
    for (auto [round, value] : runs[i].curve(figure)) by_round[round].push_back(factor * value);
  }
  Curve curve{group.label, {}};
  for (const auto& [round, values] : by_round) {
    if (values.size() != group.runs.size()) continue;
    curve.points.emplace_back(round, spread_of(values).mean);
    if (group.runs.size() < 2) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    curve.band.emplace_back(*low, *high);
  }
  return curve;
}

}  // namespace

std::vector<NamedChart> run_charts(const RunRecord& run) {
  const auto curve = [&](const char* name, const char* figure, double factor) {
    Curve out{name, run.curve(figure)};
    for (auto& [x, y] : out.points) y *= factor;
    return out;
  };
  ChartFrame loss = loss_frame();
  // The figures of a run that diverged are null from some round on.
  if (run.summary.diverged() && std::isfinite(run.summary.rounds)) loss.until = run.summary.rounds;
  return {
      {"Accuracy by round",
       "accuracy",
       {curve("clients' own data", "accuracy", 100), curve("test data", "test_accuracy", 100),
        curve("worst true cluster", "worst_cluster", 100)},
       accuracy_frame()},
      {"Loss by round",
       "loss",
       {curve("clients' own data", "loss", 1), curve("test data", "test_loss", 1)},
       loss},
      {"Parameter error by round",
       "parameter-error",
       {curve("largest", "parameter_error", 1), curve("mean", "parameter_error_mean", 1)},
       error_frame()},
      {"Found against true clusters",
       "agreement",
       {curve("adjusted Rand index", "ari", 1), curve("share in the right cluster", "cluster_accuracy", 1)},
       ari_frame()},
      {"Clients in each found cluster", "sizes", size_curves(run), sizes_frame()},
  };
}

std::vector<NamedChart> comparison_charts(const std::vector<RunRecord>& runs, const RunGroups& groups) {
  std::vector<NamedChart> all;
  const auto add = [&](const char* title, const char* stem, const char* figure, double factor,
                       const ChartFrame& frame) {
    NamedChart chart{title, stem, {}, frame};
    for (std::size_t g = 0; g < std::min(groups.groups.size(), kMostCurves); ++g)
      chart.curves.push_back(group_curve(runs, groups.groups[g], figure, factor));
    if (!line_chart(chart.curves, frame).empty()) all.push_back(std::move(chart));
  };
  add("Accuracy by round", "accuracy", "accuracy", 100, accuracy_frame());
  const bool classes = !all.empty();
  const bool diverged =
      std::any_of(runs.begin(), runs.end(), [](const RunRecord& run) { return run.summary.diverged(); });
  if (!classes || diverged) add("Loss by round", "loss", "loss", 1, loss_frame());
  add("Parameter error by round", "parameter-error", "parameter_error", 1, error_frame());
  add("Adjusted Rand index by round", "agreement", "ari", 1, ari_frame());
  return all;
}

}  // namespace coterie
