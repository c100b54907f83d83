#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "use/finished_run.h"
#include "use/new_table.h"
#include "use/table_text.h"
#include "use/use.h"

namespace coterie {
namespace {

// The predictions of one client's rows, and why it was served so.
struct Served {
  std::size_t cluster = 0;
  const char* how = "";
  Vec outputs;
};

Served serve(const FinishedRun& run, const NewTable& table, ClientId client) {
  const Engine engine = run.program().engine(table);
  const NewTable::Client& one = table.clients()[client];
  const FinishedRun::Known* known = run.find(one.name);
  ClientView view(engine, client, {Purpose::evaluate, 1, 0},
                  known != nullptr ? run.state_of(*known) : Bytes());
  if (known != nullptr) return {known->cluster, "known", run.predict(*known, view, Part::test).outputs};
  if (run.clusters() == 0) {
    throw BadConfig(
        fmt::format("error: client {} is not one of the run's: {} has models for its own clients only, "
                    "and no clusters that a new one could be put into",
                    in_quotes(one.name), run.method_name()));
  }
  const bool settled = !one.labelled.empty();
  const Vec weights = settled ? run.settle(view) : run.by_size();
  const auto cluster = std::max_element(weights.begin(), weights.end()) - weights.begin();
  return {static_cast<std::size_t>(cluster), settled ? "settled" : "unsettled",
          run.predict(weights, view, Part::test).outputs};
}

}  // namespace

UseResult predict_rows(const UseRequest& request) {
  const FinishedRun run(request.run);
  const NewTable table(request.data, run, request.client);
  const TableSchema& schema = run.table();
  const std::size_t width = run.program().model().outputs();
  std::vector<Served> served;
  struct Place {
    ClientId client;
    std::size_t row;  // among the client's
  };
  std::vector<Place> places(table.rows());
  std::size_t unsettled = 0;
  for (ClientId i = 0; i < table.clients().size(); ++i) {
    served.push_back(serve(run, table, i));
    unsettled += served.back().how == std::string_view("unsettled") ? 1 : 0;
    const auto& rows = table.clients()[i].rows;
    for (std::size_t r = 0; r < rows.size(); ++r) places[rows[r]] = {i, r};
  }

  TableText out;
  out.add("row").add("client").add("cluster").add("how").add("prediction");
  for (const std::string& name : schema.classes) out.add("p_" + name);
  out.end_row();
  for (std::size_t row = 0; row < places.size(); ++row) {
    const Served& one = served[places[row].client];
    const auto begin = one.outputs.begin() + static_cast<std::ptrdiff_t>(places[row].row * width);
    out.add(row + 1).add(table.clients()[places[row].client].name).add(one.cluster).add(one.how);
    if (schema.classes.empty()) {
      out.add(*begin * schema.target_deviation + schema.target_mean).end_row();
      continue;
    }
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    out.add(schema.classes[static_cast<std::size_t>(std::max_element(begin, end) - begin)]);
    for (auto p = begin; p != end; ++p) out.add(*p);
    out.end_row();
  }
  UseResult result{out.text(), table.warnings()};
  if (unsettled > 0) {
    result.notes.push_back(fmt::format(
        "{} of {} new and without a row that has a target: \"unsettled\", predicted "
        "by the mixture of the clusters",
        unsettled, counted(table.clients().size(), "client") + (unsettled == 1 ? " is" : " are")));
  }
  return result;
}

}  // namespace coterie
