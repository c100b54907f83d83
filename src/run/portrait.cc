#include "run/portrait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "fleet/columns.h"
#include "fleet/use_jobs.h"

namespace coterie {
namespace {

// Mean and deviation in the table's own units.
struct InUnits {
  double mean = 0;
  double deviation = 0;
};

InUnits in_units(const ColumnMoments& m, double mean, double deviation) {
  const double spread = m.m2 > 0 ? m.deviation(m.count) : 0;
  return {mean + deviation * m.middle(), deviation * spread};
}

class Painter {
 public:
  Painter(Session& session, const Evaluation& evaluation, const Handover& handover)
      : session_(session), evaluation_(evaluation), handover_(handover) {
    for (const ClientScore& score : evaluation.scores) {
      if (score.role != Role::train) continue;
      clusters_[score.client] = score.cluster;
      count_ = std::max<std::size_t>(count_, score.cluster + 1);
    }
  }

  Portrait paint() {
    Portrait made;
    const Traffic before = session_.fleet().traffic();
    try {
      made.losses = losses();
      made.means = means();
    } catch (const BelowQuorum&) {
      // The run has ended well. Its page has less to show.
    }
    session_.fleet().traffic() = before;
    return made;
  }

 private:
  // Everybody who is judged; where there are more than `most`, evenly by id.
  std::vector<ClientId> some(std::size_t most) const {
    std::vector<ClientId> chosen;
    const std::size_t step = (clusters_.size() + most - 1) / most;
    std::size_t place = 0;
    for (const auto& [client, cluster] : clusters_) {
      if (place++ % step == 0) chosen.push_back(client);
    }
    return chosen;
  }

  std::string losses() {
    std::vector<Vec> models;
    std::string header = "id,name,samples";
    if (evaluation_.personal) {
      if (handover_.of_client.size() > Portrait::kMostModels) return "";
      for (const auto& [client, model] : handover_.of_client) {
        models.push_back(Vec(model));
        header += fmt::format(",client_{}", client);
      }
    } else {
      models = evaluation_.models;
      for (std::size_t k = 0; k < models.size(); ++k) header += fmt::format(",cluster_{}", k);
    }
    const bool too_many = models.size() > Portrait::kMostModels;
    const double bytes =
        static_cast<double>(models.size() * session_.config().model->size() * sizeof(double));
    if (models.size() < 2 || too_many || bytes > Portrait::kMostBytes) return "";
    const Offer offer{models};
    Collect<CostsReply, CostsReply> told(
        [](CostsReply& reply) { return std::move(reply); },
        [&](ClientId, const CostsReply& reply) -> std::string {
          return reply.costs.size() == models.size() ? "" : "it tells of other models than it was sent";
        });
    const CostsNote note{Items::all(), Part::test, offer.packing(), true};
    session_.fleet().ask_eval(costs_job(), some(Portrait::kMostClients),
                              Shelf(offer.items(), session_.fleet().precision()),
                              [&](ClientId) { return note; }, {&told});
    std::string text = header + "\n";
    for (const auto& [client, reply] : told.items) {
      if (!(reply.samples > 0)) continue;
      text += fmt::format("{},{},{}", client, csv_field(session_.roster().name(client)), reply.samples);
      for (const CostsReply::Cost& cost : reply.costs)
        text += cost.finite ? fmt::format(",{:.6g}", cost.value / reply.samples) : ",";
      text += "\n";
    }
    return text;
  }

  // Whether there are columns that clients may tell of, and several clusters to tell apart by them.
  bool has_means() const {
    const TableSchema* table = session_.roster().table();
    if (table == nullptr || table->scaling == "each" || !session_.config().evaluate.means) return false;
    const double numbers = static_cast<double>(table->features.size() * clusters_.size());
    const bool alike = std::all_of(clusters_.begin(), clusters_.end(),
                                   [&](const auto& one) { return one.second == clusters_.begin()->second; });
    return evaluation_.has_clusters() && !alike && count_ <= Portrait::kMostModels &&
           numbers * sizeof(ColumnMoments) <= Portrait::kMostBytes;
  }

  std::string means() {
    if (!has_means()) return "";
    const TableSchema& table = *session_.roster().table();
    const bool regression = evaluation_.task == Task::regression;
    const std::size_t width = table.features.size() + (regression ? 1 : 0);
    Collect<MeansReply, MeansReply> told(
        [](MeansReply& reply) { return std::move(reply); },
        [&](ClientId client, const MeansReply& reply) -> std::string {
          const double rows = session_.roster().info(client).train;
          const bool possible = std::all_of(reply.columns.begin(), reply.columns.end(),
                                            [&](const ColumnMoments& m) { return m.possible(rows); });
          return possible && reply.columns.size() == width ? ""
                                                           : "what it tells of its columns is impossible";
        });
    const std::uint32_t round = session_.fleet().round();
    session_.fleet().begin_round(0);  // samples as they were dealt first
    session_.fleet().ask_eval(means_job(), some(clusters_.size()), Shelf(),
                              [](ClientId) { return MeansNote{}; }, {&told});
    session_.fleet().begin_round(round);
    std::vector<ColumnMoments> all(width);
    std::vector<std::vector<ColumnMoments>> by_cluster(count_, all);
    for (const auto& [client, reply] : told.items) {
      std::vector<ColumnMoments>& own = by_cluster[clusters_[client]];
      for (std::size_t j = 0; j < width; ++j) {
        all[j] = merged(all[j], reply.columns[j]);
        own[j] = merged(own[j], reply.columns[j]);
      }
    }
    return means_text(table, all, by_cluster);
  }

  static std::string means_text(const TableSchema& table, const std::vector<ColumnMoments>& all,
                                const std::vector<std::vector<ColumnMoments>>& by_cluster) {
    std::string text = "column,value,mean,deviation";
    for (std::size_t k = 0; k < by_cluster.size(); ++k) text += fmt::format(",mean_{0},deviation_{0}", k);
    text += "\n";
    for (std::size_t j = 0; j < all.size(); ++j) {
      TableSchema::Feature column{table.target, std::nullopt, 0, table.target_mean, table.target_deviation};
      if (j < table.features.size()) column = table.features[j];
      text += csv_field(column.column) + "," + csv_field(column.value.value_or(""));
      const auto add = [&](const ColumnMoments& m) {
        const InUnits u = column.value ? in_units(m, 0, 1) : in_units(m, column.mean, column.deviation);
        text += m.count > 0 ? fmt::format(",{:.6g},{:.6g}", u.mean, u.deviation) : ",,";
      };
      add(all[j]);
      for (const std::vector<ColumnMoments>& own : by_cluster) add(own[j]);
      text += "\n";
    }
    return text;
  }

  Session& session_;
  const Evaluation& evaluation_;
  const Handover& handover_;
  std::map<ClientId, std::uint32_t> clusters_;  // of those who are judged
  std::size_t count_ = 0;
};

}  // namespace

Portrait Portrait::of(Session& session, const Evaluation& evaluation, const Handover& handover) {
  return Painter(session, evaluation, handover).paint();
}

void Portrait::write(const RunFolder& folder) const {
  if (!folder.keeps()) return;
  const auto put = [&](const char* name, const std::string& text) {
    // A run that went on may have had one before.
    if (text.empty()) {
      remove_file(folder.file(name));
    } else {
      write_atomically(folder.file(name), text);
    }
  };
  put("losses.csv", losses);
  put("means.csv", means);
}

}  // namespace coterie
