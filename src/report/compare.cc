#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "report/number_text.h"

namespace coterie {
namespace {

enum class Better { high, low, neither };

// One figure of a summary as a column.
struct Measure {
  const char* header;
  const char* name;  // in a file
  double RunSummary::*figure;
  Better better;
  std::function<std::string(double)> text;
  bool with_deviation = false;
};

std::string percent(double share) { return percent_text(share); }

std::vector<Measure> measures(const std::vector<RunRecord>& runs) {
  std::vector<Measure> wanted = {
      {"accuracy %", "accuracy", &RunSummary::accuracy, Better::high, percent, true},
      {"spread", "accuracy_std", &RunSummary::accuracy_std, Better::low, percent},
      {"worst", "accuracy_min", &RunSummary::accuracy_min, Better::high, percent},
      {"test %", "test_accuracy", &RunSummary::test_accuracy, Better::high, percent, true},
      {"auc", "auc", &RunSummary::auc, Better::high, three_digits_text, true},
      {"balanced %", "balanced_accuracy", &RunSummary::balanced_accuracy, Better::high, percent, true},
      {"rmse", "rmse", &RunSummary::rmse, Better::low, number_text, true},
      {"worst", "rmse_worst", &RunSummary::rmse_worst, Better::low, number_text},
      {"test rmse", "test_rmse", &RunSummary::test_rmse, Better::low, number_text, true},
      {"r2", "r2", &RunSummary::r2, Better::high, three_digits_text, true},
      {"loss", "loss", &RunSummary::loss, Better::low, number_text, true},
      {"test loss", "test_loss", &RunSummary::test_loss, Better::low, number_text, true},
      {"K", "clusters_found", &RunSummary::clusters_found, Better::neither, number_text},
      {"ARI", "ari", &RunSummary::ari, Better::high, three_digits_text, true},
      {"parameter error", "parameter_error", &RunSummary::parameter_error, Better::low, number_text, true},
      {"up", "bytes_up", &RunSummary::bytes_up, Better::low, bytes_text},
      {"down", "bytes_down", &RunSummary::bytes_down, Better::low, bytes_text},
      {"time", "seconds", &RunSummary::seconds, Better::low, seconds_text},
  };
  auto applies = [&](double RunSummary::*figure) {
    for (const RunRecord& run : runs) {
      if (std::isfinite(run.summary.*figure)) return true;
    }
    return false;
  };
  const auto one_of = [](auto figure, std::initializer_list<double RunSummary::*> those) {
    return std::find(those.begin(), those.end(), figure) != those.end();
  };
  const bool classes = applies(&RunSummary::accuracy);
  const bool one_sided =
      std::any_of(runs.begin(), runs.end(), [](const auto& r) { return r.summary.one_sided(); });
  const bool targets =
      std::any_of(runs.begin(), runs.end(), [](const auto& r) { return r.summary.has_targets(); });
  std::vector<Measure> kept;
  for (const Measure& m : wanted) {
    const bool is_loss = one_of(m.figure, {&RunSummary::loss, &RunSummary::test_loss});
    const bool for_one_sided = one_of(m.figure, {&RunSummary::auc, &RunSummary::balanced_accuracy});
    const bool of_targets = one_of(
        m.figure, {&RunSummary::rmse, &RunSummary::rmse_worst, &RunSummary::test_rmse, &RunSummary::r2});
    const bool superseded = is_loss && (classes || targets);
    if (superseded || (for_one_sided && !one_sided) || (of_targets && !targets)) continue;
    if (applies(m.figure)) kept.push_back(m);
  }
  return kept;
}

// Whether the accuracies say more than what the most frequent class gives.
void note_majority(const std::vector<RunRecord>& runs, std::vector<std::string>& notes) {
  constexpr double kNear = 0.005;
  double majority = kAbsent;
  double best = kAbsent;
  for (const RunRecord& run : runs) {
    if (run.summary.one_sided()) majority = std::fmax(majority, run.summary.majority);
    best = std::fmax(best, run.summary.accuracy);
  }
  if (!std::isfinite(majority)) return;
  std::string text =
      fmt::format("Always saying the most frequent class has accuracy {} %.", percent_text(majority));
  if (best <= majority + kNear)
    text += " No run is more than half a point above that: go by auc and balanced accuracy.";
  notes.push_back(text);
}

// The best of the values as they are shown; none when there is nothing to choose from.
std::vector<bool> best_of(const std::vector<double>& values, const std::vector<std::string>& shown,
                          Better better) {
  if (better == Better::neither) return std::vector<bool>(values.size(), false);
  double best = kAbsent;
  for (double v : values) best = better == Better::high ? std::fmax(best, v) : std::fmin(best, v);
  std::set<std::string> different;
  std::string best_shown;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    different.insert(shown[i]);
    if (values[i] == best) best_shown = shown[i];
  }
  std::vector<bool> marked;
  for (std::size_t i = 0; i < values.size(); ++i) {
    marked.push_back(different.size() > 1 && std::isfinite(values[i]) && shown[i] == best_shown);
  }
  return marked;
}

void add_measure(const Measure& measure, const std::vector<RunRecord>& runs, Comparison& out) {
  std::vector<double> means;
  std::vector<std::string> shown;
  std::vector<std::string> texts;
  for (const RunGroup& group : out.groups.groups) {
    std::vector<double> values;
    for (std::size_t i : group.runs) values.push_back(runs[i].summary.*measure.figure);
    SampleSpread spread = spread_of(values);
    // A mean that leaves out runs without the figure (diverged ones, say) says so, and is never the best.
    bool whole = spread.count == 0 || spread.count == values.size();
    means.push_back(whole ? spread.mean : kAbsent);
    shown.push_back(measure.text(spread.mean));
    bool deviates = measure.with_deviation && spread.count > 1;
    texts.push_back(deviates ? shown.back() + " ± " + measure.text(spread.deviation) : shown.back());
    if (!whole) texts.back() += fmt::format(" ({} of {})", spread.count, values.size());
  }
  std::vector<bool> best = best_of(means, shown, measure.better);
  out.table.column(measure.header, Align::right);
  for (std::size_t g = 0; g < texts.size(); ++g) out.table.rows[g].emplace_back(texts[g], best[g]);
}

// How many runs a row stands for, or the seed when each is a single run and seeds differ.
void add_seeds(const std::vector<RunRecord>& runs, Comparison& out) {
  bool repeats = false;
  std::set<std::uint64_t> seeds;
  for (const RunGroup& group : out.groups.groups) repeats = repeats || group.runs.size() > 1;
  for (const RunRecord& run : runs) seeds.insert(run.summary.seed);
  if (!repeats && seeds.size() < 2) return;
  out.table.column(repeats ? "runs" : "seed", Align::right);
  for (std::size_t g = 0; g < out.groups.groups.size(); ++g) {
    const RunGroup& group = out.groups.groups[g];
    out.table.rows[g].emplace_back(
        std::to_string(repeats ? group.runs.size() : runs[group.runs.front()].summary.seed));
  }
}

// Which runs diverged, where some did.
void add_verdicts(const std::vector<RunRecord>& runs, Comparison& out) {
  const auto diverged = [&](std::size_t i) { return runs[i].summary.diverged(); };
  if (std::none_of(runs.begin(), runs.end(), [](const RunRecord& run) { return run.summary.diverged(); }))
    return;
  out.table.column("verdict");
  for (std::size_t g = 0; g < out.groups.groups.size(); ++g) {
    const RunGroup& group = out.groups.groups[g];
    const auto count = std::count_if(group.runs.begin(), group.runs.end(), diverged);
    std::string text = count == 0 ? "" : "diverged";
    if (count > 0 && group.runs.size() > 1) text += fmt::format(" ({} of {})", count, group.runs.size());
    out.table.rows[g].emplace_back(std::move(text));
  }
}

}  // namespace

Comparison compare(const std::vector<RunRecord>& runs) {
  constexpr std::size_t kValueWidth = 40;
  Comparison out;
  out.groups = group_runs(runs);
  for (const std::string& key : out.groups.keys) out.table.column(key);
  for (const RunGroup& group : out.groups.groups) {
    std::vector<Cell> cells;
    for (const std::string& value : group.values) cells.emplace_back(shortened(value, kValueWidth));
    out.table.row(std::move(cells));
  }
  add_seeds(runs, out);
  for (const Measure& measure : measures(runs)) add_measure(measure, runs, out);
  note_majority(runs, out.notes);
  out.gains = gains_of(runs, out.groups);
  if (std::string remark = out.gains.remark(); !remark.empty()) out.notes.push_back(remark);
  add_verdicts(runs, out);
  return out;
}

std::vector<ComparedFigure> compared_figures(const std::vector<RunRecord>& runs) {
  std::vector<ComparedFigure> figures;
  for (const Measure& m : measures(runs)) figures.push_back({m.name, m.figure});
  return figures;
}

std::string compare_table(const std::vector<RunRecord>& runs, Marks marks) {
  const Comparison all = compare(runs);
  std::string text = all.table.text(marks);
  if (all.gains.any()) text += "\n" + all.gains.title() + "\n\n" + all.gains.table(all.groups).text(marks);
  for (const std::string& note : all.notes) text += "\n" + note + "\n";
  return text;
}

}  // namespace coterie
