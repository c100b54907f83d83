#include "fleet/columns.h"

#include <algorithm>

#include "data/table_scaling.h"

namespace coterie {

std::unique_ptr<const AnyJob> make_columns_job(const Agreement& agreement) {
  return std::make_unique<Job<ColumnsNote, ColumnsReply>>(
      columns_job().name(), [&agreement](const Shelf&, const ColumnsNote&, ClientView& view) {
        const Samples& rows = view.samples(Part::train);
        if (!agreement.table || !std::holds_alternative<std::vector<double>>(rows.features))
          throw Error("its samples do not come from a table that is yet to be agreed on");
        ColumnsReply reply{rows.size(), table_moments(*agreement.table, rows)};
        // Who scales its features alone tells nothing of them; the target of a regression comes last.
        if (agreement.table->scaling == "each") {
          const std::size_t target = rows.shape.task == Task::regression ? 1 : 0;
          std::fill(reply.columns.begin(), reply.columns.end() - static_cast<std::ptrdiff_t>(target),
                    ColumnMoments{});
        }
        return reply;
      });
}

const Job<ColumnsNote, ColumnsReply>& columns_job() {
  static const Job<ColumnsNote, ColumnsReply> job("columns", nullptr);
  return job;
}

std::unique_ptr<const AnyJob> make_means_job(const Agreement& agreement) {
  return std::make_unique<Job<MeansNote, MeansReply>>(
      means_job().name(), [&agreement](const Shelf&, const MeansNote&, ClientView& view) {
        if (!agreement.table || agreement.table->draft || agreement.table->scaling == "each")
          throw Error("its samples have no columns that it tells of");
        const Samples& rows = view.samples(Part::train);
        std::vector<Vec> columns(rows.shape.width, Vec(rows.size()));
        Vec row(rows.shape.width);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          rows.copy_row(i, std::span<double>(row));
          for (std::size_t j = 0; j < row.size(); ++j) columns[j][i] = row[j];
        }
        MeansReply reply;
        for (const Vec& column : columns) reply.columns.push_back(moments_of(column));
        if (rows.shape.task == Task::regression) reply.columns.push_back(moments_of(rows.targets));
        return reply;
      });
}

const Job<MeansNote, MeansReply>& means_job() {
  static const Job<MeansNote, MeansReply> job("means", nullptr);
  return job;
}

TableSchema agree_on_columns(Fleet& fleet, const TableSchema& draft, Task task) {
  const std::size_t expected = moment_count(draft, task);
  Collect<ColumnsReply, ColumnsReply> told(
      [](ColumnsReply& reply) { return std::move(reply); },
      [expected](ClientId, const ColumnsReply& reply) -> std::string {
        if (reply.columns.size() != expected) return "it tells of other columns than there are";
        const auto rows = static_cast<double>(reply.rows);
        const bool possible = std::all_of(reply.columns.begin(), reply.columns.end(),
                                          [&](const ColumnMoments& m) { return m.possible(rows); });
        return possible ? "" : "what it tells of its columns is impossible";
      });
  fleet.begin_round(0);  // samples as they were dealt first
  fleet.ask_eval(columns_job(), fleet.everyone(), Shelf(), [](ClientId) { return ColumnsNote{}; }, {&told});
  std::vector<ColumnMoments> all(expected);
  double rows = 0;
  for (const auto& [client, reply] : told.items) {
    // A client counts for the samples that it has in averages, however many it speaks of here.
    const auto n = static_cast<double>(reply.rows);
    const double share = n > 0 ? std::min(1.0, static_cast<double>(fleet.samples(client)) / n) : 0;
    rows += n * share;
    for (std::size_t j = 0; j < expected; ++j) {
      ColumnMoments own = reply.columns[j];
      own.count *= share;
      own.m2 *= share;
      all[j] = merged(all[j], own);
    }
  }
  TableSchema agreed = draft;
  settle_schema(agreed, all, rows);
  return agreed;
}

}  // namespace coterie
