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
#include "report/apart.h"
#include "report/client_map.h"
#include "report/cluster_picture.h"
#include "report/compare.h"
#include "report/html_page.h"
#include "report/members.h"
#include "report/number_text.h"
#include "report/run_charts.h"
#include "report/run_facts.h"
#include "report/split_tree.h"
#include "report/summary_text.h"

namespace coterie {
namespace {

constexpr std::size_t kMostEvents = 200;
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

std::string tiles(const RunSummary& s, const ClusterMatrix& matrix) {
  std::string html;
  if (std::isfinite(s.accuracy)) {
    html += html_tile("Accuracy", percent_text(s.accuracy, 1) + " %",
                      fmt::format("worst client {}", percent_text(s.accuracy_min, 1)));
  }
  if (std::isfinite(s.test_accuracy)) {
    html += html_tile("Test accuracy", percent_text(s.test_accuracy, 1) + " %", "on unseen data");
  }
  if (s.one_sided() && std::isfinite(s.auc)) {
    html += html_tile("AUC", fmt::format("{:.3f}", s.auc),
                      fmt::format("most frequent class {} %", percent_text(s.majority, 1)));
  }
  if (s.has_targets()) {
    html += html_tile("RMSE", number_text(s.rmse), "worst client " + number_text(s.rmse_worst));
    if (std::isfinite(s.r2)) html += html_tile("R²", three_digits_text(s.r2), "of the targets' variance");
  } else if (!std::isfinite(s.accuracy)) {
    html += html_tile("Loss", number_text(s.loss),
                      std::isfinite(s.test_loss) ? "test " + number_text(s.test_loss) : std::string());
  }
  if (std::isfinite(s.parameter_error)) {
    html += html_tile("Parameter error", number_text(s.parameter_error), "largest, to the true ones");
  }
  if (matrix.has_truth() || matrix.has_found()) {
    html += html_tile(
        "Clusters found", std::to_string(matrix.filled()),
        matrix.has_truth() ? fmt::format("{} true ones", matrix.truth.size()) : matrix.sizes_text());
  }
  if (matrix.has_truth() && std::isfinite(s.ari)) {
    html += html_tile("Agreement (ARI)", fmt::format("{:.3f}", s.ari),
                      percent_text(s.cluster_accuracy, 1) + " % of clients right");
  }
  html += html_tile("Clients", number_text(s.clients), counted_text(s.rounds, "round"));
  html += html_tile("Traffic", bytes_text(s.bytes_up + s.bytes_down),
                    fmt::format("{} up, {} down", bytes_text(s.bytes_up), bytes_text(s.bytes_down)));
  html += html_tile("Time", seconds_text(s.seconds), seconds_text(s.seconds_per_round) + " a round");
  return html_tiles(html);
}

std::string charts(const RunRecord& run) {
  std::string html;
  for (const NamedChart& chart : run_charts(run))
    html += html_card(chart.title, line_chart(chart.curves, chart.frame));
  return html_pair(html);
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
  return wide ? html : html_pair(html);
}

std::string cluster_tables(const ClusterMatrix& matrix) {
  ClusterMatrix shown = matrix.shortened(32, 32);
  std::string html;
  if (!shown.found.empty()) html += html_card("Found clusters", score_table(shown.found));
  if (shown.truth.size() > 1) html += html_card("True clusters", score_table(shown.truth));
  return html_pair(html);
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

std::string events_card(const std::vector<EventLine>& events, const std::vector<ClientRow>& clients) {
  std::map<std::uint32_t, std::string> names;
  for (const ClientRow& client : clients) names[client.id] = client.name;
  if (events.empty()) return html_card("Events", "<p class=\"note\">None.</p>\n");
  TextTable table;
  table.column("round", Align::right);
  table.column("kind");
  table.column("client");
  table.column("what");
  for (std::size_t i = 0; i < std::min(events.size(), kMostEvents); ++i) {
    const EventLine& e = events[i];
    std::string text = e.text;
    for (const auto& [name, value] : e.numbers) {
      // What the text says already is not said twice; the steps of a path are for programs to read.
      if (name.starts_with("path_")) continue;
      if (text.find(name) == std::string::npos) text += fmt::format("; {} = {}", name, number_text(value));
    }
    std::string who = e.client ? names[*e.client] : "";
    if (e.client && who.empty()) who = std::to_string(*e.client);
    table.row({std::to_string(e.round), e.kind, shortened(who, 40), text});
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
  constexpr std::size_t kFew = 12;
  const std::string title = "Pages of the runs, with their clusters";
  if (html.empty()) return "";
  if (listed <= kFew) return html_card(title, "<p>" + html + "</p>\n");
  return "<section class=\"card\">\n" + html_fold(title, "<p>" + html + "</p>\n") + "</section>\n";
}

}  // namespace

std::string write_report(const std::string& folder) {
  const RunFacts facts = read_facts(folder);
  const RunRecord& run = facts.run;
  std::string body;
  if (run.summary.diverged())
    body += html_card("Diverged", "<p>" + escape_html(verdict_text(run, facts.events)) + "</p>\n");
  // Two small cards beside the map, which is high.
  const std::string losses = losses_card(facts);
  const bool wide = facts.losses.of_clients;
  const std::string small = class_mix_card(facts) + (wide ? "" : losses);
  body += tiles(run.summary, facts.matrix) +
          clusters(facts.matrix, facts.clients, grouping_text(facts.events)) +
          html_pair(apart_cards(facts) + map_card(facts) +
                    (small.empty() ? "" : "<div class=\"stack\">\n" + small + "</div>\n")) +
          (wide ? losses : "") + gains_card(facts) + members_card(facts) + split_tree_card(facts) +
          charts(run) + metrics_card(run.summary, facts.clients) + cluster_tables(facts.matrix) +
          events_card(facts.events, facts.clients) + config_card(run.config);
  std::string path = (std::filesystem::path(folder) / "report.html").string();
  std::string line = headline(run);
  write_page(path, html_page(run.title(), line.substr(run.title().size() + 2), body));
  return path;
}

void renew_reports(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (sibling_gains(read_run(folder)).any()) write_report(folder);
  }
}

void write_comparison(const std::vector<std::string>& folders, const std::string& out,
                      const std::vector<std::string>& unfinished) {
  std::vector<RunRecord> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  Comparison comparison = compare(runs);
  const auto& groups = comparison.groups.groups;
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
  std::string curves;
  for (const NamedChart& chart : comparison_charts(runs, comparison.groups))
    curves += html_card(chart.title, line_chart(chart.curves, chart.frame));
  body += html_pair(curves);
  const bool repeats =
      std::any_of(groups.begin(), groups.end(), [](const RunGroup& group) { return group.runs.size() > 1; });
  if (repeats && !curves.empty())
    body += html_note(
        "Lines: the mean over the runs of an experiment. Bands: from its lowest to its highest run.");
  if (groups.size() > kMostCurves) {
    body += html_note(fmt::format("Curves of the first {} of {} experiments.", kMostCurves, groups.size()));
  }
  bool one_name = std::all_of(runs.begin(), runs.end(),
                              [&](const RunRecord& run) { return run.title() == runs.front().title(); });
  std::string title = one_name && !runs.empty() ? runs.front().title() : "Comparison";
  write_page(
      out,
      html_page(title, counted(runs.size(), "run") + " of " + counted(groups.size(), "experiment"), body));
}

}  // namespace coterie
