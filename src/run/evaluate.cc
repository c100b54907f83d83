#include "run/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/kernels.h"

namespace coterie {
namespace {

struct EvalNote {
  Items items;
  std::optional<ClientId> test_set;  // score the client's model on this shared test set as well
  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(test_set); });
  }
};

// Sums over the rows of one scored part.
struct Score {
  double samples = 0;
  double loss = 0;
  double right = 0;
  bool finite = true;  // whether the loss is a number; a model may have diverged

  void fields(Archive& a) { a(samples, loss, right, finite); }
};

struct EvalReply {
  Vec weights;
  Score own;
  std::optional<Score> test;
  std::optional<double> parameter_error;  // a figure of the simulation: no client could know it
  void fields(Archive& a) {
    a(weights, own, test);
    a.overhead([&] { a(parameter_error); });
  }
};

// |w - theta|^2 / |theta|^2 without intercepts, which the truth does not have.
std::optional<double> parameter_error(const Shared& model, const std::optional<Vec>& truth,
                                      std::size_t intercepts) {
  if (!model || !truth || model.size() != truth->size() + intercepts) return std::nullopt;
  const double error =
      squared_distance(std::span(model.values()).first(truth->size()), *truth) / squared_norm(*truth);
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

Score score(const Predictions& predictions, const Samples& samples) {
  Score s;
  s.samples = static_cast<double>(samples.size());
  s.loss = mean(predictions.losses);
  s.finite = std::isfinite(s.loss);
  if (!s.finite) s.loss = 0;
  if (samples.shape.task == Task::classification) {
    std::size_t width = samples.shape.classes;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      auto begin = predictions.outputs.begin() + static_cast<std::ptrdiff_t>(i * width);
      auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin;
      if (static_cast<std::uint32_t>(best) == samples.label(i)) s.right += 1;
    }
  }
  return s;
}

// Why a reply cannot be right; "" when it can.
std::string refuse(const EvalReply& reply, std::size_t models) {
  auto fine = [](const Score& s) {
    return s.samples >= 0 && s.right >= 0 && s.right <= s.samples && std::isfinite(s.loss);
  };
  auto share = [](double weight) { return weight >= 0 && std::isfinite(weight); };
  const bool some = !reply.weights.empty() && reply.weights.size() <= std::max<std::size_t>(models, 1);
  if (!some || !std::all_of(reply.weights.begin(), reply.weights.end(), share)) {
    return "its memberships do not fit the models";
  }
  return fine(reply.own) && (!reply.test || fine(*reply.test)) ? "" : "its scores cannot be";
}

ClientScore client_score(ClientId client, const ClientInfo& info, const Vec& weights, const Score& s) {
  ClientScore out;
  out.client = client;
  out.role = info.role;
  out.truth = info.truth;
  out.weights = weights;
  out.cluster =
      static_cast<std::uint32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  out.samples = s.samples;
  out.loss = s.finite && s.samples > 0 ? s.loss : std::nan("");
  out.accuracy = s.samples > 0 ? s.right / s.samples : std::nan("");
  return out;
}

}  // namespace

Evaluator::Evaluator(const Engine& engine, const Algorithm& algorithm, std::optional<std::int64_t> limit,
                     bool clients_test, const std::vector<ClientId>& liars)
    : engine_(engine), algorithm_(algorithm), clients_test_(clients_test || algorithm.personal()) {
  const Federation& federation = engine.federation;
  std::vector<ClientId> honest;
  for (ClientId i = 0; i < federation.training(); ++i) {
    if (!std::binary_search(liars.begin(), liars.end(), i)) honest.push_back(i);
  }
  auto wanted = static_cast<std::size_t>(limit.value_or(static_cast<std::int64_t>(honest.size())));
  Stream stream(engine.seed, {Purpose::evaluate, 0, 0, 0});
  for (std::uint32_t i : stream.sample(honest.size(), std::min(wanted, honest.size()))) {
    judged_.push_back(honest[i]);
  }
  if (algorithm.personal()) return;
  for (std::size_t i = federation.training(); i < federation.size(); ++i) {
    const auto id = static_cast<ClientId>(i);
    if (!clients_test_ || federation.info(id).role != Role::test) judged_.push_back(id);
  }
}

Evaluation Evaluator::evaluate(Fleet& fleet, std::uint32_t round, bool tests) {
  const Federation& federation = engine_.federation;
  Offer offer = algorithm_.offer();
  const std::vector<std::optional<Vec>>& parameters = federation.truth().parameters;
  const std::size_t intercepts = trailing_intercepts(engine_.model);
  Job<EvalNote, EvalReply> job("evaluate", [&](const Shelf& sent, const EvalNote& note, ClientView& view) {
    const Shelf shelf = offer.unpacked(sent, view.precision());
    EvalReply reply;
    reply.weights = algorithm_.settle(shelf, view);
    reply.own = score(algorithm_.predict(shelf, reply.weights, view, Part::test), view.samples(Part::test));
    const ClientInfo info = federation.info(view.id());
    if (info.role == Role::train && info.truth < parameters.size() && parameters[info.truth]) {
      reply.parameter_error = parameter_error(algorithm_.model_of(shelf, reply.weights, view),
                                              parameters[info.truth], intercepts);
    }
    if (note.test_set) {
      ClientView there = view.on_data_of(*note.test_set);
      reply.test =
          score(algorithm_.predict(shelf, reply.weights, there, Part::test), there.samples(Part::test));
    }
    return reply;
  });
  // Shared test sets by true cluster.
  std::vector<std::optional<ClientId>> test_sets(federation.truth().clusters);
  for (std::size_t i = federation.training(); i < federation.size(); ++i) {
    ClientInfo info = federation.info(static_cast<ClientId>(i));
    if (info.role == Role::test) test_sets[info.truth] = static_cast<ClientId>(i);
  }
  auto note = [&](ClientId i) {
    const ClientInfo info = federation.info(i);
    const bool on_test = tests && clients_test_ && info.role == Role::train;
    return EvalNote{offer.travelling(algorithm_.offer_items(i)),
                    on_test ? test_sets[info.truth] : std::nullopt};
  };
  Collect<EvalReply, EvalReply> replies(
      [](EvalReply& reply) { return std::move(reply); },
      [&](ClientId, const EvalReply& reply) { return refuse(reply, offer.models.size()); });
  fleet.ask_eval(job, judged_, Shelf(offer.items(), fleet.precision()), note, {&replies});

  Evaluation result;
  result.round = round;
  result.task = federation.shape().task;
  result.truth = &federation.truth();
  result.models = std::move(offer.models);
  result.intercepts = intercepts;
  result.traffic = fleet.traffic();
  result.personal = algorithm_.personal();
  result.figures = algorithm_.figures(judged_);
  for (auto& [client, reply] : replies.items) {
    result.scores.push_back(client_score(client, federation.info(client), reply.weights, reply.own));
    if (reply.parameter_error) result.scores.back().parameter_error = *reply.parameter_error;
  }
  for (auto& [client, reply] : replies.items) {
    if (!reply.test) continue;
    ClientInfo info = federation.info(client);
    info.role = Role::test;
    result.scores.push_back(client_score(client, info, reply.weights, *reply.test));
  }
  if (const std::vector<std::uint32_t> groups = algorithm_.groups(); !groups.empty()) {
    result.grouped = true;
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

std::size_t Evaluator::judged() const {
  return static_cast<std::size_t>(std::count_if(
      judged_.begin(), judged_.end(), [&](ClientId i) { return i < engine_.federation.training(); }));
}

void Evaluator::fields(Archive& a) { a(last_clusters_); }

}  // namespace coterie
