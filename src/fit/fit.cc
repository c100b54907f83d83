#include "fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/disk.h"
#include "base/launch.h"
#include "base/md5.h"
#include "base/plugins.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/threads.h"
#include "coterie/run.h"
#include "fit/decision.h"
#include "fit/folder.h"
#include "fit/kept.h"
#include "fit/page.h"
#include "fit/text.h"
#include "fit/told_reading.h"
#include "fleet/elsewhere.h"
#include "report/html.h"
#include "report/html_page.h"
#include "run/folder_lock.h"
#include "run/meeting.h"
#include "run/session.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

// Steps of the progress bar that the evidence and the chosen run count for.
constexpr std::size_t kEvidenceSteps = 3;
constexpr std::size_t kRunSteps = 1;

std::string data_folder_of(const FitRequest& request) {
  if (!request.data_folder.empty()) return request.data_folder;
  const char* from_environment = std::getenv("COTERIE_DATA");
  return from_environment == nullptr ? "" : from_environment;
}

std::string parent_of(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  return parent.empty() ? "." : parent;
}

class Fit {
 public:
  Fit(const FitRequest& request, FitOptions options, Table base, FitFolder folder)
      : request_(request),
        options_(std::move(options)),
        base_(std::move(base)),
        folder_(std::move(folder)),
        ranks_(request.spread_runs ? launched_ranks() : alone()),
        progress_(std::cerr, Progress::style_of_stderr(request.quiet || !ranks_.leads()), "step") {}

  FitOutcome run() {
    FitOutcome outcome;
    outcome.folder = folder_.path();
    try {
      on_all([&] { load(); });
      if (request_.elsewhere == nullptr) on_first(ranks_, [&] { folder_.open(request_.force); });
      // What the first rank found is kept by then: the others read it.
      on_all([&] {
        if (ranks_.leads()) gather();
      });
      on_all([&] {
        if (!ranks_.leads()) gather();
      });
      list();
      if (ranks_.count() > 1) on_all([&] { try_some(); });
      outcome.helped = !ranks_.leads();
      if (outcome.helped) return outcome;
      hold_contest();
      found_.choice = choose(found_.candidates, found_.trials);
      run_chosen();
    } catch (const Stopped&) {
      return outcome;
    } catch (const BelowQuorum&) {
      if (stop_requested()) return outcome;  // clients were waited for no longer
      throw;
    }
    found_.warnings = warnings_of(found_);
    outcome.text = fit_text(found_, Marks::star);
    outcome.finished = true;
    outcome.error = found_.choice.chosen ? found_.run.error : "every candidate failed; fit.txt says why";
    write_atomically(folder_.file("decision.json"), decision_json(found_));
    write_atomically(folder_.file("fit.txt"), outcome.text);
    write_page(folder_.file("fit.html"), fit_page(found_));
    progress_.finish();
    return outcome;
  }

 private:
  // The data, what is in it, and the folds.
  void load() {
    Problems problems;
    Config config = read_config(base_, request_.file, problems);
    problems.raise_if_any();
    config.folder = parent_of(request_.file);
    threads_ = request_.threads == 0 ? threads_of_process(launch_of_environment()) : request_.threads;
    found_.seed = config.seed;
    request_.elsewhere != nullptr ? meet_clients(config) : read_file_at_hand(config);
    found_.folds = arena_->cut(folds_, config.seed_bits());
    refuse_what_tells_nothing(config);
  }

  void read_file_at_hand(const Config& config) {
    const std::string data = data_folder_of(request_);
    Session session(config, data, threads_, "");
    if (session.federation().table() == nullptr) throw not_a_table();
    found_.reading = read_table(config, session.federation(), data, options_.describe);
    arena_ = arena_at_hand(session.shared_federation(), threads_);
    plan_contest(config, session.roster(), found_.reading.train_rows());
    const Session::DataMark mark = session.data_mark();
    // The file too: columns that describe clients, and times, are in no client's fingerprint.
    keep_work(fmt::format("{} {} {:016x} {}", mark.clients, mark.samples, mark.fingerprint,
                          md5_of(read_file(found_.reading.file))));
  }

  void meet_clients(Config& config) {
    std::vector<Introduction> before;
    const std::string file = folder_.clients();
    if (request_.resume && is_file(file)) before = JoinedRoster::read(read_file(file), file);
    std::optional<ElsewhereRun> met = meet(config, *request_.elsewhere, std::move(before));
    if (!met) throw Stopped{};
    begun_ = Progress::steady_seconds();  // waiting for clients is no part of it
    JoinedRoster& roster = *met->roster;
    if (roster.table() == nullptr) throw not_a_table();
    folder_.open(request_.force);
    write_atomically(file, roster.text());
    std::size_t rows = 0;
    for (const Introduction& one : roster.clients()) {
      clients_.push_back(one.name);
      rows += one.train + one.validation;
    }
    config.model->bind(roster.shape(), config.seed_bits());
    plan_contest(config, roster, rows);
    keep_work(mark_of(roster));
    const Table probe = list_candidates(base_, plain_options(), who_).front().config;
    met->life = drawn_life().name();
    const std::optional<Json> kept = work_->find("told", "");
    const FirstAnswers answers =
        kept ? answers_from(*kept, *roster.table()) : ask_first(with_model(probe, roster), *met);
    work_->keep("told", "", answers_json(answers));
    roster.agree(answers.table);
    found_.reading = read_told(config, roster, answers, request_.file);
    arena_ = arena_elsewhere(*met, probe, threads_, *work_);
  }

  static BadConfig not_a_table() {
    return BadConfig("error: [fit] needs a table whose columns are features");
  }

  void plan_contest(const Config& config, const Roster& roster, std::size_t rows) {
    who_ = {roster.shape(), roster.training(), rows, config.model_in_use()};
    folds_ = options_.folds > 0 ? static_cast<std::size_t>(options_.folds)
                                : fold_count(rows, config.model->size());
  }
  void keep_work(const std::string& data) {
    work_ = std::make_unique<KeptWork>(folder_.steps(),
                                       fmt::format("{} {} folds {}", engine_version(), data, folds_));
  }

  // A candidate's config, whose model is bound to what clients have.
  Config with_model(const Table& table, const Roster& roster) const {
    Problems problems;
    Config config = read_config(table, request_.file, problems);
    problems.raise_if_any();
    config.model->bind(roster.shape(), config.seed_bits());
    return config;
  }

  FitOptions plain_options() const {
    FitOptions plain = options_;
    plain.methods.clear();
    return plain;
  }

  void refuse_what_tells_nothing(const Config& config) const {
    const Reading& reading = found_.reading;
    if (found_.folds.judged_rows == 0) {
      const Value* group = find_path(config.resolved(), "data.group");
      const bool grouped = group != nullptr && std::holds_alternative<std::string>(group->data);
      throw BadConfig(fmt::format(
          "error: {}: no client has rows enough to hold some out: it takes two training rows{} of one client",
          reading.file,
          grouped ? " with different values of " + in_quotes(std::get<std::string>(group->data)) : ""));
    }
    if (reading.task != Task::regression) return;
    std::set<double> means;
    bool constant = true;
    for (const Reading::Client& one : reading.clients) {
      if (one.train == 0) continue;
      constant = constant && one.told_target && one.deviation == 0;
      means.insert(one.mean);
    }
    if (constant && means.size() == 1) {
      throw BadConfig(fmt::format(
          "error: {}: target {} is the same in every training row: there is nothing to tell apart",
          reading.file, in_quotes(reading.target)));
    }
  }

  // Statistics of clients' estimates, and the portrait of what they find.
  void gather() {
    total_ = kEvidenceSteps + kRunSteps + 16 * found_.folds.count;
    show("comparing clients' coefficients");
    Candidate probe = list_candidates(base_, plain_options(), who_).at(1);
    set_path(probe.config, "clusters.count", {std::int64_t{2}, {}});
    set_path(probe.config, "clusters.init", {std::string("mixture"), {}});
    const std::string about = write_toml(probe.config) + options_.clusters + join(options_.describe, ",");
    if (const auto kept = work_->find("evidence", about)) {
      found_.evidence = evidence_from(kept->at("evidence"));
      found_.portrait = portrait_from(kept->at("portrait"));
    } else {
      const std::vector<std::size_t> counts = options_.counts();
      found_.evidence = gather_evidence(probe, *arena_, counts.empty() ? 6 : counts.back());
      stop_if_asked();
      found_.portrait = draw_portrait(probe, *arena_, found_.evidence, found_.reading);
      work_->keep(
          "evidence", about,
          {{"evidence", evidence_json(found_.evidence)}, {"portrait", portrait_json(found_.portrait)}});
    }
    stop_if_asked();
    done_ += kEvidenceSteps;
  }

  void list() {
    who_.groups_found = found_.evidence.groups;
    found_.candidates = list_candidates(base_, options_, who_);
    total_ = kEvidenceSteps + kRunSteps + found_.candidates.size() * found_.folds.count;
  }

  // Work that may be asked to stop, or fail, on some ranks only.
  void on_all(const std::function<void()>& work) {
    bool stopped = false;
    together(ranks_, [&] {
      try {
        work();
      } catch (const Stopped&) {
        stopped = true;
      }
    });
    if (any_of(ranks_, stopped)) throw Stopped{};
  }

  // This rank's share of the candidates: what it finds is kept, and the contest takes it from there. Those
  // that depend on other candidates are left to the first rank.
  void try_some() {
    for (std::size_t i = ranks_.rank(); i < found_.candidates.size(); i += ranks_.count()) {
      const Candidate& one = found_.candidates[i];
      const std::string about = write_toml(one.config);
      if (out_of_time()) return;
      if (one.answer == Answer::clusters_shrink || work_->find(one.name, about)) continue;
      show(one.words);
      work_->keep(one.name, about,
                  trial_json(run_trial(one, *arena_, found_.folds, found_groups(), stop_if_asked)));
    }
  }

  bool out_of_time() const {
    const double minutes = (Progress::steady_seconds() - begun_) / 60;
    return options_.minutes > 0 && minutes >= options_.minutes;
  }
  // Of each client, by id.
  std::vector<std::uint32_t> found_groups() const {
    std::vector<std::uint32_t> groups(who_.clients, kUnknownCluster);
    for (std::size_t i = 0; i < found_.evidence.labels.size() && found_.evidence.groups > 1; ++i)
      groups[found_.evidence.clients[i]] = found_.evidence.labels[i];
    return groups;
  }

  void hold_contest() {
    const std::vector<std::uint32_t> groups = found_groups();
    for (std::size_t i = 0; i < found_.candidates.size(); ++i) {
      const Candidate& one = found_.candidates[i];
      if (one.answer == Answer::clusters_shrink && !worth_shrinking(one)) {
        found_.candidates.erase(found_.candidates.begin() + static_cast<std::ptrdiff_t>(i--));
        total_ -= found_.folds.count;
        continue;
      }
      if (out_of_time() && found_.one_model() != nullptr) {
        found_.cut = true;
        break;
      }
      show(one.words);
      const std::string about = write_toml(one.config);
      if (const auto kept = work_->find(one.name, about)) {
        found_.trials.push_back(trial_from(*kept));
        done_ += found_.folds.count;
        continue;
      }
      const std::size_t before = done_;
      FitTrial trial = run_trial(one, *arena_, found_.folds, groups, [&] {
        ++done_;
        show(one.words);
        stop_if_asked();
      });
      done_ = before + found_.folds.count;
      work_->keep(one.name, about, trial_json(trial));
      found_.trials.push_back(std::move(trial));
    }
  }

  // Shrinkage inside groups takes long: it is tried with the number of groups that predicts best without it,
  // and with the number that the test found.
  bool worth_shrinking(const Candidate& candidate) const {
    if (candidate.clusters == found_.evidence.groups) return true;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < found_.trials.size(); ++i) {
      const bool groups = found_.candidates[i].answer == Answer::clusters && !found_.trials[i].failed();
      if (groups && (!best || found_.trials[i].mean_loss() < found_.trials[*best].mean_loss())) best = i;
    }
    return best && found_.candidates[*best].clusters == candidate.clusters;
  }

  // The chosen candidate on all training rows, as an ordinary run.
  void run_chosen() {
    if (!found_.choice.chosen) return;
    show("running the choice: " + found_.chosen().words);
    RunRequest run;
    run.file = request_.file;
    run.elsewhere = request_.elsewhere;
    run.text = write_toml(of_the_same_clients(found_.chosen().config));
    // A run of other data would be taken for finished: it tells its config only.
    if (!work_->find("chosen-run", run.text)) {
      folder_.remove_run();
      work_->keep("chosen-run", run.text, true);
    }
    run.out = folder_.run();
    run.data_folder = request_.data_folder;
    run.threads = request_.threads;
    run.resume = true;
    run.renew = true;
    run.quiet = true;
    run.share = RunRequest::Share::nothing;
    ChosenRun& came_to = found_.run;
    came_to.value = came_to.worst = std::nan("");
    try {
      const RunOutcome outcome = run_experiment(run).front();
      if (!outcome.finished) throw Stopped{};
      came_to.finished = true;
      const Json summary = Json::parse(read_file(folder_.run() + "/summary.json"));
      const Json figure = summary.value("metrics", Json::object()).value(found_.metric(), Json::object());
      if (figure.is_object() && figure.contains("mean") && figure["mean"].is_number())
        came_to.value = figure["mean"];
      const Json worst = figure.is_object() ? figure.value("worst", Json::object()) : Json::object();
      if (worst.is_object() && worst.contains("value") && worst["value"].is_number())
        came_to.worst = worst["value"];
      if (summary.value("verdict", "") == "diverged") came_to.error = "the chosen run diverged";
    } catch (const FileError&) {
      throw;
    } catch (const Error& e) {
      came_to.error = std::string("the chosen run failed: ") + e.what();
    }
    if (came_to.finished) write_report(folder_.run());
    done_ += kRunSteps;
    show("done");
  }

  // A config that waits for whoever comes first must not come to others than the contest had.
  Table of_the_same_clients(Table config) const {
    if (request_.elsewhere == nullptr) return config;
    Array names;
    for (const std::string& one : clients_) names.push_back({one, {}});
    set_path(config, "clients.names", {std::move(names), {}});
    if (Value* clients = config.find("clients")) std::get<Table>(clients->data).erase("count");
    return config;
  }

  static void stop_if_asked() {
    if (stop_requested()) throw Stopped{};
  }
  void show(const std::string& status) {
    if (request_.elsewhere != nullptr) request_.elsewhere->show(done_, total_, status);
    progress_.show(done_, total_, status);
  }

  const FitRequest& request_;
  FitOptions options_;
  Table base_;
  FitFolder folder_;
  Ranks& ranks_;
  Progress progress_;
  unsigned threads_ = 1;
  std::size_t folds_ = 0;
  std::unique_ptr<KeptWork> work_;
  std::unique_ptr<Arena> arena_;
  std::vector<std::string> clients_;  // names of those elsewhere
  Contestants who_;
  FitFindings found_;
  double begun_ = Progress::steady_seconds();
  std::size_t done_ = 0;
  std::size_t total_ = 1;
};

}  // namespace

namespace {

void check_elsewhere(const FitRequest& request) {
  const Value* describe = find_path(request.config, "fit.describe");
  if (describe != nullptr && describe->is_array() && !std::get<Array>(describe->data).empty()) {
    throw BadConfig(
        "error: " + request.file +
        ": fit.describe reads columns of the whole table, which clients that join do not tell: leave it out");
  }
  if (request.spread_runs)
    throw BadConfig("error: --spread runs is for tables in one place: clients that join have one server");
}

}  // namespace

FitOutcome run_fit(const FitRequest& request) {
  Problems problems;
  const bool elsewhere = request.elsewhere != nullptr;
  if (elsewhere) check_elsewhere(request);
  FitOptions options = read_fit_options(request.config, request.file, elsewhere, problems);
  problems.raise_if_any();
  Table base = plain_config(request.config, options);
  if (elsewhere) leave_files_to_clients(base);
  const Config checked = read_config(base, request.file, problems);
  problems.raise_if_any();
  try {
    if (!elsewhere)
      checked.federation.source->check_files({data_folder_of(request), 0, parent_of(request.file)});
  } catch (const Error& e) {
    throw BadConfig(std::string("error: ") + e.what());
  }
  Table whole = base;
  set_path(whole, "fit",
           request.config.find("fit") == nullptr ? Value{Table{}, {}} : *request.config.find("fit"));
  std::string name =
      checked.name.empty() ? std::filesystem::path(request.file).stem().string() : checked.name;
  FitFolder folder(request.out.empty() ? fmt::format("runs/fit-{}-{}", name, checked.seed) : request.out,
                   whole);
  if (request.spread_runs && checked.fleet_kind->ranks().count() > 1) {
    throw BadConfig(
        "error: --spread runs gives each candidate to one process, but fleet.kind = \"mpi\" spreads the "
        "clients "
        "of one; leave one of them out");
  }
  on_first(request.spread_runs ? launched_ranks() : alone(), [&] {
    if (std::string why = folder.refusal(request.resume, request.force); !why.empty())
      throw BadConfig("error: " + folder.path() + " " + why);
  });
  return Fit(request, std::move(options), std::move(base), std::move(folder)).run();
}

}  // namespace coterie
