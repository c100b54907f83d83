// The server half of Newton's method over clients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "coterie/methods/newton.h"
#include "coterie/methods/slots.h"
#include "math/kernels.h"

namespace coterie {
namespace {

constexpr std::size_t kAsks = 60;
constexpr std::size_t kMostHalvings = 40;
// Half of the decrement g' H^-1 g is what a step gains. From here on the step that is known is the last.
constexpr double kLeastGain = 1e-9;

// What an ask told of a model.
struct Told {
  Vec w;
  double value = 0;
  Vec gradient, curvature;
};

class JointCurved {
 public:
  JointCurved(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients, const OwnIntercepts* own)
      : fleet_(fleet), setting_(setting), clients_(std::move(clients)), own_(own) {}

  const std::vector<ClientId>& clients() const { return clients_; }
  double rows() const {
    double sum = 0;
    for (const ClientId i : clients_) sum += static_cast<double>(fleet_.samples(i));
    return sum;
  }

  // Sets `left` when somebody who answered before does not now.
  Told at(Vec w, bool& left) {
    const std::size_t size = w.size();
    const double total = rows(), limit = setting_.aggregate.limit;
    auto share = [&](ClientId i) { return static_cast<double>(fleet_.samples(i)) / total; };
    constexpr double kAll = 1.001;  // shares add up to 1, but for rounding
    Sums gradients(1, size, kAll, limit);
    // Curvatures are of products of two inputs. Beyond this limit Sums would have too few digits left.
    constexpr double kLargest = 0x1p41;
    Sums curvatures(1, size * (size + 1) / 2, kAll, std::min(limit * limit, kLargest));
    auto place = [&](ClientId i, const CurvedReply&) { return SlotWeight{0, share(i)}; };
    IntoSlots<CurvedReply> slopes(gradients, &CurvedReply::gradient, place);
    IntoSlots<CurvedReply> bends(curvatures, &CurvedReply::curvature, place);
    Collect<CurvedReply, double> values([](CurvedReply& reply) { return reply.value; });
    std::vector<ClientId> answered = ask(w, {&slopes, &bends, &values});
    left = asked_ && answered.size() < clients_.size();
    asked_ = true;
    clients_ = std::move(answered);
    Told told{std::move(w), 0, gradients.mean_or(0, Vec(size, 0.0)),
              from_triangle(curvatures.mean_or(0, Vec(size * (size + 1) / 2, 0.0)), size)};
    double heard = 0;
    for (const auto& [client, value] : values.items) {
      told.value += share(client) * value;
      heard += share(client);
    }
    if (heard > 0) told.value /= heard;
    return told;
  }

 private:
  std::vector<ClientId> ask(const Vec& w, std::vector<Fold<CurvedReply>*> folds) {
    if (own_ == nullptr) {
      auto note = [](ClientId) { return CurvedNote{Items::only({0}), 0}; };
      return fleet_.ask(curved_job(), clients_, Shelf({w}, fleet_.precision()), note, std::move(folds));
    }
    auto note = [&](ClientId) { return OwnInterceptNote{Items::only({0, 1}), own_->lambda}; };
    return fleet_.ask(own_intercept_job(), clients_, Shelf({w, own_->pull}, fleet_.precision()), note,
                      std::move(folds));
  }

  Fleet& fleet_;
  const Setting& setting_;
  std::vector<ClientId> clients_;
  const OwnIntercepts* own_;  // or null
  bool asked_ = false;
};

void report_left(Fleet& fleet, std::size_t clients) {
  fleet.report({0,
                "left",
                {},
                fmt::format("a client stopped answering, so the minimum is that over the rows of the {} that "
                            "are left",
                            clients),
                {}});
}

JointMinimum solve(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients,
                   const OwnIntercepts* own, Vec w) {
  JointCurved objective(fleet, setting, std::move(clients), own);
  JointMinimum out;
  Vec step;
  std::optional<Told> best;
  std::size_t halvings = 0;
  for (std::size_t t = 0; t < kAsks && !out.converged; ++t) {
    round_to(fleet.precision(), w);
    bool left = false;
    Told told = objective.at(w, left);
    if (objective.clients().empty()) break;
    if (left) {
      report_left(fleet, objective.clients().size());
      best.reset();  // the objective is another from here on
    }
    const bool worse = best && !(told.value <= best->value + 1e-12 * std::max(1.0, std::fabs(best->value)));
    if (worse) {
      if (++halvings > kMostHalvings) break;
      scale(0.5, std::span(step));
      w = best->w;
      add_scaled(1.0, step, w);
      continue;
    }
    halvings = 0;
    step = solve_nearly_positive(told.curvature, told.gradient);
    scale(-1.0, std::span(step));
    const double gain = -0.5 * dot(step, told.gradient);
    best = std::move(told);
    w = best->w;
    add_scaled(1.0, step, w);
    out.converged = gain <= kLeastGain * std::max(1.0, std::fabs(best->value));
  }
  out.clients = objective.clients();
  out.rows = objective.rows();
  if (!best || out.clients.empty()) {
    out.converged = false;
    out.clients.clear();
    return out;
  }
  out.model = out.converged ? std::move(w) : std::move(best->w);
  out.curvature = std::move(best->curvature);
  out.value = best->value;
  return out;
}

}  // namespace

JointMinimum solve_by_newton(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients) {
  return solve(fleet, setting, std::move(clients), nullptr, Vec(setting.model.size(), 0.0));
}

JointMinimum solve_by_newton(Fleet& fleet, const Setting& setting, std::vector<ClientId> clients,
                             const OwnIntercepts& own, Vec from) {
  return solve(fleet, setting, std::move(clients), &own, std::move(from));
}

}  // namespace coterie
