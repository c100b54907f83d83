#include "fleet/holdings.h"

#include <cmath>

namespace coterie {
namespace {

std::vector<std::uint32_t> gaps_of(const TableSchema& table, const Samples& rows) {
  const std::size_t width = table.features.size();
  const auto& values = std::get<std::vector<double>>(rows.features);
  std::vector<std::uint32_t> missing(width, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TableSchema::Feature& feature = table.features[i % width];
    const bool number = !feature.value.has_value();
    const bool gap = number ? std::isnan(values[i]) : feature.value->empty() && values[i] != 0;
    missing[i % width] += gap ? 1 : 0;
  }
  return missing;
}

// Everybody is asked; what is no answer is left out.
template <class Note, class Reply>
std::vector<std::optional<Reply>> ask_all(Fleet& fleet, const JoinedRoster& roster,
                                          const Job<Note, Reply>& job,
                                          std::function<std::string(ClientId, const Reply&)> refuse) {
  Collect<Reply, Reply> told([](Reply& reply) { return std::move(reply); }, std::move(refuse));
  fleet.begin_round(0);  // samples as they were dealt first
  fleet.ask_eval(job, fleet.everyone(), Shelf(), [](ClientId) { return Note{}; }, {&told});
  std::vector<std::optional<Reply>> all(roster.training());
  for (auto& [client, reply] : told.items) all.at(client) = std::move(reply);
  return all;
}

}  // namespace

std::unique_ptr<const AnyJob> make_holdings_job(const Agreement& agreement) {
  return std::make_unique<Job<HoldingsNote, HoldingsReply>>(
      holdings_job().name(), [&agreement](const Shelf&, const HoldingsNote&, ClientView& view) {
        const Samples& train = view.samples(Part::train);
        if (!agreement.table || !std::holds_alternative<std::vector<double>>(train.features))
          throw Error("its samples do not come from a table that is yet to be agreed on");
        HoldingsReply reply;
        reply.missing.assign(agreement.table->features.size(), 0);
        for (const Part part : {Part::train, Part::validation, Part::test}) {
          const std::vector<std::uint32_t> own = gaps_of(*agreement.table, view.samples(part));
          for (std::size_t j = 0; j < own.size(); ++j) reply.missing[j] += own[j];
        }
        if (train.shape.task == Task::regression)
          reply.target = moments_of(view.samples(Part::train).targets);
        return reply;
      });
}

const Job<HoldingsNote, HoldingsReply>& holdings_job() {
  static const Job<HoldingsNote, HoldingsReply> job("holdings", nullptr);
  return job;
}

const Job<CutSizesNote, CutSizesReply>& cut_sizes_job() {
  static const Job<CutSizesNote, CutSizesReply> job(
      "cut-sizes", [](const Shelf&, const CutSizesNote&, ClientView& view) {
        return CutSizesReply{static_cast<std::uint32_t>(view.count(Part::train)),
                             static_cast<std::uint32_t>(view.count(Part::test))};
      });
  return job;
}

std::vector<std::optional<HoldingsReply>> ask_holdings(Fleet& fleet, const JoinedRoster& roster) {
  const std::size_t features = roster.table() == nullptr ? 0 : roster.table()->features.size();
  const bool regression = roster.shape().task == Task::regression;
  return ask_all<HoldingsNote, HoldingsReply>(
      fleet, roster, holdings_job(), [&](ClientId client, const HoldingsReply& reply) -> std::string {
        const Introduction& info = roster.clients().at(client);
        const std::uint64_t rows = std::uint64_t{info.train} + info.validation + info.test;
        if (reply.missing.size() != features) return "it tells of other columns than there are";
        for (const std::uint32_t gaps : reply.missing) {
          if (gaps > rows) return "it tells of more gaps than it has rows";
        }
        const double told = reply.target.count;
        if (!reply.target.possible(info.train) || told != (regression ? info.train : 0.0))
          return "what it tells of its target is impossible";
        return "";
      });
}

std::vector<std::optional<LabelsReply>> ask_labels(Fleet& fleet, const JoinedRoster& roster) {
  return ask_all<LabelsNote, LabelsReply>(
      fleet, roster, labels_job(), [&](ClientId client, const LabelsReply& reply) -> std::string {
        if (reply.counts.size() != roster.shape().classes) return "it counts other classes than there are";
        std::uint64_t rows = 0;
        for (const std::uint32_t count : reply.counts) rows += count;
        return rows == roster.clients().at(client).train ? "" : "it counts other rows than it has";
      });
}

std::vector<std::optional<CutSizesReply>> ask_cut_sizes(Fleet& fleet, const JoinedRoster& roster) {
  return ask_all<CutSizesNote, CutSizesReply>(
      fleet, roster, cut_sizes_job(), [&](ClientId client, const CutSizesReply& reply) -> std::string {
        const std::uint64_t rows = std::uint64_t{reply.train} + reply.held_out;
        const bool possible = reply.train > 0 && rows <= roster.clients().at(client).train;
        return possible ? "" : "it cannot have cut its rows so";
      });
}

}  // namespace coterie
