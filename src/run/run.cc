#include "coterie/run.h"

#include <atomic>
#include <iostream>

#include "base/sealed_summary.h"
#include "run/in_common.h"
#include "run/notices.h"
#include "run/runner.h"

namespace coterie {
namespace {

std::atomic<bool> g_stop{false};

// Each rank has every so manieth run, and afterwards all know how all went.
std::vector<RunOutcome> spread_runs(const std::vector<ReadyRun>& runs, const RunRequest& request,
                                    Ranks& ranks) {
  check_same_folder(ranks, folder_of(runs.front().folder));
  RunRequest own = request;
  own.quiet = request.quiet || !ranks.leads();
  struct Ended {
    bool finished = false;
    std::string error;
    void fields(Archive& a) { a(finished, error); }
  };
  std::vector<Ended> mine(runs.size());
  for (std::size_t i = ranks.rank(); i < runs.size() && !g_stop.load(); i += ranks.count()) {
    if (!own.quiet) std::cerr << runs[i].label << '\n';
    try {
      if (runs[i].done && !request.renew) {
        check_summary(runs[i].folder, read_summary(runs[i].folder), Vouched::all);
      }
      mine[i].finished = runs[i].done || run_one(runs[i], own);
    } catch (const Error& e) {
      mine[i].error = e.what();
    }
    if (mine[i].finished && request.finished) request.finished({runs[i].folder, runs[i].label, true, ""});
  }
  std::vector<RunOutcome> outcomes;
  std::vector<std::vector<Ended>> all;
  for (const Bytes& one : ranks.gather(encode(mine, Precision::f64))) {
    all.push_back(decode<std::vector<Ended>>(one, Precision::f64));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Ended& ended = all[i % ranks.count()][i];
    outcomes.push_back({runs[i].folder, runs[i].label, ended.finished, ended.error});
  }
  return outcomes;
}

}  // namespace

void request_stop() { g_stop.store(true); }
bool stop_requested() { return g_stop.load(); }

std::vector<RunOutcome> run_experiment(const RunRequest& request) {
  Ranks& ranks = request.share == RunRequest::Share::nothing ? alone() : launched_ranks();
  std::vector<ReadyRun> runs = prepare(request, ranks);
  const bool quiet = request.quiet || !ranks.leads();
  // Configs that programs write may carry what other runs need.
  if (!quiet && request.text.empty()) {
    std::vector<const Config*> configs;
    for (const ReadyRun& run : runs) configs.push_back(&run.config);
    for (const std::string& text : notes_on_unused(configs)) std::cerr << "note: " << text << '\n';
  }
  if (request.share == RunRequest::Share::runs && ranks.count() > 1) return spread_runs(runs, request, ranks);
  std::vector<RunOutcome> outcomes;
  for (const ReadyRun& run : runs) {
    RunOutcome outcome{run.folder, run.label, true, ""};
    if (!quiet && runs.size() > 1) std::cerr << run.label << '\n';
    try {
      if (run.done) {
        on_first(ranks, [&] {
          if (!request.renew) check_summary(run.folder, read_summary(run.folder), Vouched::all);
        });
      } else {
        outcome.finished = run_one(run, request);
      }
    } catch (const Error& e) {
      if (runs.size() == 1 || !all_fail(ranks)) throw;
      // One run of a sweep costs that run.
      outcome.finished = false;
      outcome.error = e.what();
    }
    if (outcome.finished && request.finished && ranks.leads()) request.finished(outcome);
    outcomes.push_back(outcome);
    if (!outcome.finished && outcome.error.empty()) break;
  }
  return outcomes;
}

}  // namespace coterie
