#include "coterie/grouping.h"

#include <fmt/format.h>

#include "math/clustering.h"
#include "math/groups.h"

namespace coterie {
namespace {

Event found_event(const Clustering& found, std::size_t clients) {
  const Separability& s = found.separability;
  Event event;
  event.kind = "clusters-found";
  event.text = found.groups == 1
                   ? fmt::format("the models of all {} clients are one group", clients)
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

// The groups' models as an [aggregate] kind other than the mean combines them, every client alike.
std::vector<Vec> combined(const Setting& setting, const LocalModels& local, const Points& points,
                          const Clustering& found) {
  auto slots = setting.aggregate.slots(found.groups, points.width, static_cast<double>(points.count));
  slots->open(1);
  for (std::size_t i = 0; i < points.count; ++i) {
    slots->add(0, local.clients[i], found.labels[i], 1, Vec(points[i].begin(), points[i].end()));
  }
  slots->close();
  std::vector<Vec> models;
  for (std::size_t g = 0; g < found.groups; ++g) models.push_back(slots->mean(g).value());
  return models;
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
  if (setting.aggregate.kind != "mean") start.models = combined(setting, local, points, found);
  start.memberships.assign(fleet.clients(), kUnknownCluster);
  for (std::size_t i = 0; i < local.clients.size(); ++i)
    start.memberships[local.clients[i]] = found.labels[i];
  return start;
}

}  // namespace coterie
