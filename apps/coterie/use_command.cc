#include <iostream>

#include "base/disk.h"
#include "base/excerpt.h"
#include "commands.h"
#include "fleet/network.h"
#include "use/use.h"

namespace coterie {
namespace {

struct UseArguments {
  UseRequest request;
  CheckRequest from;  // the server of the run, where it is not at hand
  std::string client;
  std::string out;
  bool quiet = false;
};

using Arguments = std::shared_ptr<UseArguments>;

CLI::App* add_use_command(CLI::App& app, const char* name, const char* what, bool needs_out,
                          Arguments arguments, UseResult (*work)(const UseArguments&)) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("RUN", arguments->request.run, "the folder of a finished run on a table");
  command->add_option("--data", arguments->request.data, "the new rows, a csv with the run's columns")
      ->required();
  CLI::Option* out = command->add_option(
      "--out", arguments->out,
      needs_out ? "where the predictions go, a csv" : "where the table goes, a csv [printed]");
  if (needs_out) out->required();
  command->add_option("--client", arguments->client,
                      "the column that names the client [the run's]; without one all rows are one client's");
  command->add_flag("--quiet", arguments->quiet, "print no notes");
  command->callback([arguments, work] {
    if (!arguments->client.empty()) arguments->request.client = arguments->client;
    const UseResult result = work(*arguments);
    if (!arguments->quiet) {
      for (const std::string& text : result.notes) std::cerr << on_a_screen("note: " + text) << '\n';
    }
    if (arguments->out.empty()) {
      std::cout << result.table;
    } else {
      write_atomically(arguments->out, result.table);
    }
  });
  return command;
}

UseResult assign(const UseArguments& arguments) {
  if (arguments.from.server.empty()) {
    if (arguments.request.run.empty())
      throw BadConfig("error: assign: say which run: RUN, its folder, or --server HOST:PORT");
    return assign_clients(arguments.request);
  }
  return assign_newcomers(load_network("assign --server")->fetch(arguments.from), arguments.request);
}

UseResult predict(const UseArguments& arguments) { return predict_rows(arguments.request); }

}  // namespace

void add_assign_command(CLI::App& app, int&) {
  const auto arguments = std::make_shared<UseArguments>();
  CLI::App* command = add_use_command(
      app, "assign", "put new clients into the clusters of a finished run, and say how sure that is", false,
      arguments, assign);
  command->footer(
      "Columns: client, cluster, confidence, weight_0 ... (how likely each cluster is), runner_up, "
      "margin,\n"
      "rows, rows_for_95, how. Clients are assigned by their rows that have a target (docs/models.md).");
  CLI::Option* server = command->add_option(
      "--server", arguments->from.server,
      "in place of RUN: HOST:PORT of `coterie serve --stay`. Nothing of the data is sent there");
  CLI::Option* name = command->add_option("--name", arguments->from.identity.name,
                                          "with --server: whose certificate in the folder is yours");
  add_identity(*command, arguments->from.identity);
  server->excludes("RUN")->needs(name);
  name->needs(server);
}

void add_predict_command(CLI::App& app, int&) {
  CLI::App* command = add_use_command(
      app, "predict", "predict rows of known and new clients with the models of a finished run", true,
      std::make_shared<UseArguments>(), predict);
  command->get_option("RUN")->required();
  command->footer(
      "Columns: row, client, cluster, how, prediction, and for classes p_<class> ... Clients of the run "
      "are\n"
      "predicted as in the run; new ones settle on their rows that have a target (docs/models.md).");
}

}  // namespace coterie
