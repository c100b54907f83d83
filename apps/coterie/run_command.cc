#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "base/disk.h"
#include "base/excerpt.h"
#include "base/launch.h"
#include "commands.h"
#include "coterie/run.h"
#include "fit_command.h"
#include "fleet/fleets.h"
#include "report/compare.h"
#include "report/html.h"
#include "report/summary_text.h"
#include "stopping.h"

namespace coterie {
namespace {

struct RunArguments {
  RunRequest request;
  std::string seed;
  std::string fleet;
  std::string spread = "clients";
};

// The command that goes on with a run that was stopped.
std::string resume_command(const RunRequest& r) {
  const unsigned processes = launch_of_environment().count;
  std::string text = processes > 1 ? "mpirun -n " + std::to_string(processes) + " " : "";
  text += shell_word(program_invocation_name) + " run " + shell_word(r.file);
  for (const std::string& one : r.overrides) text += " --set " + shell_word(one);
  if (!r.out.empty()) text += " --out " + shell_word(r.out);
  if (!r.data_folder.empty()) text += " --data " + shell_word(r.data_folder);
  if (r.threads > 0) text += " --threads " + std::to_string(r.threads);
  if (r.share == RunRequest::Share::runs) text += " --spread runs";
  return text + (r.quiet ? " --quiet" : "") + " --resume";
}

// A page that cannot be written costs no result. `later`: the command that writes it.
bool try_page(const std::function<void()>& write, const std::string& later) {
  try {
    write();
    return true;
  } catch (const Error& e) {
    std::cerr << on_a_screen(std::string("warning: all results are there, but a page is not: ") + e.what())
              << "\nTo write it later:\n  " << shell_word(program_invocation_name) << later << '\n';
    return false;
  }
}

// Prints what came out, and writes the page that compares.
int conclude(const std::vector<RunOutcome>& outcomes, const RunRequest& request) {
  const bool quiet = request.quiet;
  int status = 0;
  std::vector<std::string> finished;
  std::vector<std::string> failed;
  for (const RunOutcome& one : outcomes) {
    if (one.finished) {
      finished.push_back(one.folder);
      continue;
    }
    status = 1;
    if (one.error.empty()) {
      std::cerr << "stopped; the rounds so far are kept in " << one.folder << ". To go on:\n  "
                << resume_command(request) << '\n';
      return status;
    }
    std::string known = one.error.starts_with("error: ") ? one.error.substr(7) : one.error;
    std::cerr << on_a_screen("error: " + one.label + ": " + known) << '\n';
    failed.push_back(one.folder);
  }
  if (finished.empty()) return status;
  // What an attack does to a run is the run's result.
  for (const std::string& folder : finished) {
    const RunRecord run = read_run(folder);
    if (!run.summary.diverged() || !run.summary.attack.empty()) continue;
    status = 1;
    if (quiet)
      std::cerr << on_a_screen("error: " + folder + ": " + verdict_text(run, read_events(folder))) << '\n';
  }
  // What a launcher gives its processes may look like a terminal, wherever it ends.
  const bool terminal = isatty(STDOUT_FILENO) && launch_of_environment().count == 1;
  Marks marks = terminal ? Marks::bold : Marks::star;
  if (outcomes.size() == 1) {
    if (quiet) return status;
    std::cout << summary_text(finished[0], marks);
    if (is_file(finished[0] + "/report.html"))
      std::cout << "\nOpen " << finished[0] << "/report.html to see the clusters and the curves.\n";
    return status;
  }
  const RunOutcome& first = outcomes.front();
  std::string parent = first.folder.substr(0, first.folder.size() - first.label.size() - 1);
  const std::string compare_page = parent + "/compare.html";
  // Only now the pages can say what clients gain over the other runs.
  try_page([&] { renew_reports(finished); }, " report " + shell_word(parent));
  const bool page = try_page([&] { write_comparison(finished, compare_page, failed); },
                             " compare " + shell_word(parent) + " --html " + shell_word(compare_page));
  if (quiet) return status;
  std::vector<RunRecord> runs;
  for (const std::string& folder : finished) runs.push_back(read_run(folder));
  std::cout << compare_table(runs, marks);
  if (!failed.empty()) std::cout << '\n' << unfinished_text(failed) << '\n';
  if (page) {
    std::cout << "\nOpen " << parent
              << "/compare.html; it links to the page of each run, which shows its clusters.\n";
  }
  return status;
}

}  // namespace

void add_run_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<RunArguments>();
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
  command
      ->add_option(
          "--spread", arguments->spread,
          "what processes started by mpirun share: the clients of each run (with --fleet mpi), or the "
          "runs of a sweep [clients]")
      ->check(CLI::IsMember({"clients", "runs"}));
  command->add_option("--data", r.data_folder, "where data sets are [$COTERIE_DATA]");
  CLI::Option* resume = command->add_flag("--resume", r.resume, "go on where a run in the folder stopped");
  command->add_flag("--force", r.force, "replace a run that is already in the folder")->excludes(resume);
  command->add_flag("--quiet", r.quiet, "print nothing but errors");
  command->callback([arguments, &status] {
    RunRequest& request = arguments->request;
    if (!arguments->seed.empty()) request.overrides.push_back("seed=" + arguments->seed);
    if (!arguments->fleet.empty()) request.overrides.push_back("fleet.kind=" + arguments->fleet);
    if (arguments->spread == "runs") request.share = RunRequest::Share::runs;
    request.finished = [](const RunOutcome& one) {
      try_page([&] { write_report(one.folder); }, " report " + shell_word(one.folder));
    };
    stop_when_asked("this round");
    Ranks& ranks = launched_ranks();
    if (is_fit(request)) {
      check_spread("fit", request.share == RunRequest::Share::runs);
      status = run_fit_file(request);
      return;
    }
    const std::vector<RunOutcome> outcomes = run_experiment(request);
    if (ranks.leads()) status = conclude(outcomes, request);
  });
}

}  // namespace coterie
