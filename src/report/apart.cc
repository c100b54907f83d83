#include "report/apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/heat_table.h"
#include "report/html_page.h"
#include "report/number_text.h"

namespace coterie {
namespace {

constexpr std::size_t kMostClusters = 12;
constexpr std::size_t kFirst = 12;  // rows that are not folded away
constexpr std::size_t kMostLines = 200;

// One row to be, and how much clusters differ in it.
struct Line {
  std::string name;
  double difference = 0;
  std::vector<HeatCell> cells;
};

// The clusters that are shown: the largest, in the order of the matrix.
struct Shown {
  std::vector<std::uint32_t> ids;
  std::vector<double> weights;  // their training rows
  std::size_t left_out = 0;
};

Shown shown_clusters(const RunFacts& facts) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < facts.matrix.found.size() && k < facts.matrix.found_ids.size(); ++k) {
    if (facts.matrix.found[k].clients > 0) places.push_back(k);
  }
  Shown shown;
  if (places.size() > kMostClusters) {
    shown.left_out = places.size() - kMostClusters;
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return facts.matrix.found[a].clients > facts.matrix.found[b].clients;
    });
    places.resize(kMostClusters);
    std::sort(places.begin(), places.end());
  }
  for (const std::size_t k : places) {
    shown.ids.push_back(facts.matrix.found_ids[k]);
    shown.weights.push_back(std::max(1.0, facts.matrix.found[k].samples));
  }
  return shown;
}

// Of values with weights, leaving out those that are not finite: their deviation.
double weighted_deviation(const std::vector<double>& values, const std::vector<double>& weights) {
  double total = 0, mean = 0, square = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    total += weights[k];
    mean += weights[k] * values[k];
  }
  if (!(total > 0)) return 0;
  mean /= total;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) square += weights[k] * (values[k] - mean) * (values[k] - mean);
  }
  return std::sqrt(square / total);
}

std::vector<double> picked(const std::vector<double>& all, const Shown& shown) {
  std::vector<double> out;
  for (const std::uint32_t k : shown.ids) out.push_back(k < all.size() ? all[k] : kAbsent);
  return out;
}

// The lines that differ most, the others folded away.
std::string table_of(std::vector<Line> lines, const Shown& shown, const std::string& corner) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.difference > b.difference; });
  const auto part = [&](std::size_t from, std::size_t to) {
    HeatTable table;
    table.small = true;
    table.corner = corner;
    for (const std::uint32_t k : shown.ids) table.columns.push_back({cluster_name(k), k});
    for (std::size_t i = from; i < std::min(to, lines.size()); ++i) {
      table.rows.push_back({lines[i].name});
      table.cells.push_back(lines[i].cells);
    }
    return html_heat(table);
  };
  // A fold for one line more would be a nuisance.
  const std::size_t first = lines.size() <= kFirst + 3 ? lines.size() : kFirst;
  std::string html = part(0, first);
  if (lines.size() > first) {
    html += html_fold(escape_html(fmt::format("{} more", lines.size() - first)), part(first, kMostLines));
  }
  if (lines.size() > kMostLines)
    html += html_note(fmt::format("The first {} of {}.", kMostLines, lines.size()));
  if (shown.left_out > 0)
    html += html_note(
        fmt::format("The {} largest clusters; {} are not shown.", shown.ids.size(), shown.left_out));
  return html;
}

std::string means_card(const RunFacts& facts, const Shown& shown) {
  std::vector<Line> lines;
  for (const ColumnFacts& column : facts.means) {
    const std::vector<double> means = picked(column.means, shown);
    Line line{column.name.text() + (column.target ? " (the target)" : ""), 0, {}};
    const double unit = column.deviation > 0 ? column.deviation : 1;
    line.difference = weighted_deviation(means, shown.weights) / unit;
    for (std::size_t k = 0; k < means.size(); ++k) {
      const double above = (means[k] - column.mean) / unit;
      const std::string text = column.name.value ? percent_text(means[k], 0) + " %" : number_text(means[k]);
      line.cells.push_back(
          {text, std::isfinite(above) ? above : 0,
           fmt::format("{} in {}: {}; all clients {}; {:+.2f} deviations", column.name.text(),
                       cluster_name(shown.ids[k]), text,
                       column.name.value ? percent_text(column.mean, 0) + " %" : number_text(column.mean),
                       above)});
    }
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return "";
  return html_card("What clients of a cluster have: means of columns",
                   table_of(std::move(lines), shown, "column") +
                       html_note("Means over training rows, shares for values of text. First what differs "
                                 "most, in deviations of the column: blue above the mean of all rows, orange "
                                 "below; the full colour is one deviation."));
}

std::string coefficients_card(const RunFacts& facts, const Shown& shown) {
  std::vector<Line> lines;
  double largest = 0;
  for (const Coefficient& one : facts.coefficients) {
    if (one.intercept) continue;
    for (const double value : picked(one.values, shown)) largest = std::fmax(largest, std::abs(value));
  }
  const bool regression = facts.columns.classes.empty();
  for (const Coefficient& one : facts.coefficients) {
    const std::vector<double> values = picked(one.values, shown);
    Line line{one.feature + (one.outcome.empty() ? "" : ", for " + one.outcome), 0, {}};
    line.difference = weighted_deviation(values, shown.weights);
    for (const double value : values) {
      // The intercept of a regression is of another size than its slopes.
      const double share = one.intercept && regression ? 0 : largest > 0 ? value / largest : 0;
      line.cells.push_back({std::isfinite(value) ? fmt::format("{:+.3g}", value) : "–", share});
    }
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return "";
  const std::vector<std::string>& classes = facts.columns.classes;
  std::string what =
      regression
          ? fmt::format("How much {} rises when a column rises by one deviation.", facts.columns.target)
      : classes.size() == 2
          ? fmt::format("How much the log-odds of {} = {} rise when a column rises by one deviation.",
                        facts.columns.target, classes[1])
          : fmt::format(
                "How much the score of a class of {} rises, against the mean of all classes, when a "
                "column rises by one deviation.",
                facts.columns.target);
  const bool texts = std::any_of(facts.columns.features.begin(), facts.columns.features.end(),
                                 [](const ColumnName& one) { return one.value.has_value(); });
  const bool centred = std::any_of(facts.coefficients.begin(), facts.coefficients.end(),
                                   [](const Coefficient& one) { return one.intercept; });
  if (texts)
    what += centred ? " For values of text: against the mean over the values of that column."
                    : " For values of text: when it is that value.";
  return html_card("What their models say: coefficients",
                   table_of(std::move(lines), shown, "column") +
                       html_note(what + " First what differs most between clusters."));
}

std::string classes_card(const RunFacts& facts, const Shown& shown) {
  std::map<std::uint32_t, std::vector<double>> counts;
  std::size_t classes = 0;
  for (const ClientRow& client : facts.clients) {
    if (client.role != "train" || !client.cluster || client.labels.empty()) continue;
    classes = std::max(classes, client.labels.size());
    auto& own = counts[*client.cluster];
    own.resize(std::max(own.size(), client.labels.size()), 0.0);
    for (std::size_t c = 0; c < client.labels.size(); ++c) own[c] += client.labels[c];
  }
  if (classes < 2) return "";
  std::vector<Line> lines;
  for (std::size_t c = 0; c < classes; ++c) {
    std::vector<double> shares;
    Line line{
        c < facts.columns.classes.size() ? facts.columns.classes[c] : fmt::format("class {}", c), 0, {}};
    for (const std::uint32_t k : shown.ids) {
      double total = 0;
      for (const double count : counts[k]) total += count;
      shares.push_back(total > 0 ? counts[k][c] / total : kAbsent);
      line.cells.push_back(
          {percent_text(shares.back(), 0) + " %", std::isfinite(shares.back()) ? shares.back() : 0,
           fmt::format("{}: {} of {} training rows", cluster_name(shown.ids[shares.size() - 1]),
                       number_text(total > 0 ? counts[k][c] : 0), number_text(total))});
    }
    line.difference = weighted_deviation(shares, shown.weights);
    lines.push_back(std::move(line));
  }
  return html_card(
      "What clients of a cluster have: classes",
      table_of(std::move(lines), shown, facts.columns.target.empty() ? "class" : facts.columns.target) +
          html_note("Shares of each cluster's training rows. First the class in which clusters "
                    "differ most."));
}

}  // namespace

std::string apart_cards(const RunFacts& facts) {
  const Shown shown = shown_clusters(facts);
  return shown.ids.size() < 2 ? "" : coefficients_card(facts, shown) + means_card(facts, shown);
}

std::string class_mix_card(const RunFacts& facts) {
  const Shown shown = shown_clusters(facts);
  return shown.ids.size() < 2 ? "" : classes_card(facts, shown);
}

}  // namespace coterie
