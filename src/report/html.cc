#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "base/disk.h"
#include "base/text.h"
#include "report/chart.h"
#include "report/cluster_picture.h"
#include "report/compare.h"
#include "report/html_page.h"
#include "report/number_text.h"
#include "report/run_folder.h"
#include "report/summary_text.h"

namespace coterie {
namespace {

constexpr std::size_t kMostEvents = 200;
constexpr std::size_t kMostCurves = 16;
constexpr std::size_t kMostPages = 200;

// What the columns of a comparison mean, for whoever sees them for the first time.
constexpr const char* kColumnsNote =
    "accuracy: on each client's own held-out samples; spread: its deviation over clients; worst: the worst "
    "client; test: on data of clients that never train, or shared test sets; auc: area under the ROC curve; "
    "balanced: mean over classes; rmse, r2: of a regression, in the target's units, and the share of its "
    "variance that is predicted; K: clusters that have clients; "
    "ARI: agreement of found and "
    "true "
    "clusters, 1 when they are the same and 0 at chance; up, down: sent by and to all clients. \"oracle\" is "
    "told the true clusters: the mark to reach.";

// Cards side by side where the screen is wide enough.
std::string pair(const std::string& cards) { return "<div class=\"pair\">\n" + cards + "</div>\n"; }

std::string tile(const std::string& what, const std::string& value, const std::string& more = "") {
  return "<div class=\"tile\"><div class=\"what\">" + escape_html(what) + "</div><div class=\"value\">" +
         escape_html(value) + "</div><div class=\"more\">" + escape_html(more) + "</div></div>\n";
}

std::string tiles(const RunSummary& s, const ClusterMatrix& matrix) {
  std::string html;
  if (std::isfinite(s.accuracy)) {
    html += tile("Accuracy", percent_text(s.accuracy, 1) + " %",
                 fmt::format("worst client {}", percent_text(s.accuracy_min, 1)));
  }
  if (std::isfinite(s.test_accuracy)) {
    html += tile("Test accuracy", percent_text(s.test_accuracy, 1) + " %", "on unseen data");
  }
  if (s.one_sided() && std::isfinite(s.auc)) {
    html += tile("AUC", fmt::format("{:.3f}", s.auc),
                 fmt::format("most frequent class {} %", percent_text(s.majority, 1)));
  }
  if (s.has_targets()) {
    html += tile("RMSE", number_text(s.rmse), "worst client " + number_text(s.rmse_worst));
    html += tile("R²", fmt::format("{:.3f}", s.r2), "of the targets' variance");
  } else if (!std::isfinite(s.accuracy)) {
    html += tile("Loss", number_text(s.loss),
                 std::isfinite(s.test_loss) ? "test " + number_text(s.test_loss) : std::string());
  }
  if (std::isfinite(s.parameter_error)) {
    html += tile("Parameter error", number_text(s.parameter_error), "largest, to the true ones");
  }
  if (matrix.has_truth() || matrix.has_found()) {
    html += tile("Clusters found", std::to_string(matrix.filled()),
                 matrix.has_truth() ? fmt::format("{} true ones", matrix.truth.size()) : matrix.sizes_text());
  }
  if (matrix.has_truth() && std::isfinite(s.ari)) {
    html += tile("Agreement (ARI)", fmt::format("{:.3f}", s.ari),
                 percent_text(s.cluster_accuracy, 1) + " % of clients right");
  }
  html += tile("Clients", number_text(s.clients), counted_text(s.rounds, "round"));
  html += tile("Traffic", bytes_text(s.bytes_up + s.bytes_down),
               fmt::format("{} up, {} down", bytes_text(s.bytes_up), bytes_text(s.bytes_down)));
  html += tile("Time", seconds_text(s.seconds), seconds_text(s.seconds_per_round) + " a round");
  return "<div class=\"tiles\">\n" + html + "</div>\n";
}

std::vector<std::pair<double, double>> scaled(std::vector<std::pair<double, double>> points, double factor) {
  for (auto& [x, y] : points) y *= factor;
  return points;
}

// Frames of the charts that a run and a comparison share.
ChartFrame accuracy_frame() { return {"round", "accuracy %", std::nullopt, 100, false}; }
ChartFrame loss_frame() { return {"round", "loss", std::nullopt, std::nullopt, true}; }
ChartFrame ari_frame() { return {"round", "agreement", 0.0, 1.0, false}; }
ChartFrame sizes_frame() { return {"round", "clients", 0.0, std::nullopt, false}; }
ChartFrame error_frame() { return {"round", "parameter error", std::nullopt, std::nullopt, true}; }

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

std::string charts(const RunRecord& run) {
  auto curve = [&](const char* name, const char* figure, double factor) {
    return Curve{name, scaled(run.curve(figure), factor)};
  };
  std::string html;
  html += html_card("Accuracy by round", line_chart({curve("clients' own data", "accuracy", 100),
                                                     curve("test data", "test_accuracy", 100),
                                                     curve("worst true cluster", "worst_cluster", 100)},
                                                    accuracy_frame()));
  html += html_card(
      "Loss by round",
      line_chart({curve("clients' own data", "loss", 1), curve("test data", "test_loss", 1)}, loss_frame()));
  html +=
      html_card("Parameter error by round",
                line_chart({curve("largest", "parameter_error", 1), curve("mean", "parameter_error_mean", 1)},
                           error_frame()));
  html += html_card("Found against true clusters",
                    line_chart({curve("adjusted Rand index", "ari", 1),
                                curve("share in the right cluster", "cluster_accuracy", 1)},
                               ari_frame()));
  html += html_card("Clients in each found cluster", line_chart(size_curves(run), sizes_frame()));
  return pair(html);
}

// Figures that no group has get no column.
std::string score_table(const std::vector<GroupScore>& groups) {
  TextTable table;
  table.column("cluster");
  for (const GroupScore& g : groups) table.row({g.name});
  auto add = [&](const char* header, double GroupScore::*figure,
                 const std::function<std::string(double)>& text) {
    auto has = [&](const GroupScore& g) { return std::isfinite(g.*figure); };
    if (std::none_of(groups.begin(), groups.end(), has)) return;
    table.column(header, Align::right);
    for (std::size_t i = 0; i < groups.size(); ++i) table.rows[i].emplace_back(text(groups[i].*figure));
  };
  auto percent = [](double share) { return percent_text(share); };
  add("clients", &GroupScore::clients, number_text);
  add("samples", &GroupScore::samples, number_text);
  add("accuracy %", &GroupScore::accuracy, percent);
  add("loss", &GroupScore::loss, number_text);
  add("test %", &GroupScore::test_accuracy, percent);
  return html_table(table);
}

std::string clusters(const ClusterMatrix& matrix, const std::vector<ClientRow>& clients,
                     const std::string& grouping) {
  if (matrix.found.empty()) {
    return html_card("Clusters",
                     clients.empty() ? "" : "<p>Every client has a model of its own: no clusters.</p>\n");
  }
  std::string html;
  if (matrix.has_truth()) {
    html += html_card("Found clusters (rows) by true clusters (columns)",
                      heat_map(matrix) +
                          "<p class=\"note\">Training clients. The stronger the colour, the larger the share "
                          "of the true cluster.</p>\n");
  }
  html += html_card(
      matrix.has_truth() ? "Every client, by true cluster" : "Every client, by found cluster",
      client_dots(matrix, clients) + (grouping.empty() ? "" : "<p>" + escape_html(grouping) + "</p>\n") +
          "<p class=\"note\">A cluster is a group of clients that share one model, or that a method "
          "takes for alike. Hold the pointer "
          "over a dot to see which client it is.</p>\n");
  // Large pictures need the page's width.
  bool wide = matrix.truth.size() > 5 || clients.size() > 500;
  return wide ? html : pair(html);
}

std::string cluster_tables(const ClusterMatrix& matrix) {
  ClusterMatrix shown = matrix.shortened(32, 32);
  std::string html;
  if (!shown.found.empty()) html += html_card("Found clusters", score_table(shown.found));
  if (shown.truth.size() > 1) html += html_card("True clusters", score_table(shown.truth));
  return pair(html);
}

// All metrics of the task; accuracy and loss have tiles and curves, but belong beside the others.
std::string metrics_card(const RunSummary& s, const std::vector<ClientRow>& clients) {
  if (s.metrics.empty()) return "";
  std::map<std::uint32_t, std::string> names;
  for (const ClientRow& client : clients) {
    if (!client.name.empty()) names[client.id] = client.name;
  }
  TextTable table;
  table.column("metric");
  for (const char* header : {"all clients", "worst client"}) table.column(header, Align::right);
  table.column("who");
  const bool tested = std::any_of(s.metrics.begin(), s.metrics.end(),
                                  [](const auto& one) { return std::isfinite(one.second.test); });
  if (tested) table.column("test", Align::right);
  for (const auto& [name, figures] : s.metrics) {
    std::string who = figures.worst_client ? fmt::format("client {}", *figures.worst_client) : "";
    if (figures.worst_client && names.contains(*figures.worst_client)) who = names[*figures.worst_client];
    table.row({name, number_text(figures.mean), number_text(figures.worst), who});
    if (tested) table.rows.back().emplace_back(number_text(figures.test));
  }
  return html_card("Metrics",
                   html_table(table) +
                       "<p class=\"note\">Over the held-out rows of all training clients together, "
                       "and of the worst client alone; test: data of clients that never train, or "
                       "shared test sets.</p>\n");
}

std::string events_card(const std::vector<EventLine>& events) {
  if (events.empty()) return html_card("Events", "<p class=\"note\">None.</p>\n");
  TextTable table;
  table.column("round", Align::right);
  table.column("kind");
  table.column("client", Align::right);
  table.column("what");
  for (std::size_t i = 0; i < std::min(events.size(), kMostEvents); ++i) {
    const EventLine& e = events[i];
    std::string text = e.text;
    for (const auto& [name, value] : e.numbers) {
      // What the text says already is not said twice; the steps of a path are for programs to read.
      if (name.starts_with("path_")) continue;
      if (text.find(name) == std::string::npos) text += fmt::format("; {} = {}", name, number_text(value));
    }
    table.row({std::to_string(e.round), e.kind, e.client ? std::to_string(*e.client) : "", text});
  }
  std::string html = html_table(table);
  if (events.size() > kMostEvents) {
    html += fmt::format("<p class=\"note\">The first {} of {}; all are in events.jsonl.</p>\n", kMostEvents,
                        events.size());
  }
  return html_card("Events", html);
}

std::string config_card(const std::string& config) {
  if (config.empty()) return "";
  return "<section class=\"card\"><details><summary>Config</summary><pre>" + escape_html(config) +
         "</pre></details></section>\n";
}

// Where one page finds another: the path to the run's report.html from the folder of `page`. Empty when the
// run has none.
std::string link_to_report(const RunRecord& run, const std::string& page) {
  namespace fs = std::filesystem;
  fs::path report = fs::path(run.folder) / "report.html";
  if (!is_file(report.string())) return "";
  fs::path from = fs::absolute(page).parent_path().lexically_normal();
  std::string path = fs::absolute(report).lexically_normal().lexically_relative(from).generic_string();
  std::string link;
  for (char c : path) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) ||
                 std::string_view("-_./,=+~").find(c) != std::string_view::npos;
    link += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return link;
}

// The own pages of runs that share a row of the table with others.
std::string pages_card(const std::vector<RunRecord>& runs, const RunGroups& all, const std::string& page) {
  std::string html;
  std::size_t listed = 0;
  for (const RunGroup& group : all.groups) {
    for (std::size_t i : group.runs) {
      std::string link = link_to_report(runs[i], page);
      if (group.runs.size() == 1 || link.empty() || ++listed > kMostPages) continue;
      std::string name = std::filesystem::path(runs[i].folder).lexically_normal().filename().string();
      html += fmt::format("{}<a href=\"{}\">{}</a>", html.empty() ? "" : " · ", escape_html(link),
                          escape_html(name));
    }
  }
  return html.empty() ? "" : html_card("Pages of the runs, with their clusters", "<p>" + html + "</p>\n");
}

// The mean over a group's runs, at the rounds that all of them have.
std::vector<std::pair<double, double>> mean_curve(const std::vector<RunRecord>& runs, const RunGroup& group,
                                                  const std::string& figure) {
  std::map<double, std::vector<double>> by_round;
  for (std::size_t i : group.runs) {
    for (auto [round, value] : runs[i].curve(figure)) by_round[round].push_back(value);
  }
  std::vector<std::pair<double, double>> points;
  for (const auto& [round, values] : by_round) {
    if (values.size() == group.runs.size()) points.emplace_back(round, spread_of(values).mean);
  }
  return points;
}

}  // namespace

std::string write_report(const std::string& folder) {
  RunRecord run = read_run(folder);
  std::vector<ClientRow> clients = read_clients(folder);
  std::vector<EventLine> events = read_events(folder);
  ClusterMatrix matrix = cluster_matrix(run, clients);
  std::string verdict;
  if (run.summary.diverged())
    verdict = html_card("Diverged", "<p>" + escape_html(verdict_text(run, events)) + "</p>\n");
  std::string body = verdict + tiles(run.summary, matrix) + clusters(matrix, clients, grouping_text(events)) +
                     charts(run) + metrics_card(run.summary, clients) + cluster_tables(matrix) +
                     events_card(events) + config_card(run.config);
  std::string path = (std::filesystem::path(folder) / "report.html").string();
  std::string line = headline(run);
  write_page(path, html_page(run.title(), line.substr(run.title().size() + 2), body));
  return path;
}

void write_comparison(const std::vector<std::string>& folders, const std::string& out,
                      const std::vector<std::string>& unfinished) {
  std::vector<RunRecord> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  Comparison comparison = compare(runs);
  const auto& groups = comparison.groups.groups;
  auto chart = [&](const char* figure, double factor, const ChartFrame& frame) {
    std::vector<Curve> curves;
    for (std::size_t g = 0; g < std::min(groups.size(), kMostCurves); ++g) {
      curves.push_back({groups[g].label, scaled(mean_curve(runs, groups[g], figure), factor)});
    }
    return line_chart(curves, frame);
  };

  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].runs.size() == 1)
      comparison.table.rows[g][0].link = link_to_report(runs[groups[g].runs.front()], out);
  }
  std::string note = "Bold: the best of its column. " + std::string(kColumnsNote) +
                     " A linked name leads to the run's own page, with its clusters.";
  if (!unfinished.empty()) note += " " + unfinished_text(unfinished) + ".";
  std::string said;
  for (const std::string& one : comparison.notes) said += "<p>" + escape_html(one) + "</p>\n";
  std::string body = html_card("Side by side", html_table(comparison.table) + said + "<p class=\"note\">" +
                                                   escape_html(note) + "</p>\n");
  if (comparison.gains.any()) {
    body +=
        html_card(comparison.gains.title(),
                  html_table(comparison.gains.table(comparison.groups)) +
                      "<p class=\"note\">Each client's own figure, less that of the same client with one "
                      "model for all (fedavg) and with training alone (local): same data, same seed.</p>\n");
  }
  body += pages_card(runs, comparison.groups, out);
  std::string curves = html_card("Accuracy by round", chart("accuracy", 100, accuracy_frame()));
  if (curves.empty()) curves += html_card("Loss by round", chart("loss", 1, loss_frame()));
  curves += html_card("Parameter error by round", chart("parameter_error", 1, error_frame()));
  curves += html_card("Adjusted Rand index by round", chart("ari", 1, ari_frame()));
  body += pair(curves);
  if (groups.size() > kMostCurves) {
    body += fmt::format("<p class=\"note\">Curves of the first {} of {} experiments.</p>\n", kMostCurves,
                        groups.size());
  }
  bool one_name = std::all_of(runs.begin(), runs.end(),
                              [&](const RunRecord& run) { return run.title() == runs.front().title(); });
  std::string title = one_name && !runs.empty() ? runs.front().title() : "Comparison";
  write_page(
      out,
      html_page(title, counted(runs.size(), "run") + " of " + counted(groups.size(), "experiment"), body));
}

}  // namespace coterie
