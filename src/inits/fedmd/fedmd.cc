// Federated moment descent (Su, Xu and Yang, 2024, Phase 1 and Algorithm 3): a few anchor clients are led
// from any common point to the models of their own clusters, along directions that all clients find together.
// In round t, for every anchor i,
//
//   Y = mean over the clients asked, by their samples (weights), of products of two of their samples'
//   residuals
//       at theta_i
//   U = its top K left singular vectors, by T1 multiplications at the clients (iterations)
//   A = the same products of the anchor's own samples, projected on U; beta, sigma^2 from its power iteration
//   theta_i <- theta_i + step sigma U beta; it stays for good once sigma <= epsilon alpha Delta / sqrt 2
//
// and anchors nearer to each other than Delta / 2 become one model in the end.
//
// Choose it where random starts go astray and clients have too few samples to learn anything alone: two are
// enough, as long as there are many such clients and some anchors of each cluster with a few dozen samples.
// With algorithm "ifca", average = "changes", it is the paper's two-phase method; it can start any other.
//
// Constants that are not given: alpha and beta of a regression are the extreme eigenvalues of the second
// moments of all inputs (alpha at least a tenth of beta), of other losses 1; Delta is the least distance
// between the K means of the anchors' present models by k-means, which also groups them in the end.
//
// Differs from the paper: all pairs of a client's samples count, not one (pairs = "one" is as printed, and
// fails at the sizes of the paper's own experiments); the sign of beta, which A A' does not tell, is that of
// the anchor's mean projected residual; sigma^2 <= 0 stops an anchor; samples are used again in each round,
// as in the paper's experiments (data = "fresh" is Phase 1 as printed); after even steps Q is divided by its
// largest number, which changes no span. Anchors that form more than K groups are joined, the nearest first;
// where they form fewer, as many more clients become anchors (recruit), with an event; where that does not
// help, an event says so and the rest of the K models are random.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/methods/erm.h"
#include "inits/fedmd/cohorts.h"
#include "inits/fedmd/curvature.h"
#include "inits/fedmd/subspaces.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// Asks of the server's streams.
enum : std::uint16_t { kAnchors = 16, kGroup };

constexpr double kClear = 3;  // radii that the means of two groups are apart when they are two clusters'

class FedMd : public Init {
 public:
  void options(Options& o) override { options_.options(o); }
  bool needs_truth() const override { return options_.start == "truth"; }

  std::vector<const AnyJob*> jobs() const override { return {&kSizes, &kMultiply, &kDescend, &slope_job()}; }

  Start make(const InitContext& context) const override {
    const std::size_t wanted = context.algorithm.start_models();
    AnchorDescent descent = begin(context, wanted, {});
    context.fleet.before_rounds(
        [&](const Fleet::Begin& begin_round) { descend(context, descent, wanted, begin_round); });
    return finish(context, descent, wanted);
  }

 private:
  // What all descents of a start share.
  struct Path {
    const InitContext& context;
    const Fleet::Begin& begin_round;
    Cohorts cohorts;
    std::size_t wanted;  // K
    double alpha = 1, beta = 1;
    std::uint32_t last = 0;  // round
  };

  // Where the anchors form fewer than K groups, more clients become anchors and take their own way.
  void descend(const InitContext& context, AnchorDescent& descent, std::size_t wanted,
               const Fleet::Begin& begin_round) const {
    Path path{context, begin_round, Cohorts(context, options_, descent.anchors), wanted};
    begin_round(1, 0);
    const SizesReply sizes = find_sizes(context, descent);
    descent.scale = sizes.residual;
    const Extremes curvature = find_curvature(context, options_, path.cohorts.of(1), sizes.slope);
    path.alpha = curvature.least;
    path.beta = curvature.largest;
    walk(path, descent, {});
    for (std::int64_t again = 0; again < options_.recruit && options_.can_recruit(); ++again) {
      const std::size_t groups = group(context, descent, wanted, 0).means.size();
      if (groups >= wanted) return;
      AnchorDescent more = begin(context, wanted, descent.anchors);
      if (more.anchors.empty()) return;
      context.fleet.report(
          {0,
           "anchors-recruited",
           {},
           fmt::format("the anchors form {} of the {} groups wanted: {} more clients become anchors", groups,
                       wanted, more.anchors.size()),
           {{"groups", static_cast<double>(groups)}, {"anchors", static_cast<double>(more.anchors.size())}}});
      begin_round(path.last + 1, 0);
      more.scale = find_sizes(context, more).residual;
      walk(path, more, descent);
      descent.append(std::move(more));
    }
  }

  // The rounds of these anchors; they are grouped together with those that came before them.
  void walk(Path& path, AnchorDescent& descent, const AnchorDescent& before) const {
    const InitContext& context = path.context;
    const std::size_t directions = std::min(path.wanted, context.setting.model.size());
    double delta = options_.delta.value_or(0);
    const std::uint32_t first = path.last + 1;
    for (std::uint32_t t = first;
         t < first + static_cast<std::uint32_t>(options_.rounds) && !descent.moving().empty(); ++t) {
      if (t > first) path.begin_round(t, 0);
      path.last = t;
      const std::vector<ClientId> cohort = path.cohorts.of(t);
      const std::vector<Vec> subspaces = Subspaces(context, options_, cohort, t).find(descent, directions);
      DescendNote note;
      note.step = options_.step.value_or(path.alpha / (2 * path.beta * path.beta));
      note.enough = options_.epsilon * path.alpha * delta / std::sqrt(2.0);
      move_anchors(context, descent, subspaces, note, t);
      if (descent.anchors.empty() && before.anchors.empty()) {
        throw Error("clusters.init = \"fedmd\": no anchor is left");
      }
      AnchorDescent all = before;
      all.append(descent);
      const AnchorGroups groups = group(context, all, path.wanted, t);
      if (!options_.delta && groups.means.size() == path.wanted) delta = groups.least_distance();
      if (context.so_far != nullptr) *context.so_far = groups.means;
      if (context.logged) context.logged(t);
    }
    const std::size_t left = descent.moving().size();
    if (left == 0) return;
    context.fleet.report(
        {0,
         "anchors-on-their-way",
         {},
         fmt::format("{} of {} anchors had not arrived after {} rounds; more (clusters.fedmd.rounds) "
                     "may be needed",
                     left, descent.anchors.size(), options_.rounds),
         {{"anchors", static_cast<double>(left)}}});
  }

  // Lines 3 to 5, for clients that are not among those taken.
  AnchorDescent begin(const InitContext& context, std::size_t wanted,
                      const std::vector<ClientId>& taken) const {
    const double usual = 3 * static_cast<double>(wanted) * std::log(static_cast<double>(wanted));
    const auto count = static_cast<std::size_t>(options_.count.value_or(
        std::max(static_cast<std::int64_t>(wanted), static_cast<std::int64_t>(std::ceil(usual)))));
    const std::size_t needed = options_.fresh() ? 2 * static_cast<std::size_t>(options_.rounds) : 2;
    AnchorDescent descent;
    descent.anchors = choose_anchors(context.fleet, options_.anchors, count, options_.ids, needed, taken,
                                     Stream(context.setting.seed, {Purpose::server, 0, kAnchors, 0}));
    const Vec start = first_model(context);
    descent.models.assign(descent.anchors.size(), start);
    descent.moves.assign(descent.anchors.size(), true);
    for (const ClientId i : descent.anchors) {
      const std::size_t samples = context.fleet.samples(i);
      context.fleet.report({0,
                            "anchor",
                            i,
                            fmt::format("client {} is an anchor, with {} samples", i, samples),
                            {{"samples", static_cast<double>(samples)}}});
    }
    return descent;
  }

  Vec first_model(const InitContext& context) const {
    Vec model = random_models(context.setting, 1, 0)[0];
    if (options_.start == "zero") std::fill(model.begin(), model.end(), 0.0);
    if (options_.start == "truth") {
      check(context.truth != nullptr, "a start at the truth is told the truth");
      const auto& known = context.truth->parameters;
      const auto k = static_cast<std::size_t>(options_.start_cluster);
      if (k >= known.size() || !known[k]) {
        throw Error(fmt::format(
            "clusters.fedmd.start_cluster = {}: the data has no parameters of such a true cluster",
            options_.start_cluster));
      }
      const std::size_t size = model.size() - trailing_intercepts(context.setting.model);
      if (known[k]->size() != size) {
        throw Error(
            fmt::format("clusters.fedmd.start = \"truth\": the data was generated by {} parameters, but the "
                        "model has {}, intercepts aside; use the model that matches the source",
                        known[k]->size(), size));
      }
      std::fill(model.begin(), model.end(), 0.0);  // intercepts, which the truth does not have
      std::copy(known[k]->begin(), known[k]->end(), model.begin());
    }
    scale(options_.scale, model);
    return model;
  }

  // Lines 10 to 15.
  void move_anchors(const InitContext& context, AnchorDescent& descent, const std::vector<Vec>& subspaces,
                    DescendNote note, std::uint32_t t) const {
    const std::vector<std::size_t> moving = descent.moving();
    std::vector<ClientId> asked;
    std::vector<Vec> items;
    for (std::size_t j = 0; j < moving.size(); ++j) {
      asked.push_back(descent.anchors[moving[j]]);
      items.push_back(subspaces[j]);
      items.push_back(descent.models[moving[j]]);
    }
    note.one_pair = options_.one_pair();
    note.power_steps = static_cast<std::uint32_t>(options_.power_steps);
    if (options_.fresh()) {
      note.portion = t - 1;
      note.portions = static_cast<std::uint32_t>(options_.rounds);
    }
    auto note_of = [&](ClientId i) {
      DescendNote own = note;
      own.item =
          2 * static_cast<std::uint32_t>(std::lower_bound(asked.begin(), asked.end(), i) - asked.begin());
      own.items = Items::only({own.item, own.item + 1});
      return own;
    };
    const std::size_t size = context.setting.model.size();
    Collect<DescendReply, DescendReply> replies(
        [](DescendReply& reply) { return std::move(reply); },
        [&](ClientId, const DescendReply& reply) {
          return reply.model.size() == size ? std::string() : std::string("its model is of another size");
        },
        size * sizeof(double));
    context.fleet.ask(kDescend, asked, Shelf(items, context.fleet.precision()), note_of, {&replies});
    take(context, descent, moving, replies.items, note.enough);
  }

  // An anchor whose reply was left out is no anchor any more.
  static void take(const InitContext& context, AnchorDescent& descent, const std::vector<std::size_t>& moving,
                   const std::vector<std::pair<ClientId, DescendReply>>& replies, double enough) {
    Event all{0, "moments", {}, "", {}};
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::size_t go_on = 0;
    std::vector<std::size_t> lost;
    for (const std::size_t a : moving) {
      const ClientId i = descent.anchors[a];
      const auto found = std::lower_bound(replies.begin(), replies.end(), i,
                                          [](const auto& one, ClientId id) { return one.first < id; });
      if (found == replies.end() || found->first != i) {
        lost.push_back(a);
        continue;
      }
      const DescendReply& reply = found->second;
      const double sigma = std::sqrt(std::max(0.0, reply.square));
      all.numbers.emplace_back(fmt::format("sigma_{}", i), sigma);
      least = std::min(least, sigma);
      most = std::max(most, sigma);
      descent.models[a] = reply.model;
      descent.moves[a] = !reply.stopped;
      go_on += reply.stopped ? 0 : 1;
      if (!reply.stopped) continue;
      context.fleet.report(
          {0,
           "anchor-stopped",
           i,
           reply.square > 0
               ? fmt::format("anchor {} has arrived: sigma = {:.4g} is at most {:.4g}", i, sigma, enough)
               : fmt::format("anchor {} stops: its sigma^2 = {:.4g} shows no direction", i, reply.square),
           {{"sigma_squared", reply.square}, {"enough", enough}}});
    }
    for (std::size_t j = lost.size(); j-- > 0;) {
      const auto at = static_cast<std::ptrdiff_t>(lost[j]);
      context.fleet.report(
          {0,
           "anchor-lost",
           descent.anchors[lost[j]],
           fmt::format("anchor {} gave no usable reply and is one no more", descent.anchors[lost[j]]),
           {}});
      descent.anchors.erase(descent.anchors.begin() + at);
      descent.models.erase(descent.models.begin() + at);
      descent.moves.erase(descent.moves.begin() + at);
    }
    all.text = fmt::format("{} of {} anchors go on; sigma from {:.4g} to {:.4g}", go_on,
                           descent.anchors.size(), least, most);
    context.fleet.report(std::move(all));
  }

  AnchorGroups group(const InitContext& context, const AnchorDescent& descent, std::size_t wanted,
                     std::uint32_t t) const {
    return group_anchors(descent.models, wanted, options_.delta,
                         Stream(context.setting.seed, {Purpose::server, t, kGroup, 0}));
  }

  // Line 16.
  Start finish(const InitContext& context, const AnchorDescent& descent, std::size_t wanted) const {
    const AnchorGroups groups = group(context, descent, wanted, 0);
    context.fleet.report(grouped_event(descent.anchors, descent.models, groups, wanted));
    // Where Delta is not given, k-means always makes its groups; a cluster without an anchor is seen only by
    // groups that are hardly apart.
    const double apart = groups.least_distance(), radius = groups.largest_radius(descent.models);
    if (!options_.delta && groups.means.size() > 1 && groups.means.size() == descent.anchors.size()) {
      context.fleet.report(
          {0,
           "unclear-groups",
           {},
           "each group has a single anchor, so that nothing tells whether two are of one cluster and some "
           "other has none; use more anchors (clusters.fedmd.count)",
           {{"least_distance", apart}}});
    } else if (!options_.delta && groups.means.size() > 1 && apart < kClear * radius) {
      context.fleet.report(
          {0,
           "unclear-groups",
           {},
           fmt::format(
               "two groups of anchors are {:.3g} apart, and anchors up to {:.3g} from the mean of theirs: "
               "some cluster may have no anchor. More anchors (clusters.fedmd.count), or a given "
               "clusters.fedmd.delta, help",
               apart, radius),
           {{"least_distance", apart}, {"largest_radius", radius}}});
    }
    Start start;
    start.models = groups.means;
    start.memberships.assign(context.fleet.clients(), kUnknownCluster);
    for (std::size_t a = 0; a < descent.anchors.size(); ++a)
      start.memberships[descent.anchors[a]] = groups.labels[a];
    if (start.models.size() < wanted) {
      const std::vector<Vec> random = random_models(context.setting, wanted, 1);
      const std::size_t found = start.models.size();
      start.models.insert(start.models.end(), random.begin() + static_cast<std::ptrdiff_t>(found),
                          random.end());
      context.fleet.report(
          {0,
           "too-few-groups",
           {},
           fmt::format("the anchors form {} of the {} groups wanted: some cluster may have "
                       "no anchor, "
                       "or delta is too large; the other models are random. More anchors "
                       "(clusters.fedmd.count) make gaps less likely",
                       found, wanted),
           {{"groups", static_cast<double>(found)}, {"least_distance", groups.least_distance()}}});
    }
    return start;
  }

  FedMdOptions options_;
};

const Registration<Init> kFedMd{"fedmd", "moment descent of a few anchor clients, from any starting point",
                                [] { return std::make_unique<FedMd>(); }};

}  // namespace
}  // namespace coterie
