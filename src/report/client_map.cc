#include "report/client_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/scaling.h"
#include "report/heat_table.h"
#include "report/html_page.h"
#include "report/number_text.h"
#include "report/scatter.h"

namespace coterie {
namespace {

constexpr std::size_t kMostMapSpots = 1000;
constexpr std::size_t kMostLossRows = 400;  // of the matrix of losses
constexpr std::size_t kMostOpenRows = 16;
constexpr std::size_t kMostColumns = 8;  // of a table with numbers

// Losses below this are as good as none.
double log_loss(double loss) { return std::log(std::max(loss, 1e-9)); }

using RowsById = std::map<std::uint32_t, const ClientRow*>;

RowsById training_clients(const RunFacts& facts) {
  RowsById rows;
  for (const ClientRow& client : facts.clients) {
    if (client.role == "train") rows[client.id] = &client;
  }
  return rows;
}

// Without the models of clusters that nobody is in: what nobody chose says little about those who did not.
LossTable with_clients(const RunFacts& facts) {
  const std::vector<std::uint32_t> filled = facts.filled();
  const LossTable& all = facts.losses;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < all.models.size(); ++k) {
    if (all.of_clients || std::find(filled.begin(), filled.end(), all.models[k]) != filled.end())
      kept.push_back(k);
  }
  LossTable some;
  some.of_clients = all.of_clients;
  for (const std::size_t k : kept) some.models.push_back(all.models[k]);
  for (const LossTable::Row& row : all.rows) {
    LossTable::Row& own = some.rows.emplace_back(LossTable::Row{row.client, row.name, {}});
    for (const std::size_t k : kept) own.losses.push_back(row.losses[k]);
  }
  return some;
}

bool whole(const LossTable::Row& row) {
  return std::all_of(row.losses.begin(), row.losses.end(), [](double v) { return std::isfinite(v); });
}

// The rows without gaps, evenly chosen where there are too many.
std::vector<const LossTable::Row*> rows_for_map(const LossTable& losses) {
  std::vector<const LossTable::Row*> all;
  for (const LossTable::Row& row : losses.rows) {
    if (whole(row)) all.push_back(&row);
  }
  const std::size_t step = (all.size() + kMostMapSpots - 1) / kMostMapSpots;
  for (std::size_t i = 0; step > 1 && i * step < all.size(); ++i) all[i] = all[i * step];
  if (step > 1) all.resize((all.size() + step - 1) / step);
  return all;
}

// Client by client: by how much each is worse off with the other's model, the mean of both ways.
Vec exchange_places(const std::vector<const LossTable::Row*>& rows, const LossTable& losses) {
  std::vector<std::size_t> own;  // the column of each row's own model
  for (const LossTable::Row* row : rows) {
    const auto at = std::find(losses.models.begin(), losses.models.end(), row->client);
    if (at == losses.models.end()) return {};
    own.push_back(static_cast<std::size_t>(at - losses.models.begin()));
  }
  Vec squares(rows.size() * rows.size(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const double mine = rows[i]->losses[own[j]] - rows[i]->losses[own[i]];
      const double theirs = rows[j]->losses[own[i]] - rows[j]->losses[own[j]];
      if (i != j) squares[i * rows.size() + j] = std::max(0.0, mine + theirs) / 2;
    }
  }
  return classical_scaling(Matrix<const double>(squares.data(), rows.size(), rows.size()));
}

Vec profile_places(const std::vector<const LossTable::Row*>& rows, std::size_t models) {
  Vec points;
  for (const LossTable::Row* row : rows) {
    double mean = 0;
    for (const double loss : row->losses) mean += log_loss(loss) / static_cast<double>(models);
    for (const double loss : row->losses) points.push_back(log_loss(loss) - mean);
  }
  return main_axes(Matrix<const double>(points.data(), rows.size(), models));
}

std::string spot_title(const LossTable::Row& row, const LossTable& losses, const ClientRow* client,
                       bool clustered) {
  std::string title = row.called();
  if (clustered && client != nullptr && client->cluster) title += ", " + cluster_name(*client->cluster);
  if (losses.of_clients) return title;
  constexpr std::size_t kMostTold = 6;
  title += "; loss";
  for (std::size_t k = 0; k < std::min(kMostTold, row.losses.size()); ++k)
    title +=
        fmt::format("{} {} (cluster {})", k == 0 ? "" : ",", number_text(row.losses[k]), losses.models[k]);
  return title;
}

// Rows of clients with models of their own, so that those who do well with each other's are neighbours.
std::vector<const LossTable::Row*> along_first_axis(const LossTable& losses) {
  std::vector<const LossTable::Row*> rows = rows_for_map(losses);
  const Vec places = exchange_places(rows, losses);
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!places.empty()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return places[2 * a] < places[2 * b]; });
  }
  std::vector<const LossTable::Row*> sorted;
  for (const std::size_t i : order) sorted.push_back(rows[i]);
  return sorted;
}

// How near a loss is to the best of its row: 1 the best, 0 twice as large or more.
double nearness(double loss, double best) {
  if (!std::isfinite(loss)) return 0;
  if (!(best > 0)) return loss <= best ? 1 : 0;
  return std::clamp(2 - loss / best, 0.0, 1.0);
}

double least(const std::vector<double>& values) {
  double best = kAbsent;
  for (const double v : values) best = std::isfinite(v) ? std::fmin(best, v) : best;
  return best;
}

}  // namespace

std::string map_card(const RunFacts& facts) {
  const LossTable losses = with_clients(facts);
  const std::vector<const LossTable::Row*> rows = rows_for_map(losses);
  if (rows.size() < 3 || losses.models.size() < 2) return "";
  const bool pair = !losses.of_clients && losses.models.size() == 2;
  Vec places;
  if (pair) {
    for (const LossTable::Row* row : rows)
      places.insert(places.end(), row->losses.begin(), row->losses.end());
  } else {
    places = losses.of_clients ? exchange_places(rows, losses) : profile_places(rows, losses.models.size());
  }
  if (places.empty()) return "";
  const RowsById clients = training_clients(facts);
  const bool clustered = !facts.matrix.found.empty();
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto it = clients.find(rows[i]->client);
    const ClientRow* client = it == clients.end() ? nullptr : it->second;
    const std::size_t colour = clustered && client != nullptr && client->cluster ? *client->cluster : 0;
    spots.push_back({places[2 * i], places[2 * i + 1], colour, rows[i]->name,
                     spot_title(*rows[i], losses, client, clustered)});
  }
  ScatterFrame frame;
  std::string note;
  if (pair) {
    frame = {fmt::format("loss with the model of cluster {}", losses.models[0]),
             fmt::format("loss with the model of cluster {}", losses.models[1]), true, true};
    note = fmt::format(
        "Each client's loss, on rows it held out, with either model: above the line cluster {} fits better, "
        "below it cluster {}.",
        losses.models[0], losses.models[1]);
  } else if (losses.of_clients) {
    frame = {"first coordinate", "second coordinate"};
    note =
        "The more worse off two clients are with each other's models (loss on held-out rows), the farther "
        "apart they are: classical scaling, the best picture in two dimensions.";
  } else {
    frame = {"first main axis", "second main axis"};
    note =
        "Each client by its losses with all clusters' models on rows it held out (logarithms, less their "
        "mean), on their two main axes: clients that the same models fit are near each other.";
  }
  if (rows.size() < losses.rows.size() || losses.rows.size() < clients.size())
    note += fmt::format(" {} of {} clients are shown.", rows.size(), clients.size());
  return html_card("A map of the clients", scatter(spots, frame) + html_note(note));
}

std::string losses_card(const RunFacts& facts) {
  const LossTable& losses = facts.losses;
  if (losses.empty() || losses.models.size() < 2) return "";
  const RowsById clients = training_clients(facts);
  const bool clustered = !facts.matrix.found.empty();
  const auto cluster_of = [&](const LossTable::Row& row) -> std::optional<std::uint32_t> {
    const auto it = clients.find(row.client);
    return !clustered || it == clients.end() ? std::nullopt : it->second->cluster;
  };
  // Rows and, where models are clients' own, columns go by cluster: alike clients make blocks.
  const std::vector<std::uint32_t> order = facts.filled();
  const auto rank = [&](std::optional<std::uint32_t> cluster) {
    return cluster ? std::find(order.begin(), order.end(), *cluster) - order.begin()
                   : static_cast<std::ptrdiff_t>(order.size());
  };
  std::vector<const LossTable::Row*> rows;
  for (const LossTable::Row& row : losses.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return rank(cluster_of(*a)) < rank(cluster_of(*b)); });
  if (order.empty() && losses.of_clients) rows = along_first_axis(losses);
  std::vector<std::size_t> columns;
  const auto column_of = [&](std::uint32_t model) {
    const auto at = std::find(losses.models.begin(), losses.models.end(), model);
    if (at != losses.models.end()) columns.push_back(static_cast<std::size_t>(at - losses.models.begin()));
  };
  HeatTable table;
  table.small = true;
  if (losses.of_clients) {
    for (const LossTable::Row* row : rows) column_of(row->client);
  } else {
    for (const std::uint32_t k : order) column_of(k);
  }
  if (columns.size() < 2) return "";
  std::map<std::uint32_t, std::string> names;
  for (const auto& [id, client] : clients) names[id] = client->called();
  for (const std::size_t c : columns) {
    const std::uint32_t model = losses.models[c];
    HeatTable::Name name{losses.of_clients ? names[model] : cluster_name(model), {}};
    if (!losses.of_clients) name.cluster = model;
    table.columns.push_back(std::move(name));
  }
  const auto add = [&](const HeatTable::Name& name, const std::vector<double>& all, HeatTable& to) {
    std::vector<double> values;
    for (const std::size_t c : columns) values.push_back(all[c]);
    const double best = least(values);
    to.rows.push_back(name);
    auto& cells = to.cells.emplace_back();
    for (std::size_t c = 0; c < values.size(); ++c) {
      const std::string text = std::isfinite(values[c]) ? fmt::format("{:.3g}", values[c]) : "–";
      cells.push_back({text, nearness(values[c], best),
                       fmt::format("{} with the model of {}: {}", name.text, table.columns[c].text, text)});
    }
  };
  HeatTable single = table;
  single.corner = "client";
  for (const LossTable::Row* row : rows) {
    const auto cluster = cluster_of(*row);
    add({row->called(), cluster ? std::optional<std::size_t>(*cluster) : std::nullopt}, row->losses, single);
  }
  table.corner = "clients of";
  std::map<std::uint32_t, std::pair<double, std::vector<double>>> sums;
  for (const LossTable::Row* row : rows) {
    const auto cluster = cluster_of(*row);
    if (!cluster || !whole(*row) || losses.of_clients) continue;
    auto& [count, sum] = sums[*cluster];
    sum.resize(row->losses.size(), 0.0);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += row->losses[k];
    ++count;
  }
  for (const std::uint32_t k : order) {
    if (!sums.contains(k)) continue;
    auto& [count, sum] = sums[k];
    for (double& v : sum) v /= count;
    add({cluster_name(k), k}, sum, table);
  }
  const bool square = losses.of_clients && rows.size() > kMostColumns;
  const std::string all = square ? heat_squares(single) : html_heat(single);
  const bool few = rows.size() <= kMostOpenRows || square;
  std::string html = few ? all : html_heat(table);
  if (!few && rows.size() <= kMostLossRows)
    html += html_fold(escape_html(fmt::format("Each of {} clients", rows.size())), all, losses.of_clients);
  if (html.empty()) return "";
  return html_card(
      "Losses: whose model fits whom",
      html + html_note(std::string("Mean loss of each model on the rows that clients held out. ") +
                       (square ? "Lines are clients, columns the models of the same clients in "
                                 "the same order. "
                               : "") +
                       "The stronger the colour, the nearer to the best model of the line; a "
                       "loss twice as large has none."));
}

}  // namespace coterie
