#include "report/cluster_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/chart.h"
#include "report/heat_table.h"
#include "report/html_page.h"
#include "report/number_text.h"
#include "report/table.h"

namespace coterie {
namespace {

constexpr std::size_t kMostFound = 32;
constexpr std::size_t kMostTruth = 16;
constexpr std::size_t kMostClientDots = 1500;
constexpr std::size_t kMostChips = 60;

std::string dot_title(const ClientRow& client) {
  std::string who = fmt::format("client {}", client.id);
  if (!client.name.empty()) who = client.name + " (" + who + ")";
  std::string title = fmt::format("{}: cluster {}", who, *client.cluster);
  if (client.weight < 1) title += fmt::format(" (weight {})", number_text(client.weight));
  if (std::isfinite(client.accuracy)) {
    title += fmt::format(", accuracy {} %", percent_text(client.accuracy));
  } else if (std::isfinite(client.rmse)) {
    title += fmt::format(", rmse {}", number_text(client.rmse));
  } else if (std::isfinite(client.loss)) {
    title += fmt::format(", loss {}", number_text(client.loss));
  }
  return title + ", " + counted_text(client.samples, "sample");
}

// A dot and the client's name.
std::string chip(const ClientRow& client) {
  constexpr std::size_t kNameWidth = 40;
  return fmt::format(R"(<span><i class="dot {}" title="{}"></i> {}</span>)", colour_class(*client.cluster),
                     escape_html(dot_title(client)),
                     escape_html(shortened_name(client.called(), kNameWidth)));
}

std::string dot(std::uint32_t cluster, const std::string& title) {
  return fmt::format(R"(<i class="dot {}" title="{}"></i>)", colour_class(cluster), escape_html(title));
}

// Dots of one true cluster, by found cluster.
using Band = std::map<std::uint32_t, std::vector<const ClientRow*>>;

std::string band_dots(const Band& band, std::size_t clients_per_dot, bool named) {
  std::vector<std::pair<std::uint32_t, std::vector<const ClientRow*>>> largest_first(band.begin(),
                                                                                     band.end());
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string html = named ? R"(<div class="chips">)" : R"(<div class="dots">)";
  for (const auto& [cluster, members] : largest_first) {
    if (named) {
      for (const ClientRow* client : members) html += chip(*client);
      continue;
    }
    if (clients_per_dot == 1) {
      for (const ClientRow* client : members) html += dot(cluster, dot_title(*client));
      continue;
    }
    std::string title = fmt::format("cluster {}: {}", cluster, counted(members.size(), "client"));
    for (std::size_t i = 0; i < members.size(); i += clients_per_dot) html += dot(cluster, title);
  }
  return html + "</div>\n";
}

}  // namespace

std::string heat_map(const ClusterMatrix& full) {
  if (!full.has_truth()) return "";
  const ClusterMatrix matrix = full.shortened(kMostFound, kMostTruth);
  HeatTable table;
  for (const GroupScore& truth : matrix.truth) table.columns.push_back({truth.name});
  for (std::size_t f = 0; f < matrix.found.size(); ++f) {
    table.rows.push_back({matrix.found[f].name});
    if (f < matrix.found_ids.size()) table.rows.back().cluster = matrix.found_ids[f];
    auto& cells = table.cells.emplace_back();
    for (std::size_t t = 0; t < matrix.truth.size(); ++t) {
      const double count = matrix.counts[f][t];
      const double share = matrix.truth[t].clients > 0 ? count / matrix.truth[t].clients : 0;
      const std::string title = fmt::format(
          "{} of {} of {} {} in {}", number_text(count), counted_text(matrix.truth[t].clients, "client"),
          matrix.truth[t].name, count == 1 ? "is" : "are", matrix.found[f].name);
      cells.push_back({number_text(count), share, title, count == 0});
    }
  }
  return html_heat(table);
}

std::string client_dots(const ClusterMatrix& matrix, const std::vector<ClientRow>& clients) {
  if (matrix.found.empty()) return "";
  std::map<std::uint32_t, Band> bands;  // by true cluster; all in one when it is unknown
  std::map<std::uint32_t, std::string> names;
  std::size_t shown = 0;
  std::size_t with_name = 0;
  for (const ClientRow& client : clients) {
    if (client.role != "train" || !client.cluster) continue;
    std::uint32_t truth = client.truth.value_or(0);
    bands[truth][*client.cluster].push_back(&client);
    names[truth] = client.truth_name;
    ++shown;
    with_name += client.name.empty() ? 0 : 1;
  }
  if (shown == 0) return "";
  const bool named = with_name > 0 && shown <= kMostChips;
  std::size_t clients_per_dot = (shown + kMostClientDots - 1) / kMostClientDots;

  std::string html = R"(<div class="legend">)";
  for (std::size_t i = 0; i < std::min(matrix.found_ids.size(), kMostFound); ++i) {
    html += "<span>" + colour_key(matrix.found_ids[i]) + escape_html(matrix.found[i].name) + "</span>";
  }
  html += "</div>\n<div class=\"bands\">\n";
  for (const auto& [truth, band] : bands) {
    std::size_t count = 0;
    for (const auto& [cluster, members] : band) count += members.size();
    std::string name = names[truth].empty() || bands.size() == 1 ? "clients" : names[truth];
    html += fmt::format("<div class=\"name\">{}<small>{}</small></div>", escape_html(name), count);
    html += band_dots(band, clients_per_dot, named);
  }
  html += "</div>\n";
  if (clients_per_dot > 1)
    html += fmt::format("<p class=\"note\">A dot stands for {} clients.</p>\n", clients_per_dot);
  return html;
}

}  // namespace coterie
