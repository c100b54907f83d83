#include "fit/contest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "coterie/methods/score.h"
#include "coterie/run.h"
#include "run/session.h"

namespace coterie {

using Json = nlohmann::ordered_json;

namespace {

constexpr double kLeastOdds = -20;  // of the first bin of a histogram of scores (methods/score.h)

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What clients told of one report; nothing where one of them did not.
const Vec* told(const Evaluation& evaluation, const ClientScore& score, const std::string& report) {
  const auto at = std::find(evaluation.reports.begin(), evaluation.reports.end(), report);
  const auto place = static_cast<std::size_t>(at - evaluation.reports.begin());
  if (place >= score.told.size() || score.told[place].empty()) return nullptr;
  return &score.told[place];
}

ClientLoss held_out(const Evaluation& evaluation, const ClientScore& score) {
  const bool classes = evaluation.task == Task::classification;
  const Vec* numbers = told(evaluation, score, classes ? "log_loss" : "errors");
  if (numbers == nullptr) throw Error("predictions are not finite");
  if (classes) return {score.client, score.samples, (*numbers)[0], score.accuracy * score.samples};
  return {score.client, score.samples, (*numbers)[1] * score.unit * score.unit, (*numbers)[0] * score.unit};
}

// Numbers that the rows decide: of the models that are shared, and of every client's own.
double parameters_of(Session& session, const Candidate& candidate) {
  const Model& model = *session.config().model;
  const auto size = static_cast<double>(model.size());
  const auto intercepts = static_cast<double>(trailing_intercepts(model));
  if (candidate.blank) return intercepts;
  const Algorithm& method = session.algorithm();
  const double shared =
      candidate.answer == Answer::local ? 0 : size * static_cast<double>(method.offer().models.size());
  if (!method.personal()) return shared > 0 ? shared : size;
  const Value* own = find_path(candidate.config, "algorithm.shrink.own");
  const bool intercept_only = own != nullptr && std::get<std::string>(own->data) == "intercept";
  return shared + (intercept_only ? intercepts : size) * static_cast<double>(session.roster().training());
}

class TrialRun {
 public:
  TrialRun(const Candidate& candidate, Arena& arena, const Folding& folding,
           const std::vector<std::uint32_t>& groups)
      : candidate_(candidate), arena_(arena), folding_(folding), groups_(groups) {
    trial_.name = candidate.name;
  }

  FitTrial run(const std::function<void()>& step) {
    const double begun = now();
    try {
      for (std::size_t f = 0; f < folding_.count; ++f) {
        run_fold(folding_.fold(f, candidate_.blank));
        step();
      }
      for (const auto& [client, one] : sums_) trial_.clients.push_back(one);
      if (trial_.clients.empty()) throw Error("no client that is judged has held-out rows");
    } catch (const BelowQuorum& e) {
      // Clients that were not waited for, since the user asked to stop, or since the config says so.
      stop_if_asked();
      if (arena_.ends_below_quorum()) throw;
      trial_.error = e.what();
    } catch (const Error& e) {
      trial_.error = e.what();
      if (trial_.error.starts_with("error: ")) trial_.error.erase(0, 7);
    }
    trial_.warnings.assign(warnings_.begin(), warnings_.end());
    trial_.seconds = now() - begun;
    return std::move(trial_);
  }

 private:
  void run_fold(const RowCut& cut) {
    Problems problems;
    Table table = candidate_.config;
    const bool classes = arena_.roster().shape().task == Task::classification;
    set_path(table, "evaluate.metrics",
             {classes ? Array{{std::string("log-loss"), {}}, {std::string("auc"), {}}}
                      : Array{{std::string("rmse"), {}}},
              {}});
    Config config = read_config(table, candidate_.name, problems);
    problems.raise_if_any();
    const std::unique_ptr<Session> held = arena_.session(config, cut);
    Session& session = *held;
    session.start([](std::uint32_t) { stop_if_asked(); });
    auto last = static_cast<std::uint32_t>(config.rounds.count);
    for (std::uint32_t t = 1; t <= last; ++t) {
      session.round(t);
      keep_warnings(session);
      stop_if_asked();
      if (session.algorithm().finished()) last = t;
    }
    const Evaluation evaluation = session.evaluate(last, true, false);
    for (const ClientScore& score : evaluation.scores) {
      if (score.role != Role::train || score.samples <= 0) continue;
      const ClientLoss one = held_out(evaluation, score);
      ClientLoss& sum = sums_[one.client];
      sum.client = one.client;
      sum.rows += one.rows;
      sum.loss += one.loss;
      sum.figure += one.figure;
      if (classes) add_reliability(evaluation, score);
    }
    trial_.parameters = parameters_of(session, candidate_);
    trial_.personal = session.algorithm().personal();
    trial_.models = session.algorithm().offer().models.size();
    trial_.knows_truth = session.algorithm().needs_truth();
  }

  void add_reliability(const Evaluation& evaluation, const ClientScore& score) {
    const Vec* histogram = told(evaluation, score, "score_histogram");
    if (histogram == nullptr) return;
    const std::size_t bins = score_bins(arena_.roster().shape());
    for (std::size_t at = 0; at + 2 < histogram->size(); at += 3) {
      const double place = std::fmod((*histogram)[at], static_cast<double>(bins));
      const double odds = kLeastOdds + 2 * -kLeastOdds * (place + 0.5) / static_cast<double>(bins);
      const double p = 1 / (1 + std::exp(-odds));
      const double rows = (*histogram)[at + 1] + (*histogram)[at + 2];
      const auto bin = std::min(Reliability::kBins - 1, static_cast<std::size_t>(p * Reliability::kBins));
      add_to(0, bin, rows, rows * p, (*histogram)[at + 2]);
      if (score.client < groups_.size() && groups_[score.client] != kUnknownCluster)
        add_to(1 + groups_[score.client], bin, rows, rows * p, (*histogram)[at + 2]);
    }
  }
  void add_to(std::size_t which, std::size_t bin, double rows, double predicted, double happened) {
    if (trial_.reliability.size() <= which) trial_.reliability.resize(which + 1);
    Reliability& one = trial_.reliability[which];
    one.rows[bin] += rows;
    one.predicted[bin] += predicted;
    one.happened[bin] += happened;
  }

  static void stop_if_asked() {
    if (stop_requested()) throw Stopped{};
  }
  void keep_warnings(Session& session) {
    for (const Event& event : session.fleet().take_events()) {
      if (event.kind == "warning" || event.kind == "diverged") warnings_.insert(event.text);
    }
  }

  const Candidate& candidate_;
  Arena& arena_;
  const Folding& folding_;
  const std::vector<std::uint32_t>& groups_;
  FitTrial trial_;
  std::map<ClientId, ClientLoss> sums_;
  std::set<std::string> warnings_;
};

double ratio_of(const std::vector<ClientLoss>& clients, double ClientLoss::*sum) {
  double rows = 0, all = 0;
  for (const ClientLoss& one : clients) {
    rows += one.rows;
    all += one.*sum;
  }
  return all / rows;
}

}  // namespace

double FitTrial::rows() const {
  double rows = 0;
  for (const ClientLoss& one : clients) rows += one.rows;
  return rows;
}
double FitTrial::mean_loss() const { return ratio_of(clients, &ClientLoss::loss); }
double FitTrial::mean_figure() const { return ratio_of(clients, &ClientLoss::figure); }

double Reliability::error() const {
  double gap = 0, all = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    gap += std::abs(predicted[b] - happened[b]);
    all += rows[b];
  }
  return gap / all;
}

FitTrial run_trial(const Candidate& candidate, Arena& arena, const Folding& folding,
                   const std::vector<std::uint32_t>& groups, const std::function<void()>& step) {
  return TrialRun(candidate, arena, folding, groups).run(step);
}

Json trial_json(const FitTrial& trial) {
  Json clients = Json::array(), reliability = Json::array();
  for (const ClientLoss& one : trial.clients) clients.push_back({one.client, one.rows, one.loss, one.figure});
  for (const Reliability& one : trial.reliability)
    reliability.push_back({one.rows, one.predicted, one.happened});
  return {{"name", trial.name},
          {"clients", clients},
          {"parameters", trial.parameters},
          {"reliability", reliability},
          {"personal", trial.personal},
          {"models", trial.models},
          {"knows_truth", trial.knows_truth},
          {"seconds", trial.seconds},
          {"error", trial.error},
          {"warnings", trial.warnings}};
}

FitTrial trial_from(const Json& j) {
  FitTrial trial;
  trial.name = j.at("name");
  for (const Json& one : j.at("clients")) {
    trial.clients.push_back({one.at(0).get<ClientId>(), one.at(1).get<double>(),
                             one.at(2).is_number() ? one.at(2).get<double>() : std::nan(""),
                             one.at(3).is_number() ? one.at(3).get<double>() : std::nan("")});
  }
  for (const Json& one : j.at("reliability"))
    trial.reliability.push_back({one.at(0).get<Vec>(), one.at(1).get<Vec>(), one.at(2).get<Vec>()});
  trial.parameters = j.at("parameters");
  trial.personal = j.at("personal");
  trial.models = j.at("models");
  trial.knows_truth = j.at("knows_truth");
  trial.seconds = j.at("seconds");
  trial.error = j.at("error");
  trial.warnings = j.at("warnings").get<std::vector<std::string>>();
  return trial;
}

}  // namespace coterie
