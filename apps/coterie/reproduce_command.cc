#include <csignal>
#include <iostream>

#include "base/launch.h"
#include "commands.h"
#include "coterie/run.h"
#include "reproduce/reproduce.h"

namespace coterie {
namespace {

void stop_reproducing(int signal) {
  request_stop();
  std::signal(signal, SIG_DFL);
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& status) {
  struct Arguments {
    ReproduceRequest request;
    std::string scale = "quick";
    bool list = false;
    std::string spread;
  };
  auto arguments = std::make_shared<Arguments>();
  ReproduceRequest& r = arguments->request;
  CLI::App* command =
      app.add_subcommand("reproduce", "a paper's tables and figures, beside the paper's numbers");
  command->add_option("ID", r.ids, "a table or figure, or a paper for all of them; none: list them");
  command->add_flag("--list", arguments->list, "what there is");
  command->add_option("--scale", arguments->scale, "quick: minutes; paper: the paper's own sizes [quick]")
      ->check(CLI::IsMember({"quick", "paper"}));
  command->add_option("--seeds", r.seeds, "how many seeds (or trials) [as the experiment says]")
      ->check(CLI::Range(1, 100000));
  command->add_option("--only", r.only, "only cells whose name contains this text; repeatable")
      ->allow_extra_args(false);
  command->add_option("--out", r.out, "where results/<id> goes [results]");
  command->add_option("--data", r.data_folder, "where data sets are [$COTERIE_DATA]");
  command->add_option("--threads", r.threads, "worker threads [all cores]")->check(CLI::Range(1u, 4096u));
  command->add_option("--papers", r.papers, "another folder of experiments [those of the program]");
  command->add_option("--spread", arguments->spread, "runs: processes started by mpirun share the runs")
      ->check(CLI::IsMember({"runs"}));
  command->add_flag("--quiet", r.quiet, "no progress");
  command->callback([arguments, &status] {
    ReproduceRequest& request = arguments->request;
    if (arguments->list || request.ids.empty()) {
      std::cout << list_experiments(request.papers, request.data_folder);
      return;
    }
    request.scale = arguments->scale == "paper" ? Scale::paper : Scale::quick;
    request.spread_runs = !arguments->spread.empty();
    check_spread("reproduce", request.spread_runs);
    std::signal(SIGINT, stop_reproducing);
    std::signal(SIGTERM, stop_reproducing);
    const bool good = reproduce(request);
    // Of several processes the first has the status.
    status = good || launch_of_environment().rank > 0 ? 0 : 1;
  });
}

}  // namespace coterie
