#include "run/evaluate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "coterie/methods/score.h"

namespace coterie {
namespace {

// What all metrics want to be told of scored rows.
std::vector<std::string> wanted_reports() {
  std::set<std::string> names;
  for (const std::string& metric : Registry<Metric>::instance().names()) {
    for (std::string& name : Registry<Metric>::instance().make(metric)->reports())
      names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

// One of the numbers told; NaN when it was not asked for or is not finite.
double told(const ScoreNote& note, const Score& score, const std::string& name) {
  const auto place = std::find(note.reports.begin(), note.reports.end(), name) - note.reports.begin();
  if (static_cast<std::size_t>(place) == note.reports.size()) return std::nan("");
  const Score::Told& one = score.told[static_cast<std::size_t>(place)];
  return one.finite ? one.value : std::nan("");
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
      reports_(wanted_reports()) {
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

Evaluation Evaluator::evaluate(Fleet& fleet, std::uint32_t round, bool tests) {
  Offer offer = algorithm_.offer();
  const std::vector<std::optional<Vec>>& parameters = roster_.truth().parameters;
  // Shared test sets by true cluster.
  std::vector<std::optional<ClientId>> test_sets(roster_.truth().clusters);
  for (std::size_t i = roster_.training(); i < roster_.size(); ++i) {
    ClientInfo info = roster_.info(static_cast<ClientId>(i));
    if (info.role == Role::test) test_sets[info.truth] = static_cast<ClientId>(i);
  }
  ScoreNote common;
  common.reports = reports_;
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
  Collect<ScoreReply, ScoreReply> replies([](ScoreReply& reply) { return std::move(reply); },
                                          [&](ClientId i, const ScoreReply& reply) {
                                            return refuse_score(note_of(i), reply, offer.models.size());
                                          });
  fleet.ask_eval(score_job(), judged_, Shelf(offer.items(), fleet.precision()), note_of, {&replies});

  Evaluation result;
  result.round = round;
  result.task = roster_.shape().task;
  result.truth = &roster_.truth();
  result.models = std::move(offer.models);
  result.intercepts = intercepts_;
  result.traffic = fleet.traffic();
  result.personal = algorithm_.personal();
  result.own_metrics = algorithm_.own_metrics(judged_);
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
