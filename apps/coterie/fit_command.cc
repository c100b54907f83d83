#include "fit_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "base/excerpt.h"
#include "base/launch.h"
#include "base/text.h"
#include "commands.h"
#include "fit/fit.h"
#include "run/sweep.h"
#include "stopping.h"

namespace coterie {
namespace {

struct FitCommand {
  FitArguments arguments;
  std::vector<std::string> overrides;
  FitRequest request;
  std::string spread;
};

int conclude_fit(const FitRequest& request, const std::string& command) {
  const FitOutcome outcome = run_fit(request);
  // Of several processes the first speaks, and has the status.
  if (outcome.helped || launch_of_environment().rank > 0) return 0;
  if (!outcome.finished) {
    std::cerr << "stopped; what is done is kept in " << outcome.folder << ". To go on:\n  " << command
              << " --resume\n";
    return 1;
  }
  if (!request.quiet) {
    std::cout << outcome.text << "\nOpen " << outcome.folder << "/fit.html for the page, and "
              << outcome.folder << "/run/report.html for the chosen run.\n";
  }
  if (outcome.error.empty()) return 0;
  std::cerr << on_a_screen("error: " + outcome.error) << '\n';
  return 1;
}

void add_word(std::string& command, const std::string& option, const std::string& value) {
  if (!value.empty()) command += " " + option + " " + shell_word(value);
}

std::string common_words(const FitRequest& r) {
  std::string text;
  add_word(text, "--out", r.out);
  add_word(text, "--data", r.data_folder);
  if (r.threads > 0) text += " --threads " + std::to_string(r.threads);
  return text + (r.quiet ? " --quiet" : "");
}

std::string fit_words(const FitCommand& c) {
  const FitArguments& a = c.arguments;
  std::string text = shell_word(program_invocation_name) + " fit " + shell_word(a.table);
  add_word(text, "--client", a.client);
  add_word(text, "--target", a.target);
  add_word(text, "--truth", a.truth);
  add_word(text, "--group", a.group);
  add_word(text, "--time", a.time);
  add_word(text, "--methods", a.methods);
  add_word(text, "--clusters", a.clusters);
  add_word(text, "--model", a.model);
  add_word(text, "--drop", a.drop);
  add_word(text, "--describe", a.describe);
  if (a.minutes > 0) text += fmt::format(" --minutes {}", a.minutes);
  for (const std::string& one : c.overrides) add_word(text, "--set", one);
  if (a.seed != 1) text += " --seed " + std::to_string(a.seed);
  return text + common_words(c.request);
}

void set_all(const std::vector<std::string>& overrides, Table& table) {
  for (const std::string& text : overrides) {
    const Override one = parse_override(text);
    set_path(table, one.path, one.value);
  }
}

Table config_of(const RunRequest& request) {
  Table table = read_toml(request.file);
  set_all(request.overrides, table);
  return table;
}

std::string not_minutes(const std::string& text) {
  char* end = nullptr;
  const double minutes = std::strtod(text.c_str(), &end);
  const bool whole = end != text.c_str() && *end == 0;
  return whole && std::isfinite(minutes) && minutes > 0 ? "" : "must be a number above 0";
}

}  // namespace

bool is_fit(const RunRequest& request) { return config_of(request).find("fit") != nullptr; }

FitRequest fit_request(const RunRequest& request) {
  FitRequest fit;
  fit.config = config_of(request);
  fit.file = request.file;
  fit.out = request.out;
  fit.data_folder = request.data_folder;
  fit.threads = request.threads;
  fit.resume = request.resume;
  fit.force = request.force;
  fit.quiet = request.quiet;
  fit.spread_runs = request.share == RunRequest::Share::runs;
  fit.elsewhere = request.elsewhere;
  return fit;
}

int run_fit_file(const RunRequest& request) {
  const FitRequest fit = fit_request(request);
  std::string command = shell_word(program_invocation_name) + " run " + shell_word(request.file);
  for (const std::string& one : request.overrides) add_word(command, "--set", one);
  stop_when_asked("this fold");
  return conclude_fit(fit, command + common_words(fit));
}

void add_fit_command(CLI::App& app, int& status) {
  auto fit = std::make_shared<FitCommand>();
  FitArguments& a = fit->arguments;
  FitRequest& r = fit->request;
  CLI::App* command =
      app.add_subcommand("fit", "from a table to two answers: what to use, and whether clients form groups");
  command->add_option("TABLE", a.table, "comma-separated values, gzipped or not")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--client", a.client, "column that says which client a row belongs to")->required();
  command->add_option("--target", a.target, "column to predict")->required();
  command->add_option("--truth", a.truth, "column with the true cluster of each client, to compare with");
  command->add_option("--methods", a.methods, "methods to try besides the fixed candidates: a,b");
  command->add_option("--clusters", a.clusters, "numbers of groups to try [2..6]");
  command->add_option("--model", a.model,
                      "model of every candidate [auto: linear or softmax, mlp where rows allow]");
  command->add_option("--group", a.group, "column whose equal values must stay together in a split");
  command->add_option("--time", a.time, "column of time: later rows judge what earlier ones taught");
  command->add_option("--drop", a.drop, "columns to leave out: a,b");
  command->add_option("--describe", a.describe, "columns that describe clients, to compare groups with: a,b");
  command->add_option("--minutes", a.minutes, "start no further candidate after so many minutes")
      ->check(not_minutes, "", "");
  command
      ->add_option(
          "--set", fit->overrides,
          "set one value as in a config: data.separator=';', data.categorical=[\"ward\"]; repeatable")
      ->allow_extra_args(false);
  command->add_option("--seed", a.seed, "of every random choice [1]");
  command->add_option("--threads", r.threads, "worker threads [all cores]")->check(CLI::Range(1u, 4096u));
  command->add_option("--out", r.out, "folder [runs/fit-<table>-<seed>]");
  command->add_option("--spread", fit->spread, "runs: processes started by mpirun share the candidates")
      ->check(CLI::IsMember({"runs"}));
  CLI::Option* resume = command->add_flag("--resume", r.resume, "go on where a fit in the folder stopped");
  command->add_flag("--force", r.force, "replace a fit that is already in the folder")->excludes(resume);
  command->add_flag("--quiet", r.quiet, "print nothing but errors");
  command->callback([fit, &status] {
    fit->request.config = fit_config(fit->arguments);
    set_all(fit->overrides, fit->request.config);
    fit->request.file = fit->arguments.table;
    fit->request.spread_runs = !fit->spread.empty();
    check_spread("fit", fit->request.spread_runs);
    stop_when_asked("this fold");
    status = conclude_fit(fit->request, fit_words(*fit));
  });
}

}  // namespace coterie
