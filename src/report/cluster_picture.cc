#include "report/cluster_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/chart.h"
#include "report/html_page.h"
#include "report/number_text.h"

namespace coterie {
namespace {

constexpr std::size_t kMostFound = 32;
constexpr std::size_t kMostTruth = 16;
constexpr std::size_t kMostClientDots = 1500;

std::string key(std::uint32_t cluster) {
  return fmt::format(R"(<i class="key {}"></i>)", colour_class(cluster));
}

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

std::string dot(std::uint32_t cluster, const std::string& title) {
  return fmt::format(R"(<i class="dot {}" title="{}"></i>)", colour_class(cluster), escape_html(title));
}

// Dots of one true cluster, by found cluster.
using Band = std::map<std::uint32_t, std::vector<const ClientRow*>>;

std::string band_dots(const Band& band, std::size_t clients_per_dot) {
  std::vector<std::pair<std::uint32_t, std::vector<const ClientRow*>>> largest_first(band.begin(),
                                                                                     band.end());
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string html = R"(<div class="dots">)";
  for (const auto& [cluster, members] : largest_first) {
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
  ClusterMatrix matrix = full.shortened(kMostFound, kMostTruth);
  std::string html = "<div class=\"scroll\"><table class=\"heat\">\n<thead><tr><th></th>";
  for (const GroupScore& truth : matrix.truth)
    html += "<th scope=\"col\">" + escape_html(truth.name) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t f = 0; f < matrix.found.size(); ++f) {
    std::string mark = f < matrix.found_ids.size() ? key(matrix.found_ids[f]) : "";
    html += "<tr><th scope=\"row\">" + mark + escape_html(matrix.found[f].name) + "</th>";
    for (std::size_t t = 0; t < matrix.truth.size(); ++t) {
      double count = matrix.counts[f][t];
      double share = matrix.truth[t].clients > 0 ? count / matrix.truth[t].clients : 0;
      std::string title = fmt::format("{} of {} of {} {} in {}", number_text(count),
                                      counted_text(matrix.truth[t].clients, "client"), matrix.truth[t].name,
                                      count == 1 ? "is" : "are", matrix.found[f].name);
      const char* look = count == 0 ? " class=\"none\"" : share > 0.7 ? " class=\"full\"" : "";
      html += fmt::format(R"(<td{} style="--share:{:.3f}" title="{}">{}</td>)", look, share,
                          escape_html(title), number_text(count));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string client_dots(const ClusterMatrix& matrix, const std::vector<ClientRow>& clients) {
  if (matrix.found.empty()) return "";
  std::map<std::uint32_t, Band> bands;  // by true cluster; all in one when it is unknown
  std::map<std::uint32_t, std::string> names;
  std::size_t shown = 0;
  for (const ClientRow& client : clients) {
    if (client.role != "train" || !client.cluster) continue;
    std::uint32_t truth = client.truth.value_or(0);
    bands[truth][*client.cluster].push_back(&client);
    names[truth] = client.truth_name;
    ++shown;
  }
  if (shown == 0) return "";
  std::size_t clients_per_dot = (shown + kMostClientDots - 1) / kMostClientDots;

  std::string html = R"(<div class="legend">)";
  for (std::size_t i = 0; i < std::min(matrix.found_ids.size(), kMostFound); ++i) {
    html += "<span>" + key(matrix.found_ids[i]) + escape_html(matrix.found[i].name) + "</span>";
  }
  html += "</div>\n<div class=\"bands\">\n";
  for (const auto& [truth, band] : bands) {
    std::size_t count = 0;
    for (const auto& [cluster, members] : band) count += members.size();
    std::string name = names[truth].empty() || bands.size() == 1 ? "clients" : names[truth];
    html += fmt::format("<div class=\"name\">{}<small>{}</small></div>", escape_html(name), count);
    html += band_dots(band, clients_per_dot);
  }
  html += "</div>\n";
  if (clients_per_dot > 1)
    html += fmt::format("<p class=\"note\">A dot stands for {} clients.</p>\n", clients_per_dot);
  return html;
}

}  // namespace coterie
