#include <unistd.h>

#include <csignal>
#include <iostream>

#include "commands.h"
#include "coterie/run.h"
#include "report/compare.h"
#include "report/html.h"
#include "report/summary_text.h"

namespace coterie {
namespace {

struct Arguments {
  RunRequest request;
  std::string seed;
  std::string fleet;
};

// The first signal asks for an orderly stop after the round; a second one ends the program at once.
void on_signal(int signal) {
  request_stop();
  std::signal(signal, SIG_DFL);
}

// Prints what came out, and writes the page that compares.
int conclude(const std::vector<RunOutcome>& outcomes, bool quiet) {
  int status = 0;
  std::vector<std::string> finished;
  for (const RunOutcome& one : outcomes) {
    if (one.finished) {
      finished.push_back(one.folder);
      continue;
    }
    status = 1;
    if (one.error.empty()) {
      std::cerr << "stopped, with a checkpoint in " << one.folder
                << "; the same command with --resume goes on\n";
      return status;
    }
    std::string known = one.error.starts_with("error: ") ? one.error.substr(7) : one.error;
    std::cerr << "error: " << one.label << ": " << known << '\n';
  }
  if (finished.empty()) return status;
  Marks marks = isatty(STDOUT_FILENO) ? Marks::bold : Marks::star;
  if (outcomes.size() == 1) {
    if (quiet) return status;
    std::cout << summary_text(finished[0], marks);
    std::cout << "\nRun folder: " << finished[0] << " (open report.html in it)\n";
    return status;
  }
  const RunOutcome& first = outcomes.front();
  std::string parent = first.folder.substr(0, first.folder.size() - first.label.size() - 1);
  write_comparison(finished, parent + "/compare.html");
  if (quiet) return status;
  std::vector<RunRecord> runs;
  for (const std::string& folder : finished) runs.push_back(read_run(folder));
  std::cout << compare_table(runs, marks);
  std::cout << "\nRun folders: " << parent << " (open compare.html in it)\n";
  return status;
}

}  // namespace

void add_run_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  RunRequest& r = arguments->request;
  CLI::App* command = app.add_subcommand("run", "run an experiment, or every run of its sweep");
  command->add_option("FILE", r.file, "the config, a TOML file")->required()->check(CLI::ExistingFile);
  command->add_option("--set", r.overrides, "set one value over the file: section.key=value; repeatable")
      ->allow_extra_args(false);
  command->add_option("--out", r.out,
                      "run folder [runs/<name>-<seed>]; a sweep writes one below it for each run");
  command->add_option("--seed", arguments->seed, "short for --set seed=N");
  command->add_option("--threads", r.threads, "worker threads [all cores]")->check(CLI::Range(1u, 4096u));
  command->add_option("--fleet", arguments->fleet, "short for --set fleet.kind=KIND");
  command->add_option("--data", r.data_folder, "where data sets are [$COTERIE_DATA]");
  CLI::Option* resume = command->add_flag("--resume", r.resume, "go on where a run in the folder stopped");
  command->add_flag("--force", r.force, "replace a run that is already in the folder")->excludes(resume);
  command->add_flag("--quiet", r.quiet, "print nothing but errors");
  command->callback([arguments, &status] {
    RunRequest& request = arguments->request;
    if (!arguments->seed.empty()) request.overrides.push_back("seed=" + arguments->seed);
    if (!arguments->fleet.empty()) request.overrides.push_back("fleet.kind=" + arguments->fleet);
    request.finished = [](const RunOutcome& one) { write_report(one.folder); };
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    status = conclude(run_experiment(request), request.quiet);
  });
}

}  // namespace coterie
