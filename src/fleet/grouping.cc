#include "coterie/grouping.h"

#include <fmt/format.h>

#include "base/text.h"
#include "math/clustering.h"
#include "math/groups.h"

namespace coterie {
namespace {

Event found_event(const Clustering& found, std::size_t clients) {
  const Separability& s = found.separability;
  Event event;
  event.kind = "clusters-found";
  event.text = found.groups == 1
                   ? fmt::format("the models of {} are one group", counted(clients, "client"))
                   : fmt::format(
                         "{} groups of {} clients' models; means are at least {:.3g} apart, models at "
                         "most {:.3g} from theirs: alpha = {:.3g}, {} (Definition 1)",
                         found.groups, clients, s.distance, s.radius, s.alpha,
                         s.separable() ? "separable" : "not separable");
  event.numbers = {{"groups", static_cast<double>(found.groups)},
                   {"alpha", s.alpha},
                   {"distance", s.distance},
                   {"radius", s.radius},
                   {"alpha_convex", s.needed_by_convex},
                   {"alpha_kmeans", s.needed_by_kmeans},
                   {"lambda_low", s.lambda.low},
                   {"lambda_high", s.lambda.high},
                   {"condition_13", s.lambda.empty() ? 0.0 : 1.0}};
  if (found.lambda && !found.pairs) event.numbers.pop_back();
  if (found.lambda && found.pairs) {
    const bool holds = s.lambda.contains(*found.lambda);
    event.text += fmt::format("; lambda = {:.4g}, condition (13) {}", *found.lambda,
                              holds ? "holds for them" : "does not hold for them");
    event.numbers.back().second = holds ? 1 : 0;
  }
  if (found.lambda) event.numbers.emplace_back("lambda", *found.lambda);
  if (found.gap) event.numbers.emplace_back("gap", *found.gap);
  return event;
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

Start group_models(Fleet& fleet, const Setting& setting, const LocalModels& local,
                   const ClusteringOptions& clustering, std::size_t k, std::span<const std::uint32_t> truth) {
  check(!local.clients.empty(), "nothing to group");
  const Points points{local.values, local.clients.size(), setting.model.size()};
  std::vector<std::uint32_t> known;
  for (const ClientId client : local.clients) {
    if (!truth.empty()) known.push_back(truth[client]);
  }
  Stream stream(setting.seed, {Purpose::server, 0, 0, 0});
  const Clustering found = cluster(points, k, clustering, known, stream);
  fleet.report(found_event(found, local.clients.size()));
  report_doubts(fleet, points, clustering, found, known);
  if (!found.converged) {
    fleet.report({0,
                  "inexact",
                  {},
                  "convex clustering ran out of iterations, so groups may be too large; give it more "
                  "(convex.path.iterations), or another lambda",
                  {}});
  }

  Start start;
  const Groups groups = group_means(points, found.labels);
  for (std::size_t g = 0; g < groups.count(); ++g) {
    start.models.emplace_back(groups.mean(g).begin(), groups.mean(g).end());
  }
  start.memberships.assign(fleet.clients(), kUnknownCluster);
  for (std::size_t i = 0; i < local.clients.size(); ++i)
    start.memberships[local.clients[i]] = found.labels[i];
  return start;
}

}  // namespace coterie
