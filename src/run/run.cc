#include "coterie/run.h"

#include <fmt/format.h>

#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/progress.h"
#include "base/sealed_summary.h"
#include "base/text.h"
#include "base/threads.h"
#include "run/checkpoint.h"
#include "run/config_difference.h"
#include "run/divergence.h"
#include "run/folder_lock.h"
#include "run/handover.h"
#include "run/identity.h"
#include "run/notices.h"
#include "run/schema.h"
#include "run/split_file.h"
#include "run/summary.h"
#include "run/sweep.h"
#include "run/sweep_folder.h"

namespace coterie {
namespace {

std::atomic<bool> g_stop{false};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Leaves a start that was asked to stop; no Error, which a start may take for the failure of one of its
// trials.
struct StopAsked {};

// Whether the user should see an event at once.
bool warns(const Event& event) {
  return event.kind == "warning" || event.kind == "diverged" || event.kind == "too-few-groups" ||
         event.kind == "unclear-groups" || event.kind == "anchors-on-their-way";
}

// One run that is ready to go: its config, its place, and how it is to be run.
struct ReadyRun {
  Config config;
  std::string label;
  std::string folder;
  bool resume = false;  // what is in the folder
  bool longer = false;  // goes on with a run of fewer rounds
};

class Runner {
 public:
  Runner(const ReadyRun& run, const RunRequest& request)
      : config_(run.config),
        folder_(run.folder),
        resume_(run.resume),
        longer_(run.longer),
        threads_(request.threads == 0 ? hardware_threads() : request.threads),
        progress_(std::cerr, Progress::style_of_stderr(request.quiet), "round"),
        request_(request) {}

  // Returns false when it was asked to stop before the end.
  bool run() {
    std::string resolved = write_toml(config_.resolved());
    if (folder_.holds_run()) lock_.take(folder_.path());
    std::optional<Checkpoint> from = resume_ ? read_checkpoint(folder_) : std::nullopt;
    Session session(config_, data_folder(request_), threads_, folder_.file("checkpoint"));
    origin_ = Origin::of(session);
    if (from) load(session, *from);
    open_folder(resolved, session, from);
    begun_ = now();
    std::uint32_t t = 0;
    if (from) {
      t = from->round;
      training_seconds_ = from->seconds;
      begun_ -= from->all_seconds;
      session.fleet().begin_round(t);
    } else {
      session.report_notes();
      log_events(session);
      try {
        session.start([&](std::uint32_t round) {
          folder_.log_round(round, "init", start_record(session, round));
          progress_.show(0, last_round(), "starting");
          log_events(session);
          if (g_stop.load()) throw StopAsked{};
        });
      } catch (const StopAsked&) {
        return false;  // nothing is lost but the start, which a resumed run makes again
      } catch (const FileError&) {
        throw;
      } catch (const Error& e) {
        const std::string why = why_replies_were_unusable(session);
        if (why.empty()) throw;
        throw Error(e.what() + why);
      }
      log_events(session);
    }
    bool over = is_over(session, t);
    if (t > 0 || over) conclude(session, t, over);
    while (!over) {
      ++t;
      train(session, t);
      over = is_over(session, t);
      if (session.algorithm().finished()) report_end(session, t);
      log_events(session);
      bool stop = g_stop.load();
      std::int64_t every = config_.checkpoint.every;
      if (over || stop || (every > 0 && t % every == 0)) save(session, t);
      if (stop && !over) return false;
      conclude(session, t, over);
    }
    finish(session, t);
    return true;
  }

  static std::string data_folder(const RunRequest& request) {
    if (!request.data_folder.empty()) return request.data_folder;
    const char* from_environment = std::getenv("COTERIE_DATA");
    return from_environment == nullptr ? "" : from_environment;
  }

 private:
  // Refuses whatever does not fit, before anything is touched.
  void load(Session& session, const Checkpoint& from) const {
    check_origin(from.origin, origin_, folder_.path());
    Archive a = Archive::reader(from.state, Precision::f64);
    session.load(a);
    a.expect_end();
  }

  void train(Session& session, std::uint32_t t) {
    double started = now();
    const auto keep_reasons = [&] {
      try {
        log_events(session);
        folder_.flush_logs();
      } catch (const FileError&) {
        // What ended the round comes first.
      }
    };
    try {
      session.round(t);
    } catch (const BelowQuorum& e) {
      const std::string why = why_replies_were_unusable(session);
      keep_reasons();
      throw BelowQuorum(e.what() + why);
    } catch (const Error&) {
      keep_reasons();
      throw;
    }
    double seconds = now() - started;
    training_seconds_ += seconds;
    folder_.log_time(t, seconds);
  }

  std::uint32_t last_round() const { return static_cast<std::uint32_t>(config_.rounds.count); }
  bool is_over(Session& session, std::uint32_t t) const {
    return t == last_round() || (t > 0 && session.algorithm().finished());
  }
  // Whether or not this is the last round too, so that a run that is made longer has the events of one that
  // was as long from the start.
  void report_end(Session& session, std::uint32_t t) const {
    session.fleet().report(
        {0,
         "finished",
         {},
         fmt::format("{} has nothing left to do after {}", config_.algorithm_kind, counted(t, "round")),
         {}});
  }

  // Nothing is written before the data is loaded and everything fits.
  void open_folder(const std::string& resolved, const Session& session,
                   const std::optional<Checkpoint>& from) {
    lock_.take(folder_.path());
    if (!request_.force && !request_.resume && is_there(folder_.file("config.toml"))) {
      throw Error(folder_.path() + ": another program has started a run there; choose another --out");
    }
    const Checkpoint nothing;
    const Checkpoint& kept = from ? *from : nothing;
    folder_.check_logs(kept.rounds, kept.events);
    if (!from) folder_.clear();
    if (from && longer_) folder_.reopen(resolved);
    folder_.create();
    write_atomically(folder_.file("agreement.toml"), session.agreement_text());
    if (!from) write_split(folder_, session.federation());
    if (!from) write_atomically(folder_.file("config.toml"), resolved);
    folder_.open_logs(kept.rounds, kept.events);
    folder_.open_times(from ? from->round : 0);
  }

  static Record traffic_record(Session& session) {
    Record record;
    Evaluation traffic_only;
    traffic_only.traffic = session.fleet().traffic();
    Registry<Metric>::instance().make("bytes")->measure(traffic_only, record);
    return record;
  }

  // A round of the start: with figures if it is due and the start says what models it has.
  Record start_record(Session& session, std::uint32_t round) {
    if (round % config_.evaluate.every == 0) {
      if (const auto evaluation = session.evaluate_start(round)) return measure(*evaluation);
    }
    return traffic_record(session);
  }

  // Evaluates a round if it is due, and logs it.
  void conclude(Session& session, std::uint32_t t, bool final) {
    Record record;
    if (final || t % config_.evaluate.every == 0) {
      evaluation_ = session.evaluate(t, final);
      record = measure(evaluation_);
      status_ = status_of(record);
      if (final) final_record_ = record;
    } else {
      record = traffic_record(session);
    }
    log_events(session);
    folder_.log_round(t, "train", record);
    folder_.flush_logs();
    progress_.show(t, final ? t : last_round(), status_);
  }

  void log_events(Session& session) {
    constexpr int kSpoken = 10;
    std::vector<Event> rejected;
    for (Event& event : session.fleet().take_events()) {
      if (event.client && session.federation().truth().clusters > 1) {
        event.numbers.emplace_back("truth", session.federation().info(*event.client).truth);
      }
      folder_.log_event(event);
      if (event.kind == "note" || event.kind == "rate" || event.kind == "liars")
        progress_.say("note: " + event.text);
      if (event.kind == "finished" && event.round < last_round())
        progress_.say(fmt::format("note: {} of {}", event.text, last_round()));
      if (warns(event)) progress_.say("warning: " + event.text);
      if (event.kind == "rejected") rejected.push_back(std::move(event));
    }
    if (rejected.empty() || ++warnings_ > kSpoken) return;
    progress_.say("warning: " + left_out_text(session.federation(), rejected));
    if (warnings_ == kSpoken)
      progress_.say("warning: further warnings go to " + folder_.file("events.jsonl") + " only");
  }

  void save(Session& session, std::uint32_t t) {
    Checkpoint checkpoint;
    checkpoint.round = t;
    checkpoint.origin = origin_;
    std::tie(checkpoint.rounds, checkpoint.events) = folder_.sync_logs();
    checkpoint.seconds = training_seconds_;
    checkpoint.all_seconds = now() - begun_;
    Archive a = Archive::writer(Precision::f64);
    session.save(a);
    checkpoint.state = a.take();
    write_checkpoint(folder_, checkpoint);
  }

  void finish(Session& session, std::uint32_t rounds) {
    session.deliver();
    const Handover handover = Handover::of(session, evaluation_);
    const Verdict verdict = rounds == 0 ? Verdict{} : judge_training(session);
    if (verdict.diverged) {
      session.fleet().report(
          {0, "diverged", {}, verdict.text, {{"loss", verdict.loss}, {"random", verdict.random}}});
    }
    log_events(session);
    folder_.flush_logs();  // the summary vouches for them
    folder_.remove_models();
    write_schema(folder_, session, handover.files());
    handover.write(folder_, session);
    write_clients(folder_, session, evaluation_);
    RunCost cost;
    cost.seconds = now() - begun_;
    cost.seconds_per_round = rounds == 0 ? 0 : training_seconds_ / rounds;
    cost.threads = threads_;
    cost.peak_rss_bytes = peak_rss_bytes();
    write_summary(folder_, session, evaluation_, final_record_, rounds, cost, verdict.name());
    progress_.finish();
  }

  const Config& config_;
  RunFolder folder_;
  FolderLock lock_;
  Origin origin_;
  bool resume_;
  bool longer_;
  unsigned threads_;
  Progress progress_;
  const RunRequest& request_;
  double begun_ = 0;
  double training_seconds_ = 0;
  int warnings_ = 0;
  std::string status_;
  Evaluation evaluation_;
  Record final_record_;
};

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
  if (request.resume && !run.resume && !request.renew) {
    return "holds a run of another config (" + config_difference(there, here) +
           "): resume with that config, which is its config.toml, or start again with --force";
  }
  return "";
}

// Reads and checks every planned run, and the folders they want, before any of them starts.
std::vector<ReadyRun> prepare(const RunRequest& request) {
  Table table = request.text.empty() ? read_toml(request.file) : parse_toml(request.text, request.file);
  std::vector<Override> overrides;
  for (const std::string& text : request.overrides) overrides.push_back(parse_override(text));
  Problems problems;
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
  // A sweep has one folder, named after its first run, even when it is names or seeds that are swept.
  const Config& first = runs.front().config;
  std::string base =
      request.out.empty() ? fmt::format("runs/{}-{}", folder_name(first.name), first.seed) : request.out;
  std::set<std::string> taken;
  bool swept = !runs.front().label.empty();
  if (swept) {
    std::string why = SweepFolder(base).refusal(request.resume, request.force);
    if (!why.empty()) problems.add({base, 0}, why);
    problems.raise_if_any();
  }
  for (ReadyRun& run : runs) {
    run.folder = run.label.empty() ? base : base + "/" + run.label;
    if (!taken.insert(run.folder).second) {
      problems.add({request.file, 0}, "two runs of the sweep would write to " + run.folder);
    }
    if (std::string why = refuse_folder(run, request); !why.empty()) problems.add({run.folder, 0}, why);
    try {
      run.config.federation.source->check_files({Runner::data_folder(request), 0, run.config.folder});
    } catch (const Error& e) {
      problems.add({request.file, 0}, e.what());
    }
  }
  problems.raise_if_any();
  if (swept) {
    std::vector<std::string> labels;
    for (const ReadyRun& run : runs) labels.push_back(run.label);
    SweepFolder(base).open(labels, request.force);
  }
  return runs;
}

}  // namespace

void request_stop() { g_stop.store(true); }
bool stop_requested() { return g_stop.load(); }

std::vector<RunOutcome> run_experiment(const RunRequest& request) {
  std::vector<ReadyRun> runs = prepare(request);
  // Configs that programs write may carry what other runs need.
  if (!request.quiet && request.text.empty()) {
    std::vector<const Config*> configs;
    for (const ReadyRun& run : runs) configs.push_back(&run.config);
    for (const std::string& text : notes_on_unused(configs)) std::cerr << "note: " << text << '\n';
  }
  std::vector<RunOutcome> outcomes;
  for (const ReadyRun& run : runs) {
    RunOutcome outcome{run.folder, run.label, true, ""};
    if (!request.quiet && runs.size() > 1) std::cerr << run.label << '\n';
    try {
      if (run.resume && !run.longer && RunFolder(run.folder).finished()) {
        if (!request.renew) check_summary(run.folder, read_summary(run.folder), Vouched::all);
      } else {
        outcome.finished = Runner(run, request).run();
      }
    } catch (const Error& e) {
      if (runs.size() == 1) throw;
      // One run of a sweep costs that run.
      outcome.finished = false;
      outcome.error = e.what();
    }
    if (outcome.finished && request.finished) request.finished(outcome);
    outcomes.push_back(outcome);
    if (!outcome.finished && outcome.error.empty()) break;
  }
  return outcomes;
}

}  // namespace coterie
