#include "run/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/largest.h"
#include "coterie/methods/score.h"

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

std::string rate_text(const Config& config, std::uint32_t round) {
  const char* found = config.solver->wants_rate() ? " (found by \"auto\")" : "";
  return fmt::format("local.rate = {:g}{}", config.solver->rate(round), found);
}

// What to try; `most`: the largest rate that suits, where it is known.
std::string remedies(const Config& config, std::optional<double> most = {}) {
  const double below = std::min(config.solver->rate(1), most.value_or(config.solver->rate(1)));
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

// The curvature of a client's loss, where its model's scores are linear; nothing when it does not say.
std::optional<double> curvature_of(Session& session, ClientId client) {
  Collect<CurvatureReply, double> told([](CurvatureReply& reply) { return reply.smoothness; });
  std::vector<Event> kept = session.fleet().take_events();
  session.fleet().ask_eval(curvature_job(), std::vector<ClientId>{client}, Shelf(),
                           [](ClientId) { return CurvatureNote{}; }, {&told});
  session.fleet().take_events();  // that it cannot say is no news
  for (Event& event : kept) session.fleet().report(std::move(event));
  if (told.items.empty()) return std::nullopt;
  return told.items.front().second;
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

std::string why_replies_were_unusable(Session& session) {
  const Config& config = session.config();
  Fleet& fleet = session.fleet();
  std::vector<Event> events = fleet.take_events();
  std::optional<ClientId> first;
  for (const Event& event : events) {
    const bool size = event.text.find("aggregate.limit") != std::string::npos ||
                      event.text.find("not finite") != std::string::npos;
    if (event.kind == "rejected" && size && !first) first = event.client;
  }
  for (Event& event : events) fleet.report(std::move(event));
  if (!first) return "";
  if (!session.liars().empty()) {
    return fmt::format("; {} clients lie ({}): lower fleet.quorum to go on without what is left out",
                       session.liars().size(), config.attack.kind);
  }
  if (!config.algorithm->uses_solver()) {
    return "; its exact minimum is that large: give model.l2, or raise aggregate.limit";
  }
  const std::uint32_t round = std::max(fleet.round(), 1u);
  const std::string from =
      fmt::format("it began at parameters of size {:.3g}", largest_parameter(*config.algorithm));
  const std::optional<double> curvature = curvature_of(session, *first);
  const std::optional<double> suits =
      curvature && *curvature > 0 ? config.solver->rate_for(*curvature) : std::nullopt;
  const double rate = config.solver->rate(round);
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
