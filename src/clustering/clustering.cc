#include "clustering/clustering.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace coterie {
namespace {

constexpr std::size_t kFew = 2000;  // points whose diameters take no longer than grouping them

// Lambda as the paper's experiments choose it.
double lambda_of_truth(const Points& points, std::span<const std::uint32_t> truth, Stream& stream) {
  const LambdaInterval interval = lambda_interval(points, truth);
  if (interval.empty()) return interval.high;
  // One group: any lambda will do from the lower end on.
  if (!std::isfinite(interval.high)) return 2 * interval.low;
  return interval.low + stream.uniform() * (interval.high - interval.low);
}

void convex(const Points& points, const ClusteringOptions& options, std::span<const std::uint32_t> truth,
            Stream& stream, Clustering& out) {
  ConvexClusters found;
  if (options.lambda_rule == "clusterpath") {
    Clusterpath path = clusterpath(points, options.path);
    out.lambda = path.lambda;
    out.path = std::move(path.path);
    found = std::move(path.chosen);
  } else {
    out.lambda =
        options.lambda_rule == "given" ? options.lambda.value() : lambda_of_truth(points, truth, stream);
    const std::vector<Edge> edges =
        options.weights == "uniform"
            ? all_pairs(points.count)
            : knn_edges(points, static_cast<std::size_t>(options.neighbours), options.phi);
    found = convex_clustering(points, edges, *out.lambda, options.path.convex);
  }
  out.gap = found.gap;
  out.converged = found.converged;
  out.pairs = options.weights == "uniform";
  out.labels = std::move(found.labels);
  out.groups = found.groups;
}

bool is_kmeans(const ClusteringOptions& options) {
  return options.kind == "kmeans" || options.kind == "kmeans++";
}

Grouping grouping(const Points& points, std::size_t k, const ClusteringOptions& options, Stream& stream) {
  if (options.kind == "spectral") return spectral_kmeans(points, k, options.spectral, stream);
  if (options.kind == "gradient") return gradient_clustering(points, k, options.gradient, stream);
  return kmeans(points, k, options.kmeans_options(), stream);
}

// K by k-means, whose groups are the answer unless another kind is asked for.
Grouping grouping_of_chosen(const Points& points, const ClusteringOptions& options, Stream& stream) {
  ChooseKOptions choose;
  choose.by = options.count;
  choose.most = options.most;
  choose.threshold = options.threshold;
  choose.kmeans = options.kmeans_options();
  ChosenK chosen = choose_k(points, choose, stream);
  return is_kmeans(options) ? std::move(chosen.grouping) : grouping(points, chosen.k, options, stream);
}

// Numbers groups in the order of their first points, so that none is empty; returns how many there are.
std::size_t number_groups(std::vector<std::uint32_t>& labels) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t& label : labels) {
    label = numbers.try_emplace(label, static_cast<std::uint32_t>(numbers.size())).first->second;
  }
  return numbers.size();
}

}  // namespace

KMeansOptions ClusteringOptions::kmeans_options() const {
  KMeansOptions own = kmeans;
  own.seeding = kind == "kmeans" ? "random" : "kmeans++";
  return own;
}

// What is set away from its default, but has no part in what is asked for, is refused: it would seem to work.
// Tables of other kinds (spectral, gradient, convex) may stay, as those of other algorithms may.
void ClusteringOptions::options(Options& o) {
  const ClusteringOptions usual;
  if (!o.path().empty()) table = o.path();
  o.choice("clustering", kind, {"kmeans++", "kmeans", "spectral", "gradient", "convex"},
           "how the clients' models are grouped; convex finds the number of groups by itself");
  o.choice(
      "count", count, {"given", "elbow", "silhouette"},
      "the number of groups: clusters.count, or chosen by the elbow of k-means' objective or by silhouettes");
  o("most", &most, "groups that are tried at most when count is \"elbow\" or \"silhouette\"", at_least(2));
  o("threshold", &threshold,
    "elbow: instead of the farthest point from the chord, the first K from which one more group would lower "
    "the objective by less than this share of that of one group",
    between(0, 1));
  o("restarts", &kmeans.restarts,
    "runs of k-means, of which the one with the least sum of squares is kept; spectral and gradient "
    "clustering have their own",
    between(1, 10000));
  o.section("spectral", "for clustering = \"spectral\"", [&](Options& inside) { spectral.options(inside); });
  o.section("gradient", "for clustering = \"gradient\"", [&](Options& inside) { gradient.options(inside); });
  o.section("convex", "for clustering = \"convex\"", [&](Options& inside) {
    inside.choice("rule", lambda_rule, {"clusterpath", "given", "interval"},
                  "lambda by a walk over many, as given, or from condition (13) for the true clusters");
    inside("lambda", &lambda, "weight of the distances between centroids", at_least(0));
    inside.choice("weights", weights, {"uniform", "knn"}, "over all pairs of clients, or near ones only");
    inside("neighbours", &neighbours, "near ones of a client, for weights = \"knn\"", at_least(1));
    inside("phi", &phi, "a pair of near ones weighs exp(-phi distance^2), for weights = \"knn\"",
           at_least(0));
    path.convex.options(inside);
    inside.section("path", "the walk over lambda, for rule = \"clusterpath\"",
                   [&](Options& steps) { path.options(steps, lambda_rule == "clusterpath"); });
    inside.require(lambda_rule == "given" || !lambda, "lambda", "is used with rule = \"given\" only");
    inside.require(lambda_rule != "given" || lambda.has_value(), "lambda",
                   "is needed with rule = \"given\"; or let rule = \"clusterpath\" find it");
    inside.require(lambda_rule == "given" || weights == "uniform", "weights",
                   "\"knn\" needs a lambda: the other rules are about all pairs. Use rule = \"given\"");
    const std::string knn_only = "is used with weights = \"knn\" only";
    inside.require(weights == "knn" || neighbours == usual.neighbours, "neighbours", knn_only);
    inside.require(weights == "knn" || phi == usual.phi, "phi", knn_only);
  });
  o.require(count != "given" || most == usual.most, "most",
            "is used with count = \"elbow\" or \"silhouette\" only; K as given is clusters.count");
  o.require(is_kmeans(*this) || count != "given" || kmeans.restarts == usual.kmeans.restarts, "restarts",
            kind == "convex" ? "has no meaning with clustering = \"convex\", which has one solution"
                             : "is of k-means; set " + kind + ".restarts");
  o.require(!threshold || count == "elbow", "threshold", "is used with count = \"elbow\" only");
  o.require(kind != "convex" || count == "given", "count",
            "has no meaning with clustering = \"convex\", which finds the number of groups by itself");
}

Clustering cluster(const Points& points, std::size_t k, const ClusteringOptions& options,
                   std::span<const std::uint32_t> truth, Stream& stream) {
  Clustering out;
  if (points.count == 0) return out;
  if (options.kind == "convex") {
    convex(points, options, truth, stream, out);
  } else {
    out.labels = options.count == "given"
                     ? grouping(points, std::min(k, points.count), options, stream).labels
                     : grouping_of_chosen(points, options, stream).labels;
    out.groups = number_groups(out.labels);
  }
  const bool exact = options.kind == "convex" || points.count <= kFew;
  out.separability = separability(points, out.labels, exact ? Diameters::exact : Diameters::bound);
  return out;
}

}  // namespace coterie
