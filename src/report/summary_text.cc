#include "report/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/cluster_matrix.h"
#include "report/number_text.h"

namespace coterie {
namespace {

// Lines of name, value and remark; values that do not apply are left out.
class KeyFigures {
 public:
  KeyFigures() {
    table_.column("");
    table_.column("", Align::right);
    table_.column("");
  }
  void add(const char* name, double value, const std::string& text, const std::string& remark = "") {
    if (std::isfinite(value)) table_.row({name, text, remark});
  }
  std::string text() const { return table_.text(); }

 private:
  TextTable table_;
};

// The remarks that apply, separated by commas.
std::string remarks(const std::vector<std::pair<double, std::string>>& all) {
  std::vector<std::string> parts;
  for (const auto& [value, text] : all) {
    if (std::isfinite(value)) parts.push_back(text);
  }
  return join(parts, ", ");
}

// "worst 12.5 at client 3"
std::string worst_text(const RunSummary& s, const std::string& metric) {
  const auto it = s.metrics.find(metric);
  if (it == s.metrics.end() || !it->second.worst_client) return "";
  return fmt::format("worst {} at client {}", number_text(it->second.worst), *it->second.worst_client);
}

std::string key_figures(const RunSummary& s, const ClusterMatrix& matrix) {
  KeyFigures figures;
  const double judged = std::isfinite(s.judged) ? s.judged : s.clients;
  figures.add("accuracy", s.accuracy, percent_text(s.accuracy) + " %",
              remarks({{judged, "over " + counted_text(judged, "client")},
                       {s.accuracy_std, "spread " + percent_text(s.accuracy_std)},
                       {s.accuracy_min, "worst " + percent_text(s.accuracy_min)}}));
  figures.add("worst true cluster", s.worst_cluster, percent_text(s.worst_cluster) + " %");
  figures.add("test accuracy", s.test_accuracy, percent_text(s.test_accuracy) + " %");
  if (s.one_sided()) {
    figures.add("auc", s.auc, fmt::format("{:.4f}", s.auc), worst_text(s, "auc"));
    figures.add("balanced accuracy", s.balanced_accuracy, percent_text(s.balanced_accuracy) + " %");
    figures.add("most frequent class", s.majority, percent_text(s.majority) + " %",
                "what always saying it would give");
  }
  if (s.has_targets()) {
    figures.add(
        "rmse", s.rmse, number_text(s.rmse),
        remarks({{s.test_rmse, "test " + number_text(s.test_rmse)}, {s.rmse_worst, worst_text(s, "rmse")}}));
    const double mae = s.metrics.contains("mae") ? s.metrics.at("mae").mean : kAbsent;
    figures.add("mae", mae, number_text(mae));
    figures.add("r2", s.r2, fmt::format("{:.4f}", s.r2));
  }
  figures.add("loss", s.loss, number_text(s.loss),
              remarks({{s.test_loss, "test " + number_text(s.test_loss)}}));
  figures.add("parameter error", s.parameter_error, number_text(s.parameter_error));
  if (matrix.has_found()) {
    const auto filled = static_cast<double>(matrix.filled());
    figures.add("clusters found", filled, number_text(filled), matrix.sizes_text());
  }
  figures.add("adjusted Rand index", s.ari, fmt::format("{:.3f}", s.ari),
              remarks({{s.cluster_accuracy, fmt::format("{} % of clients in their true cluster",
                                                        percent_text(s.cluster_accuracy, 1))}}));
  figures.add("sent up", s.bytes_up, bytes_text(s.bytes_up));
  figures.add("sent down", s.bytes_down, bytes_text(s.bytes_down));
  figures.add("time", s.seconds, seconds_text(s.seconds),
              remarks({{s.seconds_per_round, seconds_text(s.seconds_per_round) + " a round"},
                       {s.threads, counted_text(s.threads, "thread")},
                       {s.peak_rss_bytes, bytes_text(s.peak_rss_bytes) + " of memory"}}));
  return figures.text();
}

// By true cluster where there are some to recover, else how many there are of each.
std::string matrix_text(const ClusterMatrix& full, Marks marks) {
  constexpr std::size_t kMostFound = 20;
  constexpr std::size_t kMostTruth = 10;
  constexpr std::size_t kNameWidth = 16;
  ClusterMatrix matrix = full.shortened(kMostFound, kMostTruth);
  bool classes = false;
  for (const GroupScore& found : matrix.found) classes = classes || std::isfinite(found.accuracy);

  TextTable table;
  const bool by_truth = matrix.has_truth();
  table.column("");
  for (std::size_t t = 0; by_truth && t < matrix.truth.size(); ++t) {
    table.column(shortened(matrix.truth[t].name, kNameWidth), Align::right);
  }
  if (!by_truth) table.column("clients", Align::right);
  table.column(classes ? "accuracy %" : "loss", Align::right);
  for (std::size_t f = 0; f < matrix.found.size(); ++f) {
    const GroupScore& found = matrix.found[f];
    std::vector<Cell> cells{found.name};
    const std::vector<double> counts = by_truth ? matrix.counts[f] : std::vector<double>{found.clients};
    for (double count : counts) cells.push_back(count > 0 ? number_text(count) : std::string("·"));
    cells.push_back(classes ? percent_text(found.accuracy) : number_text(found.loss));
    table.row(std::move(cells));
  }
  return (by_truth ? "Clients by found cluster (rows) and true cluster (columns):\n\n"
                   : "Clients by found cluster:\n\n") +
         table.text(marks);
}

}  // namespace

std::string headline(const RunRecord& run) {
  const RunSummary& s = run.summary;
  std::string text = run.title() + ": " + s.algorithm;
  if (!s.dataset.empty()) text += " on " + s.dataset;
  if (!s.model.empty()) text += ", " + s.model;
  if (std::isfinite(s.rounds)) text += ", " + counted_text(s.rounds, "round");
  return text + fmt::format(", seed {}", s.seed);
}

std::string verdict_text(const RunRecord& run, const std::vector<EventLine>& events) {
  if (!run.summary.diverged()) return "";
  const auto found =
      std::find_if(events.rbegin(), events.rend(), [](const EventLine& e) { return e.kind == "diverged"; });
  return "Diverged: " +
         (found == events.rend() ? std::string("the loss is above that of a random model") : found->text);
}

std::string summary_text(const RunRecord& run, const std::vector<ClientRow>& clients,
                         const std::vector<EventLine>& events, Marks marks) {
  ClusterMatrix matrix = cluster_matrix(run, clients);
  std::string text = headline(run) + "\n\n" + key_figures(run.summary, matrix);
  if (std::string verdict = verdict_text(run, events); !verdict.empty()) text += "\n" + verdict + "\n";
  if (matrix.has_truth() || matrix.has_found()) text += "\n" + matrix_text(matrix, marks);
  if (std::string grouping = grouping_text(events); !grouping.empty()) text += "\n" + grouping + "\n";
  return text;
}

std::string summary_text(const std::string& folder, Marks marks) {
  return summary_text(read_run(folder), read_clients(folder), read_events(folder), marks);
}

}  // namespace coterie
