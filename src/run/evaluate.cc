#include "run/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "coterie/methods/score.h"

namespace coterie {
namespace {

// "auto" leaves out a metric whose reports take more than this.
constexpr double kMostAutoBytes = 32e6;

std::unique_ptr<Metric> metric_of(const std::string& name) { return Registry<Metric>::instance().make(name); }

// The metrics that are not basic and are for a task, by their registered names.
std::vector<std::string> metrics_for(Task task) {
  std::vector<std::string> names;
  for (const std::string& name : Registry<Metric>::instance().names()) {
    const std::unique_ptr<Metric> metric = metric_of(name);
    const std::optional<Metric::Figure> figure = metric->figure();
    if (!metric->basic() && figure && figure->task.value_or(task) == task) names.push_back(name);
  }
  return names;
}

// What the config names; those that the task does not have are an error.
std::vector<std::string> chosen_metrics(const std::vector<std::string>& given, Task task) {
  const std::vector<std::string> fit = metrics_for(task);
  std::vector<std::string> chosen;
  for (const std::string& name : given) {
    if (name == "all") return fit;
    if (name == "basic" || name == "auto" || metric_of(name)->basic()) continue;
    if (std::find(fit.begin(), fit.end(), name) == fit.end()) {
      throw Error(fmt::format("evaluate.metrics: \"{}\" is not for a {}; use {}", name,
                              task == Task::regression ? "regression" : "classification", either(fit)));
    }
    chosen.push_back(name);
  }
  return chosen;
}

// One of the numbers told; NaN when it was not asked for or is not finite.
double told(const ScoreNote& note, const Score& score, const std::string& name) {
  const auto place = std::find(note.reports.begin(), note.reports.end(), name) - note.reports.begin();
  if (static_cast<std::size_t>(place) == note.reports.size()) return std::nan("");
  const auto report = static_cast<std::size_t>(place);
  return score.told[report].finite ? score.number(report) : std::nan("");
}

bool in_every_score(const std::string& report) {
  return report == "loss" || report == "right" || report == "parameter_error";
}

// All that was told besides what has a place of its own.
std::vector<Vec> told_besides(const ScoreNote& note, const Score& score) {
  std::vector<Vec> all;
  for (std::size_t r = 0; r < note.reports.size(); ++r) {
    if (!in_every_score(note.reports[r])) all.push_back(score.of(r));
  }
  return all;
}

ClientScore client_score(ClientId client, const ClientInfo& info, const ScoreNote& note, const Vec& weights,
                         const Score& s) {
  ClientScore out;
  out.client = client;
  out.role = info.role;
  out.truth = info.truth;
  out.weights = weights;
  out.cluster =
      static_cast<std::uint32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  out.samples = s.samples;
  out.loss = s.samples > 0 ? told(note, s, "loss") : std::nan("");
  out.accuracy = s.samples > 0 ? told(note, s, "right") / s.samples : std::nan("");
  out.parameter_error = told(note, s, "parameter_error");
  out.told = told_besides(note, s);
  return out;
}

}  // namespace

Evaluator::Evaluator(const Roster& roster, const Algorithm& algorithm, std::uint64_t seed,
                     const Choices& choices)
    : roster_(roster),
      algorithm_(algorithm),
      lowest_(choices.lowest),
      intercepts_(choices.intercepts),
      clients_test_(choices.clients_test || algorithm.personal()),
      metrics_(chosen_metrics(choices.metrics, roster.shape().task)),
      more_at_last_(std::find(choices.metrics.begin(), choices.metrics.end(), "auto") !=
                    choices.metrics.end()) {
  std::vector<ClientId> honest;
  for (ClientId i = 0; i < roster.training(); ++i) {
    if (!std::binary_search(choices.liars.begin(), choices.liars.end(), i)) honest.push_back(i);
  }
  auto wanted = static_cast<std::size_t>(choices.limit.value_or(static_cast<std::int64_t>(honest.size())));
  Stream stream(seed, {Purpose::evaluate, 0, 0, 0});
  for (std::uint32_t i : stream.sample(honest.size(), std::min(wanted, honest.size()))) {
    judged_.push_back(honest[i]);
  }
  if (algorithm.personal()) return;
  for (std::size_t i = roster.training(); i < roster.size(); ++i) {
    const auto id = static_cast<ClientId>(i);
    if (!clients_test_ || roster.info(id).role != Role::test) judged_.push_back(id);
  }
}

double Evaluator::report_bytes(const std::vector<std::string>& reports) {
  if (judged_by_rows_.empty()) {
    for (const ClientId client : judged_) judged_by_rows_[roster_.info(client).test] += 1;
  }
  double numbers = 0;
  for (const auto& [rows, clients] : judged_by_rows_) {
    for (const std::string& name : reports) {
      numbers += clients * static_cast<double>(report_size(name, roster_.shape(), rows));
    }
  }
  return numbers * sizeof(double);
}

std::vector<std::string> Evaluator::wanted_reports(Fleet& fleet, bool last) {
  std::set<std::string> wanted;
  std::vector<std::string> left_out;
  for (const std::string& name : Registry<Metric>::instance().names()) {
    const std::unique_ptr<Metric> metric = metric_of(name);
    bool asked = metric->basic() || std::find(metrics_.begin(), metrics_.end(), name) != metrics_.end();
    if (!asked && last && more_at_last_ && metric->figure() &&
        metric->figure()->task.value_or(roster_.shape().task) == roster_.shape().task) {
      asked = report_bytes(metric->reports()) <= kMostAutoBytes;
      if (!asked) left_out.push_back(name);
    }
    if (!asked) continue;
    for (std::string& report : metric->reports()) wanted.insert(std::move(report));
  }
  if (!left_out.empty()) {
    fleet.report({0,
                  "note",
                  {},
                  fmt::format("not measured, because clients would report more than {}: {}; "
                              "evaluate.metrics = \"all\" asks for it, in every evaluation",
                              human_bytes(static_cast<std::uint64_t>(kMostAutoBytes)), join(left_out, ", ")),
                  {}});
  }
  return {wanted.begin(), wanted.end()};
}

Evaluation Evaluator::evaluate(Fleet& fleet, std::uint32_t round, bool tests, bool last) {
  Offer offer = algorithm_.offer();
  const std::vector<std::optional<Vec>>& parameters = roster_.truth().parameters;
  // Shared test sets by true cluster.
  std::vector<std::optional<ClientId>> test_sets(roster_.truth().clusters);
  for (std::size_t i = roster_.training(); i < roster_.size(); ++i) {
    ClientInfo info = roster_.info(static_cast<ClientId>(i));
    if (info.role == Role::test) test_sets[info.truth] = static_cast<ClientId>(i);
  }
  ScoreNote common;
  common.reports = wanted_reports(fleet, last);
  common.lowest = lowest_;
  common.packing = offer.packing();
  auto note_of = [&](ClientId i) {
    const ClientInfo info = roster_.info(i);
    ScoreNote note = common;
    note.items = offer.travelling(algorithm_.offer_items(i));
    if (tests && clients_test_ && info.role == Role::train) note.test_set = test_sets[info.truth];
    if (info.role == Role::train && info.truth < parameters.size() && parameters[info.truth]) {
      note.reports.push_back("parameter_error");
      for (const double theta : *parameters[info.truth]) note.truth.push_back({theta});
    }
    return note;
  };
  Evaluation result;
  for (const std::string& report : common.reports) {
    if (!in_every_score(report)) result.reports.push_back(report);
  }
  const double heap = result.reports.empty() ? 0 : report_bytes(result.reports);
  const auto heap_each =
      static_cast<std::uint64_t>(heap / std::max(1.0, static_cast<double>(judged_.size())));
  Collect<ScoreReply, ScoreReply> replies([](ScoreReply& reply) { return std::move(reply); },
                                          [&](ClientId i, const ScoreReply& reply) {
                                            return refuse_score(note_of(i), reply, offer.models.size(),
                                                                roster_.shape());
                                          },
                                          heap_each);
  fleet.ask_eval(score_job(), judged_, Shelf(offer.items(), fleet.precision()), note_of, {&replies});

  result.round = round;
  result.task = roster_.shape().task;
  result.truth = &roster_.truth();
  result.models = std::move(offer.models);
  result.intercepts = intercepts_;
  result.traffic = fleet.traffic();
  result.personal = algorithm_.personal();
  result.own_metrics = algorithm_.own_metrics(judged_);
  result.logged = metrics_;
  const TableSchema* table = roster_.table();
  const double unit = table != nullptr && result.task == Task::regression ? table->target_deviation : 1;
  for (auto& [client, reply] : replies.items) {
    result.scores.push_back(
        client_score(client, roster_.info(client), note_of(client), reply.weights, reply.own));
  }
  for (auto& [client, reply] : replies.items) {
    if (!reply.test) continue;
    ClientInfo info = roster_.info(client);
    info.role = Role::test;
    result.scores.push_back(client_score(client, info, note_of(client), reply.weights, *reply.test));
    result.scores.back().parameter_error = std::nan("");
  }
  for (ClientScore& score : result.scores) score.unit = unit;
  if (const std::vector<std::uint32_t> groups = algorithm_.found_clusters(); !groups.empty()) {
    result.clustered = true;
    for (ClientScore& score : result.scores) score.cluster = groups[score.client];
  }
  for (const auto& [client, cluster] : last_clusters_) {
    ClientScore before;
    before.client = client;
    before.cluster = cluster;
    result.previous.push_back(before);
  }
  last_clusters_.clear();
  for (const ClientScore& s : result.scores) {
    if (s.role == Role::train) last_clusters_.emplace_back(s.client, s.cluster);
  }
  return result;
}

std::size_t Evaluator::judged() const { return judged_training().size(); }

std::vector<ClientId> Evaluator::judged_training() const {
  std::vector<ClientId> clients;
  std::copy_if(judged_.begin(), judged_.end(), std::back_inserter(clients),
               [&](ClientId i) { return i < roster_.training(); });
  return clients;
}

void Evaluator::fields(Archive& a) { a(last_clusters_); }

}  // namespace coterie
