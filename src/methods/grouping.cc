#include "coterie/methods/grouping.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "clustering/clustering.h"
#include "coterie/methods/slots.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// What was found, in words; theory is quoted only where it says something.
std::string sentence(const Clustering& found, std::size_t clients) {
  const Separability& s = found.separability;
  if (found.groups == 1) return fmt::format("the models of {} are one group", counted(clients, "client"));
  if (!s.meaningful) return fmt::format("each of {} clients' models is a group of its own", clients);
  std::string text = fmt::format(
      "{} groups of {} clients' models; means are at least {:.3g} apart, models at most {:.3g} from theirs: "
      "alpha = {:.3g}, {} (Definition 1)",
      found.groups, clients, s.distance, s.radius, s.alpha, s.separable() ? "separable" : "not separable");
  if (found.lambda && found.pairs) {
    text += fmt::format("; lambda = {:.4g}, condition (13) {}", *found.lambda,
                        s.lambda.contains(*found.lambda) ? "holds for them" : "does not hold for them");
  }
  return text;
}

Event found_event(const Clustering& found, std::size_t clients) {
  const Separability& s = found.separability;
  Event event;
  event.kind = "clusters-found";
  event.text = sentence(found, clients);
  event.numbers = {{"groups", static_cast<double>(found.groups)}};
  const auto number = [&](const std::string& name, double value) { event.numbers.emplace_back(name, value); };
  if (s.meaningful) {
    number("alpha", s.alpha);
    number("distance", s.distance);
    number("radius", s.radius);
    number("alpha_convex", s.needed_by_convex);
    number("alpha_kmeans", s.needed_by_kmeans);
    number(s.lambda.bound ? "lambda_low_bound" : "lambda_low", s.lambda.low);
    number("lambda_high", s.lambda.high);
    // With a bound, an empty interval proves nothing.
    const bool holds = found.lambda ? s.lambda.contains(*found.lambda) : !s.lambda.empty();
    if (found.pairs && (holds || !s.lambda.bound)) number("condition_13", holds ? 1 : 0);
  }
  if (found.lambda) number("lambda", *found.lambda);
  if (found.gap) number("gap", *found.gap);
  for (std::size_t n = 0; n < found.path.size(); ++n) {
    const std::string step = fmt::format("path_{}_", n + 1);
    number(step + "lambda", found.path[n].lambda);
    number(step + "groups", static_cast<double>(found.path[n].groups));
    number(step + "condition_13", found.path[n].recovers ? 1 : 0);
  }
  return event;
}

// How much each client counts in its group's model. One without samples, whose model is the common start,
// counts as if it had one.
Vec weights_of(const Fleet& fleet, const LocalModels& local, const GroupWeights& weights) {
  Vec all;
  for (const ClientId i : local.clients) {
    const bool alike = weights.weights == "uniform";
    all.push_back(alike ? 1.0 : std::max(1.0, static_cast<double>(fleet.samples(i))));
  }
  return all;
}

std::vector<Vec> means_of(const Points& points, const Clustering& found, const Vec& weights) {
  Vec totals(found.groups, 0.0);
  std::vector<Vec> means(found.groups, Vec(points.width, 0.0));
  for (std::size_t i = 0; i < points.count; ++i) {
    add_scaled(weights[i], points[i], means[found.labels[i]]);
    totals[found.labels[i]] += weights[i];
  }
  for (std::size_t g = 0; g < found.groups; ++g) {
    for (double& value : means[g]) value /= totals[g];
  }
  return means;
}

// The groups' models as an [aggregate] kind other than the mean combines them.
std::vector<Vec> combined(const Setting& setting, const LocalModels& local, const Points& points,
                          const Clustering& found, const Vec& weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  auto slots = setting.aggregate.slots(found.groups, points.width, total);
  slots->open(1);
  for (std::size_t i = 0; i < points.count; ++i) {
    slots->add(0, local.clients[i], found.labels[i], weights[i], Vec(points[i].begin(), points[i].end()));
  }
  slots->close();
  std::vector<Vec> models;
  for (std::size_t g = 0; g < found.groups; ++g) models.push_back(slots->mean(g).value());
  return models;
}

// Says where an answer is not what it seems: the largest number of groups that could be chosen, or a lambda
// from an interval that is empty.
void report_doubts(Fleet& fleet, const Points& points, const ClusteringOptions& options,
                   const Clustering& found, std::span<const std::uint32_t> known) {
  auto warn = [&](const std::string& text) { fleet.report({0, "warning", {}, text, {}}); };
  const auto most = static_cast<std::size_t>(options.most);
  if (options.kind != "convex" && options.count != "given" && most < points.count) {
    // The farthest point from the chord is never its end.
    const bool inside = options.count == "elbow" && !options.threshold;
    if (found.groups >= most - (inside ? 1 : 0)) {
      warn(fmt::format("{} groups are as many as count = \"{}\" could choose with {}.most = {}: raise it",
                       found.groups, options.count, options.table, most));
    }
  }
  if (!options.needs_truth()) return;
  if (const LambdaInterval interval = lambda_interval(points, known); interval.empty()) {
    warn(fmt::format(
        "no lambda meets condition (13) for the true clusters: it would have to be at least {:.4g} and below "
        "{:.4g}. The upper end is taken, which need not find them; give clients more samples, or use "
        "{}.convex.rule = \"clusterpath\"",
        interval.low, interval.high, options.table));
  }
}

}  // namespace

void GroupWeights::options(Options& o) {
  o.choice("weights", weights, {"uniform", "samples"},
           "how clients count in the mean of their group: alike, as in the paper, or by their samples; "
           "aggregate.weights is not read");
}

Start group_models(Fleet& fleet, const Setting& setting, const LocalModels& local,
                   const ClusteringOptions& clustering, const GroupWeights& weights, std::size_t k,
                   std::span<const std::uint32_t> truth) {
  check(!local.clients.empty(), "nothing to group");
  const Points points{local.values, local.clients.size(), setting.model.size()};
  std::vector<std::uint32_t> known;
  for (const ClientId client : local.clients) {
    if (!truth.empty()) known.push_back(truth[client]);
  }
  Stream stream(setting.seed, {Purpose::server, 0, 0, 0});
  Vec room;
  const Points grouped{local.stepped(setting.model, room), local.clients.size(), setting.model.trainable()};
  const Clustering found = cluster(grouped, k, clustering, known, stream);
  fleet.report(found_event(found, local.clients.size()));
  report_doubts(fleet, grouped, clustering, found, known);
  if (!found.converged) {
    fleet.report({0,
                  "inexact",
                  {},
                  "convex clustering ran out of iterations, so groups may be too large; give it more "
                  "(convex.iterations), or another lambda",
                  {}});
  }

  Start start;
  const Vec counts = weights_of(fleet, local, weights);
  start.models = setting.aggregate.kind == "mean" ? means_of(points, found, counts)
                                                  : combined(setting, local, points, found, counts);
  start.memberships.assign(fleet.clients(), kUnknownCluster);
  for (std::size_t i = 0; i < local.clients.size(); ++i)
    start.memberships[local.clients[i]] = found.labels[i];
  return start;
}

}  // namespace coterie
