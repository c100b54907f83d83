// The minimum over several clients' rows, of which the server sees gradients alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/attack.h"
#include "coterie/methods/erm.h"
#include "coterie/methods/slots.h"
#include "math/kernels.h"
#include "math/minimise.h"
#include "methods/stepped_ball.h"

namespace coterie {
namespace {

// Least tolerance that can be met with gradients that travel as floats.
constexpr double kFloatTolerance = 1e-5;

// Somebody answered before and does not now: the objective is another from here on.
struct Left {};

// The mean over the rows of those clients who answered so far, or over these clients.
class JointObjective {
 public:
  JointObjective(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients, bool alike)
      : fleet_(fleet), setting_(setting), clients_(std::move(clients)), alike_(alike) {}

  const std::vector<ClientId>& clients() const { return clients_; }

  // Of nobody: 0, where nothing leads further down.
  double operator()(std::span<const double> w, std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    if (clients_.empty()) return 0;
    double total = 0;
    for (ClientId i : clients_) total += weight(i);
    Sums sums(1, w.size(), total, setting_.aggregate.limit);
    IntoSlots<SlopeReply> fold(sums, &SlopeReply::gradient, [&](ClientId i, const SlopeReply&) {
      return SlotWeight{0, weight(i)};
    });
    Collect<SlopeReply, double> values([](SlopeReply& reply) { return reply.value; });
    auto note = [](ClientId) { return SlopeNote{Items::only({0}), 0}; };
    std::vector<ClientId> answered = fleet_.ask(
        slope_job(), clients_, Shelf({Vec(w.begin(), w.end())}, fleet_.precision()), note, {&fold, &values});
    double value = 0;
    double heard = 0;
    for (const auto& [client, one] : values.items) {
      value += weight(client) * one;
      heard += weight(client);
    }
    const Vec mean = sums.mean_or(0, Vec(w.size(), 0.0));
    std::copy(mean.begin(), mean.end(), gradient.begin());
    const bool left = asked_ && answered.size() < clients_.size();
    clients_ = std::move(answered);
    asked_ = true;
    if (left) throw Left();
    return clients_.empty() ? 0 : value / heard;
  }

  // The loss of no row is more than this times the objective.
  double most_of_a_row() const {
    double total = 0, rows = 1;  // rows that share one unit of weight
    for (ClientId i : clients_) {
      total += weight(i);
      if (alike_) rows = std::max(rows, static_cast<double>(fleet_.samples(i)));
    }
    return total * rows;
  }

 private:
  double weight(ClientId client) const { return alike_ ? 1 : static_cast<double>(fleet_.samples(client)); }

  Fleet& fleet_;
  const Setting& setting_;
  std::vector<ClientId> clients_;
  bool alike_;  // clients count alike, not by their samples
  bool asked_ = false;
};

Minimum minimise_joint(JointObjective& objective, const Setting& setting, const ErmOptions& options,
                       Vec start, bool convex) {
  const Model& model = setting.model;
  MinimiseOptions how{options.tolerance, static_cast<std::size_t>(options.iterations)};
  if (setting.precision == Precision::f32) how.tolerance = std::max(how.tolerance, kFloatTolerance);
  auto f = [&](std::span<const double> w, std::span<double> gradient) { return objective(w, gradient); };
  if (options.radius) return minimise_stepped(model, f, std::move(start), *options.radius, how);
  // Without a bound on w, likelihood losses that are all below log 2 are proof that there is no minimum.
  const bool unbounded = convex && model.loss_kind() != LossKind::squared && model.l2() == 0;
  auto all_right = [&](double value) {
    return unbounded && value * objective.most_of_a_row() < std::log(2.0);
  };
  Minimum found = minimise(f, std::move(start), how, all_right);
  if (!objective.clients().empty() && all_right(found.value)) {
    throw Error(
        "the classes of the clients of a cluster can be told apart without error, so their loss has no "
        "minimum: " +
        advice_on_bounds(options));
  }
  return found;
}

}  // namespace

const Job<SlopeNote, SlopeReply>& slope_job() {
  static const Job<SlopeNote, SlopeReply> job(
      "slope", [](const Shelf& shelf, const SlopeNote& note, ClientView& view) {
        const Batch<double> rows = view.batch<double>(Part::train);
        if (rows.rows == 0) throw Error("it has no training samples");
        view.expect_model(shelf[note.item]);
        Vec gradient(view.model().size());
        const double value = view.model().gradient(shelf[note.item].values(), rows, gradient);
        return SlopeReply{gradient, value};
      });
  return job;
}

Erm solve_joint_erm(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients,
                    const JointErmOptions& options, Vec start) {
  const bool convex = is_convex(setting.model);
  const Vec begin = convex ? Vec(start.size(), 0.0) : start;
  JointObjective objective(fleet, setting, std::move(clients), options.weights == "clients");
  Minimum found;
  for (bool whole = false; !whole;) {
    try {
      found = minimise_joint(objective, setting, options, begin, convex);
      whole = true;
    } catch (const Left&) {
      fleet.report({0,
                    "left",
                    {},
                    fmt::format("a client stopped answering, so the minimum is sought again over the rows of "
                                "the {} that are left",
                                objective.clients().size()),
                    {}});
    }
  }
  if (objective.clients().empty()) {
    fleet.report({0, "no-answer", {}, "no client of a cluster answers, so its model stays as it is", {}});
    return {std::move(start), false};
  }
  if (!std::isfinite(found.value) || !all_finite(found.x)) {
    throw Error("the loss over the training samples of several clients, or its minimum, is not finite");
  }
  return {std::move(found.x), found.converged};
}

void solve_clusters(Fleet& fleet, const Setting& setting, const std::vector<std::vector<ClientId>>& members,
                    const JointErmOptions& options, std::vector<Vec>& models) {
  for (std::size_t k = 0; k < models.size(); ++k) {
    if (members[k].empty()) continue;
    Erm erm = solve_joint_erm(fleet, setting, members[k], options, std::move(models[k]));
    models[k] = std::move(erm.model);
    if (erm.converged) continue;
    fleet.report({0,
                  "inexact",
                  {},
                  fmt::format("the model of cluster {} did not meet the tolerance", k),
                  {{"cluster", static_cast<double>(k)}}});
  }
}

namespace {

const AttackTraitEntry kSlopeTrait{"slope", {.from_nothing = [](Message&) { return true; }}};

}  // namespace

}  // namespace coterie
