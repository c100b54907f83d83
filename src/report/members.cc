#include "report/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/heat_table.h"
#include "report/html_page.h"
#include "report/number_text.h"
#include "report/scatter.h"

namespace coterie {
namespace {

constexpr std::size_t kMostUnfolded = 16;
constexpr std::size_t kMostMemberRows = 2000;
constexpr std::size_t kMostMemberNames = 20000;

using Members = std::vector<const ClientRow*>;

// The model that would serve a client second best, and how much larger its loss is.
std::string runner_up(const LossTable::Row& row, const LossTable& losses, std::uint32_t own) {
  std::size_t best = losses.models.size();
  double mine = kAbsent;
  for (std::size_t k = 0; k < losses.models.size(); ++k) {
    if (losses.models[k] == own) {
      mine = row.losses[k];
    } else if (std::isfinite(row.losses[k]) &&
               (best == losses.models.size() || row.losses[k] < row.losses[best])) {
      best = k;
    }
  }
  if (best == losses.models.size() || !std::isfinite(mine)) return "";
  const double more = row.losses[best] / mine - 1;
  const std::string name = cluster_name(losses.models[best]);
  constexpr double kFar = 10;  // times; more than that needs no number
  if (!(mine > 0) || more > kFar) return name + " (far)";
  return fmt::format("{} ({:+.0f} %)", name, 100 * more);
}

class MemberTables {
 public:
  explicit MemberTables(const RunFacts& facts) : facts_(facts) {
    for (const LossTable::Row& row : facts.losses.rows) losses_[row.client] = &row;
  }

  std::string table(const Members& members, bool clustered) const {
    const auto any = [&](auto has) {
      return std::any_of(members.begin(), members.end(), [&](const ClientRow* c) { return has(*c); });
    };
    TextTable out;
    out.column("client");
    for (const ClientRow* client : members) out.row({client->called()});
    const auto add = [&](const std::string& header, Align align, auto text) {
      out.column(header, align);
      for (std::size_t i = 0; i < members.size(); ++i) out.rows[i].emplace_back(text(*members[i]));
    };
    const auto number = [&](const std::string& header, double ClientRow::*figure, auto text) {
      if (!any([&](const ClientRow& c) { return std::isfinite(c.*figure); })) return;
      add(header, Align::right, [&](const ClientRow& c) { return text(c.*figure); });
    };
    const auto percent = [](double share) { return percent_text(share, 1); };
    if (facts_.matrix.truth.size() > 1) {
      add("true cluster", Align::left, [](const ClientRow& c) { return c.truth_name; });
    }
    number("rows", &ClientRow::samples, number_text);
    number("accuracy %", &ClientRow::accuracy, percent);
    number("auc", &ClientRow::auc,
           [](double v) { return std::isfinite(v) ? fmt::format("{:.3f}", v) : std::string("–"); });
    number("rmse", &ClientRow::rmse, number_text);
    number("loss", &ClientRow::loss, number_text);
    if (any([](const ClientRow& c) { return c.weight < 1; })) {
      add("weight", Align::right, [](const ClientRow& c) { return fmt::format("{:.2f}", c.weight); });
    }
    if (clustered && !facts_.losses.of_clients && !losses_.empty()) {
      add("next best", Align::left, [&](const ClientRow& c) {
        const auto it = losses_.find(c.id);
        return it == losses_.end() ? "" : runner_up(*it->second, facts_.losses, *c.cluster);
      });
    }
    gain(members, "over fedavg", &ClientGain::over_fedavg, out);
    gain(members, "over local", &ClientGain::over_local, out);
    return html_table(out);
  }

 private:
  void gain(const Members& members, const char* header, double ClientGain::*which, TextTable& out) const {
    std::vector<std::string> texts;
    bool any = false;
    for (const ClientRow* client : members) {
      const auto it = facts_.gains.find(client->id);
      const double value = it == facts_.gains.end() ? kAbsent : it->second.*which;
      any = any || std::isfinite(value);
      texts.push_back(gain_cell(value));
    }
    if (!any) return;
    out.column(header, Align::right);
    for (std::size_t i = 0; i < texts.size(); ++i) out.rows[i].emplace_back(texts[i]);
  }
  std::string gain_cell(double value) const {
    if (!std::isfinite(value)) return "–";
    return facts_.figure == "accuracy" ? fmt::format("{:+.1f}", 100 * value) : fmt::format("{:+.3g}", value);
  }

  const RunFacts& facts_;
  std::map<std::uint32_t, const LossTable::Row*> losses_;
};

std::string names_html(const Members& members) {
  std::string html = "<div class=\"names\">";
  for (std::size_t i = 0; i < std::min(members.size(), kMostMemberNames); ++i)
    html += "<span>" + escape_html(members[i]->called()) + "</span>";
  html += "</div>\n";
  if (members.size() > kMostMemberNames) {
    html += html_note(
        fmt::format("The first {} of {}; all are in clients.csv.", kMostMemberNames, members.size()));
  }
  return html;
}

std::string size_text(const Members& members, const GroupScore* score) {
  double rows = 0;
  for (const ClientRow* client : members) rows += std::isfinite(client->samples) ? client->samples : 0;
  std::string text = counted(members.size(), "client") + ", " + counted_text(rows, "training row");
  if (score != nullptr && std::isfinite(score->accuracy))
    text += ", accuracy " + percent_text(score->accuracy, 1) + " %";
  return text;
}

}  // namespace

std::string first_names(const std::vector<const ClientRow*>& clients, std::size_t most) {
  constexpr std::size_t kNameWidth = 40;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, clients.size()); ++i)
    names.push_back(shortened_name(clients[i]->called(), kNameWidth));
  std::string text = join(names, ", ");
  return clients.size() > most ? text + fmt::format(" and {} more", clients.size() - most) : text;
}

std::string members_card(const RunFacts& facts) {
  constexpr std::size_t kPreview = 12;
  std::map<std::uint32_t, Members> clusters;
  Members alone;  // with models of their own
  Members unseen;
  std::size_t count = 0;
  for (const ClientRow& client : facts.clients) {
    if (client.role == "unseen") unseen.push_back(&client);
    if (client.role != "train") continue;
    ++count;
    if (!facts.matrix.found.empty() && client.cluster) {
      clusters[*client.cluster].push_back(&client);
    } else {
      alone.push_back(&client);
    }
  }
  const MemberTables tables(facts);
  const auto fold = [&](const std::string& heading, const Members& members, const GroupScore* score,
                        bool clustered) {
    const std::string head = heading + "<small>" + escape_html(size_text(members, score)) +
                             "</small><span class=\"preview\">" +
                             escape_html(first_names(members, kPreview)) + "</span>";
    return html_fold(head, count > kMostMemberRows ? names_html(members) : tables.table(members, clustered),
                     count <= kMostUnfolded);
  };
  std::string html;
  for (std::size_t k = 0; k < facts.matrix.found_ids.size(); ++k) {
    const std::uint32_t id = facts.matrix.found_ids[k];
    if (!clusters.contains(id)) continue;
    html += fold(colour_key(id) + escape_html(cluster_name(id)), clusters[id], &facts.matrix.found[k], true);
  }
  if (!alone.empty()) html += fold("All clients", alone, nullptr, false);
  if (html.empty()) return "";
  if (!unseen.empty()) html += fold("Clients that never trained", unseen, nullptr, false);
  std::string note = "Figures are of each client's held-out rows; rows are those it trains on.";
  if (!facts.losses.empty() && !facts.losses.of_clients && !clusters.empty() && count <= kMostMemberRows)
    note += " Next best: the cluster whose model has the next lowest loss, and by how much it is higher.";
  if (!facts.gains.empty() && count <= kMostMemberRows) {
    note += fmt::format(" Over fedavg, over local: {} than with one model for all, and than training alone.",
                        facts.figure == "rmse"       ? "how much lower the rmse is"
                        : facts.figure == "accuracy" ? "points of accuracy more"
                                                     : "how much higher the auc is");
  }
  return html_card(clusters.size() > 1 ? "Members of each cluster" : "Clients", html + html_note(note));
}

std::string gains_card(const RunFacts& facts) {
  constexpr std::size_t kMostSpots = 1500;
  if (facts.gains.empty()) return "";
  const double factor = facts.figure == "accuracy" ? 100 : 1;
  const auto lines_of = [&](double ClientGain::*which) {
    std::map<std::uint32_t, SpotLine> lines;
    std::size_t count = 0;
    const std::size_t step = (facts.gains.size() + kMostSpots - 1) / kMostSpots;
    for (const ClientRow& client : facts.clients) {
      const auto it = facts.gains.find(client.id);
      if (client.role != "train" || it == facts.gains.end()) continue;
      const double value = factor * (it->second.*which);
      if (!std::isfinite(value) || count++ % step != 0) continue;
      const bool clustered = !facts.matrix.found.empty() && client.cluster;
      const std::uint32_t cluster = clustered ? *client.cluster : 0;
      SpotLine& line = lines[cluster];
      line.name = clustered ? cluster_name(cluster) : "all clients";
      line.spots.push_back({value, 0, cluster, "", fmt::format("{}: {:+.3g}", client.called(), value)});
    }
    std::vector<SpotLine> out;
    for (auto& [cluster, line] : lines) out.push_back(std::move(line));
    return out;
  };
  const std::string unit = facts.figure == "accuracy" ? "points of accuracy"
                           : facts.figure == "rmse"   ? "rmse lower by"
                                                      : "auc higher by";
  std::string html;
  const auto add = [&](const char* over, const char* what, double ClientGain::*which) {
    std::size_t better = 0, worse = 0, compared = 0;
    for (const auto& [client, gain] : facts.gains) {
      compared += std::isfinite(gain.*which) ? 1 : 0;
      better += gain.*which > 0 ? 1 : 0;
      worse += gain.*which < 0 ? 1 : 0;
    }
    if (compared > 0 && better + worse == 0) {
      html += fmt::format("<p>Over {}: nobody gains or loses.</p>\n", what);
      return;
    }
    const std::string chart = spot_lines(lines_of(which), fmt::format("{}, over {}", unit, over));
    if (chart.empty()) return;
    html += fmt::format("<p>Over {}: {} gain, {} lose.</p>\n", what, better, worse) + chart;
  };
  add("fedavg", "one model for all (fedavg)", &ClientGain::over_fedavg);
  add("local", "training alone (local)", &ClientGain::over_local);
  return html_card("What each client gains", html);
}

}  // namespace coterie
