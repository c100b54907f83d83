#include "run/ready.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/launch.h"
#include "run/config_difference.h"
#include "run/folder.h"
#include "run/identity.h"
#include "run/meeting.h"
#include "run/sweep.h"
#include "run/sweep_folder.h"

namespace coterie {
namespace {

// "rotated digits" -> "rotated-digits".
std::string folder_name(const std::string& name) {
  std::string out;
  for (char c : name) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
    out += plain ? c : '-';
  }
  return out.empty() ? "run" : out;
}

// Why this run cannot use its folder; "" when it can. Finds out whether there is anything to resume.
std::string refuse_folder(ReadyRun& run, const RunRequest& request) {
  namespace fs = std::filesystem;
  fs::path existing = fs::absolute(run.folder);
  std::error_code error;
  while (!fs::exists(existing, error) && existing.has_relative_path()) existing = existing.parent_path();
  if (!fs::is_directory(existing, error)) return existing.string() + " is not a folder: choose another --out";
  RunFolder folder(run.folder);
  if (SweepFolder(run.folder).holds_sweep()) {
    return "holds a sweep: a single run needs a folder of its own; choose another --out";
  }
  if (!folder.holds_run()) {
    return folder.vacant() ? "" : "is not empty and holds no coterie run: choose another --out";
  }
  if (!is_there(folder.file("config.toml"))) {
    // Killed before it had written anything, unless a finished run has lost the file.
    if (!folder.finished() || request.force) return "";
    return "holds a finished run whose config.toml is missing: restore it, replace the run with --force, or "
           "choose another --out";
  }
  if (!request.resume && !request.force) {
    return "already holds a run: go on with --resume, replace it with --force, or choose another --out";
  }
  const Table there = read_toml(folder.file("config.toml"));
  const Table here = run.config.resolved();
  run.longer = request.resume && bits_of(there) != bits_of(here) && wants_more_rounds(there, here);
  if (run.longer && run.config.algorithm->plans_ahead()) {
    return fmt::format(
        "holds a run that was planned for fewer rounds, and {} with these options plans for all rounds at "
        "the start: start again with --force, or choose another --out",
        run.config.algorithm_kind);
  }
  run.resume = request.resume && (run.longer || bits_of(there) == bits_of(here));
  run.done = run.resume && !run.longer && folder.finished();
  if (request.resume && !run.resume && !request.renew) {
    return "holds a run of another config (" + config_difference(there, here) +
           "): resume with that config, which is its config.toml, or start again with --force";
  }
  return "";
}

// What rank 0 finds in the folders, for all: they see it at different times.
void look_into_folders(std::vector<ReadyRun>& runs, const RunRequest& request, Ranks& ranks,
                       Problems& problems) {
  struct Found {
    std::string why;
    bool resume = false, longer = false, done = false;
    void fields(Archive& a) { a(why, resume, longer, done); }
  };
  std::vector<Found> found(runs.size());
  on_first(ranks, [&] {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      found[i].why = refuse_folder(runs[i], request);
      found[i].resume = runs[i].resume, found[i].longer = runs[i].longer, found[i].done = runs[i].done;
    }
  });
  const Bytes first = from_first(ranks, encode(found, Precision::f64));
  found = decode<std::vector<Found>>(first, Precision::f64);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].resume = found[i].resume, runs[i].longer = found[i].longer, runs[i].done = found[i].done;
    if (!found[i].why.empty()) problems.add({runs[i].folder, 0}, found[i].why);
  }
}

// Processes that a launcher started, and that know nothing of each other, would all write the same folder.
void check_connected(const ReadyRun& run, const RunRequest& request, Problems& problems) {
  using Share = RunRequest::Share;
  const unsigned processes = launch_of_environment().count;
  const unsigned sharing = run.config.fleet_kind->ranks().count();
  if (request.share != Share::clients && sharing > 1) {
    problems.add(
        {request.file, 0},
        "--spread runs: each run is one process's, but fleet.kind = \"mpi\" spreads the clients of a "
        "run; leave one of them out");
  }
  if (request.share == Share::runs && processes > 1 && run.label.empty()) {
    problems.add({request.file, 0},
                 "--spread runs: this is a single run, not a sweep; --fleet mpi spreads its clients");
  }
  if (request.share != Share::clients || processes == sharing) return;
  problems.add(
      {request.file, 0},
      fmt::format("coterie was started as {} processes (by mpirun or srun), but with fleet.kind = "
                  "\"{}\" a run is one process: add --fleet mpi (a sweep: or --spread runs), or start "
                  "coterie once",
                  processes, run.config.fleet_name));
}

}  // namespace

std::vector<ReadyRun> prepare(const RunRequest& request, Ranks& ranks) {
  Table table = request.text.empty() ? read_toml(request.file) : parse_toml(request.text, request.file);
  std::vector<Override> overrides;
  for (const std::string& text : request.overrides) overrides.push_back(parse_override(text));
  Problems problems;
  if (request.elsewhere != nullptr) leave_files_to_clients(table);
  std::vector<PlannedRun> plan = plan_runs(std::move(table), overrides, problems);
  std::vector<ReadyRun> runs;
  for (PlannedRun& planned : plan) {
    ReadyRun run;
    run.config = read_config(planned.table, request.file, problems);
    run.label = planned.label;
    run.config.folder = std::filesystem::path(request.file).parent_path().string();
    if (run.config.folder.empty()) run.config.folder = ".";
    if (run.config.name.empty()) run.config.name = std::filesystem::path(request.file).stem().string();
    runs.push_back(std::move(run));
  }
  problems.raise_if_any();
  for (const ReadyRun& run : runs) check_connected(run, request, problems);
  problems.raise_if_any();
  // A sweep has one folder, named after its first run, even when it is names or seeds that are swept.
  const Config& first = runs.front().config;
  std::string base =
      request.out.empty() ? fmt::format("runs/{}-{}", folder_name(first.name), first.seed) : request.out;
  std::set<std::string> taken;
  bool swept = !runs.front().label.empty();
  if (swept) {
    on_first(ranks, [&] {
      std::string why = SweepFolder(base).refusal(request.resume, request.force);
      if (!why.empty()) problems.add({base, 0}, why);
      problems.raise_if_any();
    });
  }
  for (ReadyRun& run : runs) {
    run.folder = run.label.empty() ? base : base + "/" + run.label;
    if (!taken.insert(run.folder).second) {
      problems.add({request.file, 0}, "two runs of the sweep would write to " + run.folder);
    }
    try {
      if (request.elsewhere == nullptr)
        run.config.federation.source->check_files({data_folder(request), 0, run.config.folder});
    } catch (const Error& e) {
      problems.add({request.file, 0}, e.what());
    }
  }
  look_into_folders(runs, request, ranks, problems);
  together(ranks, [&] { problems.raise_if_any(); });
  if (swept) {
    std::vector<std::string> labels;
    for (const ReadyRun& run : runs) labels.push_back(run.label);
    on_first(ranks, [&] { SweepFolder(base).open(labels, request.force); });
  }
  return runs;
}

std::string data_folder(const RunRequest& request) {
  if (!request.data_folder.empty()) return request.data_folder;
  const char* from_environment = std::getenv("COTERIE_DATA");
  return from_environment == nullptr ? "" : from_environment;
}

}  // namespace coterie
