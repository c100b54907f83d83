// serve, join, certs and check: what an add-on does (src/fleet/network.h).
#include <array>
#include <chrono>
#include <iostream>
#include <thread>

#include "base/excerpt.h"
#include "base/text.h"
#include "base/value.h"
#include "commands.h"
#include "coterie/run.h"
#include "fit/fit.h"
#include "fit_command.h"
#include "fleet/network.h"
#include "report/html.h"
#include "report/summary_text.h"
#include "run/own_data.h"
#include "stopping.h"
#include "use/use.h"

namespace coterie {

void add_identity(CLI::App& command, Identity& identity) {
  command.add_option("--certs", identity.certs,
                     "the folder with ca.crt, and NAME.crt and NAME.key of this side");
  command.add_flag("--insecure", identity.insecure, "plain text and no certificates: on this machine alone");
  command.add_flag("--insecure-anywhere", identity.anywhere, "with --insecure: in a network that you trust");
}

namespace {

struct ServeArguments {
  RunRequest run;
  ServeRequest serve;
  bool stay = false;
};

// Newcomers find their clusters in the run that has finished, until the program is asked to stop.
void stay(Server& server, const std::string& folder) {
  server.welcome(welcome_of(folder));
  server.say("the run is finished; newcomers are welcome (coterie assign --server). Ctrl-C ends this");
  while (!stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

void check_servable(const std::string& file, bool stay) {
  const Table config = read_toml(file);
  if (stay && config.find("sweep") != nullptr) {
    throw BadConfig("error: " + file +
                    ": --stay welcomes newcomers to one run, and this is a sweep: leave [sweep] out");
  }
}

// What a served config came to.
struct Served {
  bool whole = true;   // false: stopped, or a run failed
  std::string folder;  // of the run that newcomers are welcome to
  int status = 0;
};

Served serve_runs(const ServeArguments& arguments) {
  Served served;
  const std::vector<RunOutcome> outcomes = run_experiment(arguments.run);
  served.folder = outcomes.front().folder;
  for (const RunOutcome& one : outcomes) {
    served.whole = served.whole && one.finished;
    if (one.finished && !arguments.serve.quiet) std::cout << summary_text(one.folder, Marks::star);
    if (!one.error.empty()) std::cerr << on_a_screen("error: " + one.error) << '\n';
  }
  served.status = served.whole ? 0 : 1;
  return served;
}

Served serve_fit(const ServeArguments& arguments) {
  const FitOutcome outcome = run_fit(fit_request(arguments.run));
  if (outcome.finished && !arguments.serve.quiet) std::cout << outcome.text;
  if (!outcome.error.empty()) std::cerr << on_a_screen("error: " + outcome.error) << '\n';
  const bool whole = outcome.finished && outcome.error.empty();
  return {outcome.finished, outcome.folder + "/run", whole ? 0 : 1};
}

int serve(ServeArguments& arguments) {
  RunRequest& run = arguments.run;
  check_servable(run.file, arguments.stay);
  run.overrides.push_back("fleet.kind=grpc");
  const bool fit = is_fit(run);
  const std::unique_ptr<Server> server = load_network("serve")->serve(arguments.serve);
  stop_when_asked(fit ? "this fold" : "this round");
  run.elsewhere = server.get();
  run.finished = [](const RunOutcome& one) { write_report(one.folder); };
  server->say("listening on port " + std::to_string(server->port()));
  const Served served = fit ? serve_fit(arguments) : serve_runs(arguments);
  // Clients of a run that stopped dial again until it goes on.
  if (!served.whole) {
    server->say("stopped; what is done is kept. To go on, give the same command with --resume");
    return 1;
  }
  server->close(fit ? "the fit is finished" : "the run is finished");
  if (arguments.stay && served.status == 0) stay(*server, served.folder);
  return served.status;
}

void add_serve(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ServeArguments>();
  RunRequest& r = arguments->run;
  ServeRequest& s = arguments->serve;
  s.identity.name = "server";
  CLI::App* command =
      app.add_subcommand("serve", "run an experiment, or a fit, with clients that join over a network");
  command->add_option("FILE", r.file, "the config, a TOML file")->required()->check(CLI::ExistingFile);
  command->add_option("--listen", s.listen, "HOST:PORT to listen on; port 0: any")->required();
  add_identity(*command, s.identity);
  command->add_option("--set", r.overrides, "set one value over the file: section.key=value; repeatable")
      ->allow_extra_args(false);
  command->add_option("--out", r.out, "run folder [runs/<name>-<seed>]");
  command->add_option("--threads", r.threads, "worker threads [all cores]")->check(CLI::Range(1u, 4096u));
  CLI::Option* resume = command->add_flag("--resume", r.resume, "go on where a run in the folder stopped");
  command->add_flag("--force", r.force, "replace a run that is already in the folder")->excludes(resume);
  s.wait = 60;
  command->add_option("--wait", s.wait, "seconds to wait for the clients of a run that goes on [60]");
  command->add_option("--metrics", s.metrics, "HOST:PORT of a page with numbers for Prometheus");
  command->add_option("--log", s.log, "a file that gets a line of JSON for each event");
  command->add_flag("--stay", arguments->stay,
                    "once the run is finished, tell newcomers their clusters (coterie assign --server)");
  command->add_flag("--quiet", s.quiet, "print nothing but errors");
  command->callback([arguments, &status] {
    arguments->run.quiet = true;  // the server says what there is to see
    status = serve(*arguments);
  });
}

struct JoinArguments {
  JoinRequest request;
  OwnFile file;
  std::string client;
};

void add_join(CLI::App& app, int& status) {
  auto arguments = std::make_shared<JoinArguments>();
  JoinRequest& r = arguments->request;
  CLI::App* command =
      app.add_subcommand("join", "take part in a run of `coterie serve`, with data of your own");
  command->add_option("--server", r.server, "HOST:PORT of the server")->required();
  command->add_option("--name", r.identity.name, "whose certificate in the folder is yours")->required();
  command->add_option("--data", arguments->file.path, "your data, a file that the run's config can read")
      ->required();
  command->add_option("--client", arguments->client, "whose rows, where the file has those of several");
  add_identity(*command, r.identity);
  command->add_option("--policy", r.policy,
                      "what the run may do with the data, a TOML file (docs/deploy.md)");
  command->add_option("--out", r.out, "where the final model and its report go [nowhere]");
  command->add_option("--state", r.state, "where what the client keeps lives between starts [--out]");
  command->add_option("--patience", r.patience, "seconds without a server before it gives up [never]");
  command->add_flag("--quiet", r.quiet, "print nothing but errors");
  command->callback([arguments, &status] {
    JoinRequest& request = arguments->request;
    if (!arguments->client.empty()) arguments->file.client = arguments->client;
    if (request.state.empty()) request.state = request.out;
    request.open = [arguments](const std::string& reading) {
      return open_own_data(reading, arguments->file);
    };
    request.stopped = stop_requested;
    const std::unique_ptr<Network> network = load_network("join");
    stop_when_asked("this order");
    status = network->join(request) ? 0 : 1;
  });
}

void add_certs(CLI::App& app) {
  auto request = std::make_shared<CertsRequest>();
  auto lists = std::make_shared<std::array<std::string, 3>>();
  CLI::App* command = app.add_subcommand("certs", "a private CA, and certificates for a server and clients");
  command->add_option("DIR", request->folder, "where they go; a CA that is there signs more")->required();
  command->add_option("--server", (*lists)[0],
                      "names and addresses of the server, as clients dial it: a,b,c");
  command->add_option("--clients", (*lists)[1], "names of clients: a,b,c");
  command->add_option("--revoke", (*lists)[2], "names of clients whose certificates count no longer: a,b,c");
  command->add_option("--days", request->days, "until they expire [365]")->check(CLI::Range(1, 36500));
  command->callback([request, lists] {
    const auto names = [](const std::string& list) {
      return list.empty() ? std::vector<std::string>() : split(list, ',');
    };
    request->servers = names((*lists)[0]);
    request->clients = names((*lists)[1]);
    request->revoke = names((*lists)[2]);
    for (const std::string& line : load_network("certs")->make_certs(*request)) std::cout << line << '\n';
  });
}

void add_check(CLI::App& app, int& status) {
  auto request = std::make_shared<CheckRequest>();
  CLI::App* command = app.add_subcommand("check", "which step of a connection to a server fails");
  command->add_option("SERVER", request->server, "HOST:PORT")->required();
  command->add_option("--name", request->identity.name, "whose certificate in the folder is yours")
      ->required();
  add_identity(*command, request->identity);
  command->callback([request, &status] {
    const auto say = [](const std::string& line) { std::cout << on_a_screen(line) << std::endl; };
    status = load_network("check")->check(*request, say) ? 0 : 1;
  });
}

}  // namespace

void add_network_commands(CLI::App& app, int& status) {
  add_serve(app, status);
  add_join(app, status);
  add_certs(app);
  add_check(app, status);
}

}  // namespace coterie
