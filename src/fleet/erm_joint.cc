// The minimum over several clients' rows, of which the server sees gradients alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/erm.h"
#include "math/kernels.h"
#include "math/minimise.h"

namespace coterie {
namespace {

// Least tolerance that can be met with gradients that travel as floats.
constexpr double kFloatTolerance = 1e-5;

// The mean over the rows of those clients who answered the first time.
class JointObjective {
 public:
  JointObjective(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients)
      : fleet_(fleet), setting_(setting), clients_(std::move(clients)) {}

  double operator()(std::span<const double> w, std::span<double> gradient) {
    double total = 0;
    for (ClientId i : clients_) total += weight(i);
    Sums sums(1, w.size(), total, setting_.aggregate.limit);
    IntoSlots<SlopeReply> fold(sums, &SlopeReply::gradient, [&](ClientId i, const SlopeReply&) {
      return Share{0, weight(i)};
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
    const Vec mean = sums.mean_or(0, Vec(w.size(), std::nan("")));
    std::copy(mean.begin(), mean.end(), gradient.begin());
    if (!asked_) clients_ = std::move(answered);
    asked_ = true;
    return value / heard;
  }

  double rows() const {
    double total = 0;
    for (ClientId i : clients_) total += weight(i);
    return total;
  }

 private:
  double weight(ClientId client) const { return static_cast<double>(fleet_.samples(client)); }

  Fleet& fleet_;
  const Setting& setting_;
  std::vector<ClientId> clients_;
  bool asked_ = false;
};

}  // namespace

const Job<SlopeNote, SlopeReply>& slope_job() {
  static const Job<SlopeNote, SlopeReply> job(
      "slope", [](const Shelf& shelf, const SlopeNote& note, ClientView& view) {
        const Batch<double> rows = view.batch<double>(Part::train);
        if (rows.rows == 0) throw Error("it has no training samples");
        Vec gradient(view.model().size());
        const double value = view.model().gradient(shelf[note.item].values(), rows, gradient);
        return SlopeReply{gradient, value};
      });
  return job;
}

Erm solve_joint_erm(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients,
                    const ErmOptions& options, Vec start) {
  const Model& model = setting.model;
  const bool convex = is_convex(model);
  if (convex) std::fill(start.begin(), start.end(), 0.0);
  MinimiseOptions how{options.tolerance, static_cast<std::size_t>(options.iterations)};
  if (fleet.precision() == Precision::f32) how.tolerance = std::max(how.tolerance, kFloatTolerance);
  JointObjective objective(fleet, setting, std::move(clients));
  auto f = [&](std::span<const double> w, std::span<double> gradient) { return objective(w, gradient); };
  Minimum found;
  if (options.radius) {
    found = minimise_in_ball(f, std::move(start), *options.radius, how);
  } else {
    // Without a bound on w, a sum of likelihood losses below log 2 is proof that there is no minimum.
    const bool unbounded = convex && model.loss_kind() != LossKind::squared && model.l2() == 0;
    auto all_right = [&](double value) { return unbounded && value * objective.rows() < std::log(2.0); };
    found = minimise(f, std::move(start), how, all_right);
    if (all_right(found.value)) {
      throw Error(
          "the classes of the clients of a cluster can be told apart without error, so their loss has no "
          "minimum: " +
          advice_on_bounds(options));
    }
  }
  if (!std::isfinite(found.value) || !all_finite(found.x)) {
    throw Error("the loss over the training samples of several clients, or its minimum, is not finite");
  }
  return {std::move(found.x), found.converged};
}

}  // namespace coterie
