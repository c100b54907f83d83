#include "report/data_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/text.h"
#include "report/csv_rows.h"
#include "report/heat_table.h"
#include "report/html_page.h"
#include "report/number_text.h"
#include "report/scatter.h"

namespace coterie {
namespace {

constexpr std::size_t kMostShownColumns = 20;
constexpr std::size_t kMostTold = 40;
constexpr std::size_t kMostPageRows = 1000;

double sum_of(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

// The columns that are shown: the largest, the others as one at the end.
struct Folded {
  std::vector<std::string> names;
  std::vector<std::size_t> place;  // of each column

  explicit Folded(const DataView& view) {
    const std::size_t count = view.columns.size();
    std::vector<double> totals(count, 0.0);
    for (const DataView::Client& client : view.clients) {
      for (std::size_t c = 0; c < client.counts.size(); ++c) totals[c] += client.counts[c];
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    place.assign(count, 0);
    if (count > kMostShownColumns) {
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
      order.resize(kMostShownColumns);
      std::sort(order.begin(), order.end());
      place.assign(count, kMostShownColumns);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      names.push_back(view.columns[order[i]]);
    }
    if (count > order.size()) names.push_back(fmt::format("{} others", count - order.size()));
  }
  std::vector<double> of(const std::vector<double>& counts) const {
    std::vector<double> out(names.size(), 0.0);
    for (std::size_t c = 0; c < counts.size(); ++c) out[place[c]] += counts[c];
    return out;
  }
};

struct Totals {
  std::size_t training = 0;
  std::size_t unseen = 0;
  std::vector<double> rows;    // of each client, over all parts
  std::vector<double> counts;  // training rows by column

  explicit Totals(const DataView& view) : counts(view.columns.size(), 0.0) {
    for (const DataView::Client& client : view.clients) {
      (client.role == Role::train ? training : unseen) += 1;
      rows.push_back(double(client.info.train) + client.info.validation + client.info.test);
      for (std::size_t c = 0; c < client.counts.size(); ++c) counts[c] += client.counts[c];
    }
    std::sort(rows.begin(), rows.end());
  }
  std::string rows_text() const {
    if (rows.empty()) return "no rows";
    return fmt::format("{}: least {}, median {}, most {} a client", counted_text(sum_of(rows), "row"),
                       number_text(rows.front()), number_text(median_of(rows)), number_text(rows.back()));
  }
};

bool has_truth(const DataView& view) { return view.truth_names.size() > 1; }

std::string truth_of(const DataView& view, const DataView::Client& client) {
  return client.info.truth < view.truth_names.size() ? view.truth_names[client.info.truth] : "";
}

// "rotate 90; noise", less what the true cluster says already.
std::string shifts_of(const DataView& view, const DataView::Client& client) {
  const std::string text = join(client.shifts, "; ");
  return has_truth(view) && text == truth_of(view, client) ? "" : text;
}

std::string headline_of(const DataView& view, const Totals& totals) {
  std::string text =
      fmt::format("{} on {}: {}", view.task == Task::classification ? "classification" : "regression",
                  view.source, counted(totals.training, "client"));
  if (totals.unseen > 0) text += " and " + counted(totals.unseen, "unseen one");
  return text + fmt::format(", {}, {}", counted(view.width, "feature"), totals.rows_text());
}

// The largest share of a client's rows that is in one column.
double largest_share(const DataView& view, const Folded& folded) {
  double most = 0;
  for (const DataView::Client& client : view.clients) {
    const std::vector<double> counts = folded.of(client.counts);
    for (const double count : counts) most = std::max(most, count / std::max(1.0, sum_of(counts)));
  }
  return most;
}

// A bar for each column; a whole one is a share of `most`.
std::string bars(const std::vector<double>& counts, double most) {
  static const char* const kBars[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double total = sum_of(counts);
  std::string text;
  for (const double count : counts) {
    const double share = total > 0 && most > 0 ? count / total / most : 0;
    const auto eighths = static_cast<std::size_t>(std::ceil(8 * share - 1e-9));
    text += kBars[count > 0 ? std::clamp<std::size_t>(eighths, 1, 8) : 0];
  }
  return text;
}

}  // namespace

std::string data_text(const DataView& view, Marks marks) {
  constexpr std::size_t kNameWidth = 28;
  const Totals totals(view);
  const Folded folded(view);
  std::string text = view.name + ": " + headline_of(view, totals) + "\n\n";
  TextTable columns;
  columns.column(view.target.empty() ? (view.task == Task::classification ? "class" : "target")
                                     : view.target);
  columns.column("rows", Align::right);
  columns.column("share %", Align::right);
  columns.column("");
  const std::vector<double> all = folded.of(totals.counts);
  const double most = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  for (std::size_t c = 0; c < all.size(); ++c) {
    std::string bar;
    for (int i = 0; most > 0 && i < std::lround(20 * all[c] / most); ++i) bar += "█";
    columns.row({shortened_name(folded.names[c], kNameWidth), number_text(all[c]),
                 percent_text(sum_of(all) > 0 ? all[c] / sum_of(all) : kAbsent, 1), bar});
  }
  text += columns.text(marks) + "\n";
  TextTable table;
  table.column("client");
  table.column("train", Align::right);
  table.column("held out", Align::right);
  const bool truth = has_truth(view);
  const bool shifts = std::any_of(view.clients.begin(), view.clients.end(),
                                  [&](const auto& one) { return !shifts_of(view, one).empty(); });
  if (truth) table.column("true cluster");
  if (shifts) table.column("shifts");
  table.column(view.task == Task::classification ? "classes" : "target, low to high");
  const double most_in_one = largest_share(view, folded);
  for (std::size_t i = 0; i < std::min(view.clients.size(), kMostTold); ++i) {
    const DataView::Client& client = view.clients[i];
    std::vector<Cell> cells = {
        shortened_name(client.called(), kNameWidth) + (client.role == Role::unseen ? " (unseen)" : ""),
        std::to_string(client.info.train), std::to_string(client.info.validation + client.info.test)};
    if (truth) cells.emplace_back(shortened(truth_of(view, client), kNameWidth));
    if (shifts) cells.emplace_back(shortened(shifts_of(view, client), kNameWidth));
    cells.emplace_back(bars(folded.of(client.counts), most_in_one));
    table.row(std::move(cells));
  }
  text += table.text(marks);
  if (view.clients.size() > kMostTold)
    text += fmt::format("and {} more; --html FILE shows them\n", view.clients.size() - kMostTold);
  for (const std::string& note : view.notes) text += "\nnote: " + note + "\n";
  return text;
}

std::string data_page(const DataView& view) {
  const Totals totals(view);
  const Folded folded(view);
  const std::string unit = view.task == Task::classification ? "class" : "range of the target";
  std::string tiles = html_tile("Clients", std::to_string(totals.training),
                                totals.unseen > 0 ? counted(totals.unseen, "unseen one") : "");
  tiles += html_tile(
      "Rows", number_text(sum_of(totals.rows)),
      fmt::format("least {}, most {} a client", number_text(totals.rows.empty() ? 0 : totals.rows.front()),
                  number_text(totals.rows.empty() ? 0 : totals.rows.back())));
  tiles += html_tile("Features", std::to_string(view.width));
  if (view.task == Task::classification) tiles += html_tile("Classes", std::to_string(view.columns.size()));
  if (has_truth(view)) tiles += html_tile("True clusters", std::to_string(view.truth_names.size()));

  // Shares within each client, or within each true cluster.
  HeatTable each;
  each.small = true;
  each.corner = "client";
  each.columns = {{"train"}, {"held out"}};
  const bool shifts = std::any_of(view.clients.begin(), view.clients.end(),
                                  [&](const auto& one) { return !shifts_of(view, one).empty(); });
  if (has_truth(view)) each.columns.push_back({"true cluster"});
  if (shifts) each.columns.push_back({"shifts"});
  const std::size_t before = each.columns.size();
  for (const std::string& name : folded.names) each.columns.push_back({name});
  const auto add_shares = [&](const std::string& who, const std::vector<double>& counts,
                              std::vector<HeatCell>& cells) {
    const double total = sum_of(counts);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const double share = total > 0 ? counts[c] / total : 0;
      cells.push_back({number_text(counts[c]), share,
                       fmt::format("{}: {} of {} training rows are {} ({} %)", who, number_text(counts[c]),
                                   number_text(total), folded.names[c], percent_text(share, 1)),
                       counts[c] == 0});
    }
  };
  std::map<std::uint32_t, std::vector<double>> by_truth;
  std::map<std::uint32_t, std::size_t> members;
  for (std::size_t i = 0; i < view.clients.size(); ++i) {
    const DataView::Client& client = view.clients[i];
    if (client.role == Role::train) {
      auto& own = by_truth[client.info.truth];
      own.resize(folded.names.size(), 0.0);
      const std::vector<double> counts = folded.of(client.counts);
      for (std::size_t c = 0; c < counts.size(); ++c) own[c] += counts[c];
      ++members[client.info.truth];
    }
    if (i >= kMostPageRows) continue;
    HeatTable::Name name{client.called() + (client.role == Role::unseen ? " (unseen)" : "")};
    if (has_truth(view)) name.cluster = client.info.truth;
    each.rows.push_back(std::move(name));
    std::vector<HeatCell>& cells = each.cells.emplace_back();
    cells.push_back({std::to_string(client.info.train)});
    cells.push_back({std::to_string(client.info.validation + client.info.test)});
    if (has_truth(view)) cells.push_back({truth_of(view, client)});
    if (shifts) cells.push_back({shifts_of(view, client)});
    add_shares(client.called(), folded.of(client.counts), cells);
  }

  HeatTable whole;
  whole.corner = has_truth(view) ? "true cluster" : "";
  whole.columns.assign(each.columns.begin() + static_cast<std::ptrdiff_t>(before), each.columns.end());
  whole.columns.insert(whole.columns.begin(), {"clients"});
  for (const auto& [truth, counts] : by_truth) {
    HeatTable::Name name{has_truth(view) && truth < view.truth_names.size() ? view.truth_names[truth]
                                                                            : "all"};
    if (has_truth(view)) name.cluster = truth;
    whole.rows.push_back(name);
    std::vector<HeatCell>& cells = whole.cells.emplace_back();
    cells.push_back({std::to_string(members[truth])});
    add_shares(name.text, counts, cells);
  }

  std::string body = html_tiles(tiles);
  for (const std::string& note : view.notes)
    body += "<div class=\"before\">" + html_note(note + ".") + "</div>\n";
  body +=
      html_card(has_truth(view) ? "Rows by true cluster and " + unit : "Rows by " + unit, html_heat(whole));
  SpotLine line{"clients", {}};
  for (std::size_t i = 0; i < std::min(view.clients.size(), kMostPageRows); ++i) {
    const DataView::Client& client = view.clients[i];
    const double rows = double(client.info.train) + client.info.validation + client.info.test;
    line.spots.push_back({rows, 0, has_truth(view) ? client.info.truth : 0u, "",
                          client.called() + ": " + counted_text(rows, "row")});
  }
  if (totals.rows.size() > 1 && totals.rows.front() < totals.rows.back())
    body += html_card("Rows of each client", spot_lines({line}, "rows"));
  std::string note = "Training rows; the stronger the colour, the larger the share of the client's rows.";
  if (view.clients.size() > kMostPageRows)
    note += fmt::format(" The first {} of {} clients.", kMostPageRows, view.clients.size());
  body += html_card("Who holds what", html_heat(each) + html_note(note));
  return html_page(view.name, "the data, before anything is run: " + headline_of(view, totals), body);
}

}  // namespace coterie
