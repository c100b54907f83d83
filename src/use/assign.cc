#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "use/finished_run.h"
#include "use/new_table.h"
#include "use/table_text.h"
#include "use/use.h"

namespace coterie {
namespace {

constexpr double kSure = 0.95;

// Where a client was put, and what would change it.
struct Placed {
  std::size_t cluster = 0;
  Vec likely;
  Vec shares;
  std::size_t runner_up = 0;
  double margin = 0;         // summed loss under the runner-up, less that under its cluster
  double rows_for_sure = 0;  // NaN: more rows like these would not make it so
  bool settled = false;
};

std::size_t largest(const Vec& values, std::optional<std::size_t> but = {}) {
  std::size_t best = values.size();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (but && *but == k) continue;
    if (best == values.size() || values[k] > values[best]) best = k;
  }
  return best;
}

// With this difference a row, log odds grow in a straight line.
double rows_for_sure(const FinishedRun& run, const Placed& placed, double rows) {
  if (!(placed.margin > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double prior = std::log((run.sizes()[placed.cluster] + 0.5) / (run.sizes()[placed.runner_up] + 0.5));
  const double a_row = placed.margin / rows / run.temperature();
  return std::max(1.0, std::ceil((std::log(kSure / (1 - kSure)) - prior) / a_row));
}

Placed place(const FinishedRun& run, ClientView& view) {
  Placed placed;
  const auto rows = static_cast<double>(view.count(Part::train));
  placed.settled = rows > 0;
  const Vec costs = placed.settled ? run.costs(view) : Vec(run.clusters(), 0.0);
  placed.shares = placed.settled ? run.settle(view) : run.by_size();
  placed.cluster = largest(placed.shares);
  placed.likely = placed.settled ? run.likely(costs) : placed.shares;
  if (run.clusters() < 2) return placed;
  placed.runner_up = largest(placed.likely, placed.cluster);
  placed.margin = costs[placed.runner_up] - costs[placed.cluster];
  placed.rows_for_sure = placed.settled ? rows_for_sure(run, placed, rows) : std::nan("");
  return placed;
}

std::string number_or_nothing(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

void expect_clusters(const FinishedRun& run) {
  if (run.clusters() == 0) {
    throw BadConfig(
        fmt::format("error: {}: {} found no clusters: every client has a model of its own, and there "
                    "is nothing to assign a new one to",
                    run.folder(), run.method_name()));
  }
}

UseResult assign_to(const FinishedRun& run, const UseRequest& request) {
  expect_clusters(run);
  const NewTable table(request.data, run, request.client, NewTable::Meet::all_as_new);
  const Engine engine = run.program().engine(table);
  UseResult result;
  result.notes = table.warnings();
  TableText out;
  out.add("client").add("cluster").add("confidence");
  for (std::size_t k = 0; k < run.clusters(); ++k) out.add(fmt::format("weight_{}", k));
  for (std::size_t k = 0; run.soft() && k < run.clusters(); ++k) out.add(fmt::format("share_{}", k));
  out.add("runner_up").add("margin").add("rows").add("rows_for_95").add("how").end_row();
  std::size_t unsettled = 0, known = 0;
  for (ClientId i = 0; i < table.clients().size(); ++i) {
    const NewTable::Client& client = table.clients()[i];
    ClientView view(engine, i, {Purpose::evaluate, 1, 0}, {});
    const Placed placed = place(run, view);
    unsettled += placed.settled ? 0 : 1;
    known += run.find(client.name) != nullptr ? 1 : 0;
    out.add(client.name).add(placed.cluster).add(placed.likely[placed.cluster]);
    for (const double weight : placed.likely) out.add(weight);
    for (std::size_t k = 0; run.soft() && k < run.clusters(); ++k) out.add(placed.shares[k]);
    const bool several = run.clusters() > 1;
    out.add(several ? std::to_string(placed.runner_up) : "");
    out.add(several && placed.settled ? number_or_nothing(placed.margin) : "");
    out.add(client.labelled.size());
    out.add(several && placed.settled ? number_or_nothing(placed.rows_for_sure) : "");
    out.add(placed.settled ? "settled" : "unsettled").end_row();
  }
  if (known > 0) {
    result.notes.push_back(
        fmt::format("{} of {} took part in the run; here they are assigned by the rows of this "
                    "table alone",
                    known, counted(table.clients().size(), "client")));
  }
  if (unsettled > 0) {
    result.notes.push_back(fmt::format(
        "{} of {} without a row that has a target: \"unsettled\", in the largest "
        "cluster",
        unsettled, counted(table.clients().size(), "client") + (unsettled == 1 ? " is" : " are")));
  }
  result.table = out.text();
  return result;
}

}  // namespace

UseResult assign_clients(const UseRequest& request) { return assign_to(FinishedRun(request.run), request); }

Bytes welcome_of(const std::string& folder) {
  const FinishedRun run(folder);
  expect_clusters(run);
  Welcome all = run.welcome();
  return encode(all, Precision::f64);
}

UseResult assign_newcomers(const Bytes& welcome, const UseRequest& request) {
  return assign_to(FinishedRun(decode<Welcome>(welcome, Precision::f64)), request);
}

}  // namespace coterie
