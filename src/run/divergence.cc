#include "run/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/largest.h"
#include "coterie/methods/score.h"
#include "coterie/registry.h"
#include "metrics/scores.h"

namespace coterie {
namespace {

struct TrainingLoss {
  double mean = 0;
  std::vector<ClientId> lost;  // whose loss is not finite
};

// The mean over the training samples of these clients. `models`: by which; empty: what the method offers.
TrainingLoss training_loss(Session& session, const std::vector<ClientId>& clients,
                           const std::vector<Vec>& models) {
  const Algorithm& algorithm = session.algorithm();
  const Offer offer = models.empty() ? algorithm.offer() : Offer{models};
  ScoreNote common;
  common.part = Part::train;
  common.reports = {"loss"};
  common.weights = false;
  common.lowest = !models.empty();
  common.packing = offer.packing();
  auto note = [&](ClientId i) {
    ScoreNote own = common;
    own.items = offer.travelling(models.empty() ? algorithm.offer_items(i) : Items::all());
    return own;
  };
  Collect<ScoreReply, Score> told(
      [](ScoreReply& reply) { return reply.own; },
      [&](ClientId i, const ScoreReply& reply) { return refuse_score(note(i), reply, offer.models.size()); });
  Fleet& fleet = session.fleet();
  fleet.ask_eval(score_job(), clients, Shelf(offer.items(), fleet.precision()), note, {&told});
  TrainingLoss result;
  double samples = 0;
  for (const auto& [client, score] : told.items) {
    if (!score.told[0].finite) {
      result.lost.push_back(client);
      continue;
    }
    result.mean += score.samples * score.number(0);
    samples += score.samples;
  }
  if (samples > 0) result.mean /= samples;
  return result;
}

double used_rate(const Config& config, std::uint32_t round) {
  return config.algorithm->steps_on_gradients() ? config.solver->gradient_rate(round)
                                                : config.solver->rate(round);
}

std::string rate_text(const Config& config, std::uint32_t round) {
  const char* found = config.solver->wants_rate() ? " (found by \"auto\")" : "";
  return fmt::format("local.rate = {:g}{}", used_rate(config, round), found);
}

// What to try; `most`: the largest rate that suits, where it is known.
std::string remedies(const Config& config, std::optional<double> most = {}) {
  const double rate = used_rate(config, 1), below = std::min(rate, most.value_or(rate));
  std::string text = config.solver->wants_rate()
                         ? fmt::format("a local.rate below {:.3g}", below)
                         : fmt::format("local.rate = \"auto\", or one below {:.3g}", below);
  return text + ", local.clip = 1, or features (and the target of a regression) that are standardised";
}

double largest_parameter(const Algorithm& algorithm) {
  double largest = 0;
  for (const Vec& model : algorithm.offer().models) {
    largest = std::max(largest, largest_of(std::span<const double>(model)));
  }
  return largest;
}

// The rate that suits a client, where its model's scores are linear; nothing when it does not say.
std::optional<double> suiting_rate(Session& session, ClientId client) {
  const Config& config = session.config();
  const std::optional<std::size_t> rows = config.algorithm->steps_on_gradients();
  Collect<CurvatureReply, double> told(
      [&](CurvatureReply& reply) { return rows ? reply.of_gradient : reply.smoothness; });
  std::vector<Event> kept = session.fleet().take_events();
  session.fleet().ask_eval(curvature_job(), std::vector<ClientId>{client}, Shelf(),
                           [&](ClientId) {
                             return CurvatureNote{Items::none(), rows.value_or(0)};
                           },
                           {&told});
  session.fleet().take_events();  // that it cannot say is no news
  for (Event& event : kept) session.fleet().report(std::move(event));
  if (told.items.empty() || !(told.items.front().second > 0)) return std::nullopt;
  const double curvature = told.items.front().second;
  return rows ? 1 / curvature : config.solver->rate_for(curvature);
}

}  // namespace

Verdict judge_training(Session& session) {
  constexpr double kSlack = 0.1;
  const Config& config = session.config();
  const std::vector<ClientId> clients = session.evaluator().judged_training();
  const TrainingLoss now = training_loss(session, clients, {});
  const TrainingLoss random = training_loss(session, clients, random_models(session.setting(), 1, 0));
  Verdict verdict{false, now.mean, random.mean, ""};
  const bool grew = now.mean > random.mean + kSlack * std::fabs(random.mean);
  verdict.diverged = !now.lost.empty() || !std::isfinite(now.mean) || grew;
  if (!verdict.diverged) return verdict;
  const std::string what = now.lost.empty() ? fmt::format("{:.4g}", now.mean)
                                            : fmt::format("not finite for {} of {} clients (client {} first)",
                                                          now.lost.size(), clients.size(), now.lost.front());
  verdict.text = fmt::format("the run has diverged: the training loss is {}, where a random model has {:.4g}",
                             what, random.mean);
  if (!session.liars().empty()) {
    verdict.text += fmt::format("; {} clients lie ({})", session.liars().size(), config.attack.kind);
  } else if (!config.algorithm->uses_solver()) {
    verdict.text +=
        "; exact minima of clients are not near each other: give model.l2, or use a method that trains";
  } else {
    verdict.text += fmt::format("; {} with this data: try {}", rate_text(config, 1), remedies(config));
  }
  return verdict;
}

std::string warn_of_held_out(const Evaluation& evaluation) {
  constexpr double kPoints = 0.2;
  const auto figures = [&](const char* name) {
    return row_figures(*Registry<Metric>::instance().make(name), evaluation);
  };
  std::string text;
  RowFigures worst;
  const char* unit = "";
  if (evaluation.task == Task::regression) {
    const double r2 = figures("r2").mean;
    if (!(r2 < -1)) return "";
    text = fmt::format("held-out rows are predicted far worse than by their mean: R2 is {:.3g}", r2);
    worst = figures("rmse");
    unit = "RMSE";
  } else {
    worst = figures("accuracy");
    const double majority = figures("majority").mean;
    if (!(worst.mean < majority - kPoints)) return "";
    text = fmt::format(
        "held-out rows are predicted far worse than by their most frequent class: accuracy is {:.3g}, "
        "that class has {:.3g}",
        worst.mean, majority);
    unit = "accuracy";
  }
  if (worst.worst_client)
    text += fmt::format("; the worst is client {} ({} {:.3g})", *worst.worst_client, unit, worst.worst);
  return text +
         ". Look for outliers or other units there; try model.l2, more rounds, or a method that shares more";
}

std::string why_replies_were_unusable(Session& session) {
  const Config& config = session.config();
  Fleet& fleet = session.fleet();
  std::vector<Event> events = fleet.take_events();
  std::optional<ClientId> first;
  bool exact = !config.algorithm->uses_solver();  // a minimum is too large, not a step
  for (const Event& event : events) {
    const bool size = event.text.find("aggregate.limit") != std::string::npos ||
                      event.text.find("not finite") != std::string::npos;
    if (event.kind == "rejected" && size && !first) {
      first = event.client;
      exact = exact || event.text.find("its exact minimum") != std::string::npos;
    }
  }
  for (Event& event : events) fleet.report(std::move(event));
  if (!first) return "";
  if (!session.liars().empty()) {
    return fmt::format("; {} clients lie ({}): lower fleet.quorum to go on without what is left out",
                       session.liars().size(), config.attack.kind);
  }
  if (exact) {
    return "; no step is too long: the exact minimum of its loss is that large, since its features vary "
           "little "
           "beside its targets, or nearly depend on each other. Give model.l2, scale features by client (of "
           "a "
           "table: data.standardise = \"each\"), or raise aggregate.limit";
  }
  const std::uint32_t round = std::max(fleet.round(), 1u);
  const std::string from =
      fmt::format("it began at parameters of size {:.3g}", largest_parameter(*config.algorithm));
  const std::optional<double> suits = suiting_rate(session, *first);
  const double rate = used_rate(config, round);
  // Steps of up to twice the suiting rate do not grow.
  if (suits && rate <= 2 * *suits) {
    return fmt::format(
        "; nobody diverges: {}, and {} suits its data (up to {:.3g} does); its targets need parameters this "
        "large: standardise the target of a regression, or raise aggregate.limit",
        from, rate_text(config, round), 2 * *suits);
  }
  const std::optional<double> most = suits ? std::optional(2 * *suits) : std::nullopt;
  return fmt::format("; its training diverges: {}, and {} is too large for its data; try {}", from,
                     rate_text(config, round), remedies(config, most));
}

}  // namespace coterie
