#include "run/runner.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "base/launch.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/threads.h"
#include "fleet/elsewhere.h"
#include "run/checkpoint.h"
#include "run/divergence.h"
#include "run/folder_lock.h"
#include "run/handover.h"
#include "run/identity.h"
#include "run/in_common.h"
#include "run/meeting.h"
#include "run/notices.h"
#include "run/portrait.h"
#include "run/schema.h"
#include "run/split_file.h"
#include "run/summary.h"

namespace coterie {
namespace {

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

class Runner {
 public:
  Runner(const ReadyRun& run, const RunRequest& request)
      : config_(run.config),
        ranks_(config_.fleet_kind->ranks()),
        folder_(run.folder, ranks_.leads()),
        resume_(run.resume),
        longer_(run.longer),
        threads_(request.threads == 0 ? threads_of_process(launch_of_environment()) : request.threads),
        progress_(std::cerr, Progress::style_of_stderr(request.quiet || !ranks_.leads()), "round"),
        request_(request) {}

  // Returns false when it was asked to stop before the end.
  bool run() {
    std::string resolved = write_toml(config_.resolved());
    check_same_config(ranks_, resolved);
    std::optional<Checkpoint> from;
    on_first(ranks_, [&] {
      if (folder_.holds_run()) lock_.take(folder_.path());
    });
    together(ranks_, [&] {
      if (resume_) from = read_checkpoint(folder_);
    });
    check_same_checkpoint(ranks_, from ? from->round : 0, from.has_value(), folder_.path());
    ElsewhereRun elsewhere;
    if (request_.elsewhere != nullptr) {
      std::optional<ElsewhereRun> met = meet(config_, *request_.elsewhere, folder_, from.has_value());
      if (!met) return false;
      elsewhere = std::move(*met);
    }
    if (config_.fleet_kind->outlives()) {
      life_ = next_life(folder_, from.has_value());
      elsewhere.life = life_->name();
    }
    Session session(config_, data_folder(request_), threads_, folder_.file("checkpoint"), nullptr, elsewhere);
    joined_ = elsewhere.roster;
    origin_ = Origin::of(session);
    if (from) load(session, *from);
    open_folder(resolved, session, from);
    begun_ = now();
    spent_ = ranks_.spent;
    std::uint32_t t = 0;
    if (from) {
      t = from->round;
      training_seconds_ = from->seconds;
      begun_ -= from->all_seconds;
      session.fleet().begin_round(t);
    } else if (!start(session)) {
      return false;  // nothing is lost but the start, which a resumed run makes again
    }
    bool over = is_over(session, t);
    if (t > 0 || over) conclude(session, t, over);
    while (!over) {
      ++t;
      train(session, t);
      over = is_over(session, t);
      if (session.algorithm().finished()) report_end(session, t);
      log_events(session);
      const bool stop = asked_to_stop();
      std::int64_t every = config_.checkpoint.every;
      if (over || stop || (every > 0 && t % every == 0)) save(session, t);
      if (stop && !over) return false;
      conclude(session, t, over);
    }
    finish(session, t);
    return true;
  }

 private:
  // Refuses whatever does not fit, before anything is touched.
  void load(Session& session, const Checkpoint& from) const {
    check_origin(from.origin, origin_, folder_.path());
    Archive a = Archive::reader(from.state, Precision::f64);
    session.load(a);
    a.expect_end();
  }

  // Makes the first models. Returns false when it was asked to stop.
  bool start(Session& session) {
    session.report_notes();
    log_events(session);
    try {
      session.start([&](std::uint32_t round) {
        folder_.log_round(round, "init", start_record(session, round));
        progress_.show(0, last_round(), "starting");
        log_events(session);
        if (asked_to_stop()) throw StopAsked{};
      });
    } catch (const StopAsked&) {
      return false;
    } catch (const FileError&) {
      throw;
    } catch (const Error& e) {
      const std::string why = why_replies_were_unusable(session);
      if (why.empty()) throw;
      throw Error(e.what() + why);
    }
    log_events(session);
    return true;
  }

  // A signal may reach some ranks only, or each at another time.
  bool asked_to_stop() { return any_of(ranks_, stop_requested()); }

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
    on_first(ranks_, [&] {
      lock_.take(folder_.path());
      if (!request_.force && !request_.resume && is_there(folder_.file("config.toml"))) {
        throw Error(folder_.path() + ": another program has started a run there; choose another --out");
      }
    });
    check_same_folder(ranks_, folder_.path());
    on_first(ranks_, [&] { fill_folder(resolved, session, from); });
  }
  void fill_folder(const std::string& resolved, const Session& session,
                   const std::optional<Checkpoint>& from) {
    const Checkpoint nothing;
    const Checkpoint& kept = from ? *from : nothing;
    folder_.check_logs(kept.rounds, kept.events);
    if (!from) folder_.clear();
    if (from && longer_) folder_.reopen(resolved);
    folder_.create();
    write_atomically(folder_.file("agreement.toml"), session.agreement_text());
    if (!from && session.at_hand()) write_split(folder_, session.federation());
    if (life_) write_life(folder_, *life_);
    if (joined_) write_clients_met(folder_, *joined_);
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
    if (request_.elsewhere != nullptr) request_.elsewhere->show(t, final ? t : last_round(), status_);
  }

  void log_events(Session& session) {
    constexpr int kSpoken = 10;
    std::vector<Event> rejected;
    for (Event& event : session.fleet().take_events()) {
      if (event.client && session.roster().truth().clusters > 1) {
        event.numbers.emplace_back("truth", session.roster().info(*event.client).truth);
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
    progress_.say("warning: " + left_out_text(session.roster(), rejected));
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
    // No rank goes on, and writes over the states of the checkpoint before, until this one is there.
    on_first(ranks_, [&] { write_checkpoint(folder_, checkpoint); });
  }

  void finish(Session& session, std::uint32_t rounds) {
    session.deliver();
    const Handover handover = Handover::of(session, evaluation_);
    const Portrait portrait = Portrait::of(session, evaluation_, handover);
    const Verdict verdict = rounds == 0 ? Verdict{} : judge_training(session);
    if (verdict.diverged) {
      session.fleet().report(
          {0, "diverged", {}, verdict.text, {{"loss", verdict.loss}, {"random", verdict.random}}});
    }
    if (std::string poor = warn_of_held_out(evaluation_); !poor.empty() && !verdict.diverged) {
      session.fleet().report({0, "warning", {}, std::move(poor), {}});
    }
    log_events(session);
    folder_.flush_logs();  // the summary vouches for them
    folder_.remove_models();
    write_schema(folder_, session, handover.files());
    handover.write(folder_, session);
    portrait.write(folder_);
    write_clients(folder_, session, evaluation_);
    RunCost cost;
    cost.seconds = now() - begun_;
    cost.seconds_per_round = rounds == 0 ? 0 : training_seconds_ / rounds;
    cost.ranks = ranks_.count();
    cost.waited =
        static_cast<double>(largest_of(ranks_, std::llround((ranks_.spent.waited - spent_.waited) * 1e6))) /
        1e6;
    cost.bytes_merged = largest_of(ranks_, ranks_.spent.bytes - spent_.bytes);
    cost.threads = threads_;
    cost.peak_rss_bytes = largest_of(ranks_, peak_rss_bytes());
    write_summary(folder_, session, evaluation_, final_record_, rounds, cost, verdict.name());
    progress_.finish();
  }

  const Config& config_;
  Ranks& ranks_;
  RunFolder folder_;
  FolderLock lock_;
  Origin origin_;
  bool resume_;
  bool longer_;
  unsigned threads_;
  Progress progress_;
  const RunRequest& request_;
  double begun_ = 0;
  Ranks::Spent spent_;  // before
  double training_seconds_ = 0;
  int warnings_ = 0;
  std::string status_;
  Evaluation evaluation_;
  Record final_record_;
  std::optional<Life> life_;  // where orders may outlive this program
  std::shared_ptr<const JoinedRoster> joined_;
};

}  // namespace

bool run_one(const ReadyRun& run, const RunRequest& request) { return Runner(run, request).run(); }

}  // namespace coterie
