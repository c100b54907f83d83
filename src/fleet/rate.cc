#include "fleet/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"
#include "math/gemv.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// Clients that are asked, at most: all of them in all but the largest simulations, and a few for trials.
constexpr std::size_t kMostCurvatures = 10000;
constexpr std::size_t kMostTrials = 20;

bool has_linear_scores(const Model& model) {
  return model.loss_kind() != LossKind::other && model.depth() == 1 && model.first_layer() != nullptr &&
         model.trainable() == model.size();
}

// The steepest change of the slope of a row's loss, by its score.
double steepest(const Model& model) {
  switch (model.loss_kind()) {
    case LossKind::squared:
      return 2 * model.loss_factor();
    case LossKind::logistic:
      return 0.25;
    default:
      return 0.5;
  }
}

// The rows that a model's scores are linear in, in double and some at a time, with 1 for an intercept.
template <class Real, class Use>
void for_design(const Model& model, const Batch<Real>& data, const Use& use) {
  constexpr std::size_t kAtATime = 512;
  const FirstLayer& first = *model.first_layer();
  const std::size_t inputs = first.inputs(), width = inputs + (model.size() > first.size() ? 1 : 0);
  Vec rows;
  for (std::size_t begin = 0; begin < data.rows; begin += kAtATime) {
    const std::size_t count = std::min(kAtATime, data.rows - begin);
    const Batch<Real> some{count,
                           data.width,
                           data.x.subspan(begin * data.width, count * data.width),
                           data.y.subspan(begin, count),
                           {}};
    const Real* from = first.first_inputs(some);
    rows.assign(count * width, 1.0);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(from + i * inputs, inputs, rows.begin() + static_cast<std::ptrdiff_t>(i * width));
    use(Matrix<const double>(rows.data(), count, width));
  }
}

// The largest eigenvalue of X'X / n, by power iteration, and the longest row's squared length.
struct Moments {
  double largest = 0;
  double longest = 0;
};
template <class Real>
Moments moments_of(const Model& model, const Batch<Real>& data, Stream& stream) {
  constexpr int kMostProducts = 40;
  constexpr double kSettled = 0.005;
  Moments found;
  double trace = 0;
  std::size_t width = 0;
  for_design(model, data, [&](Matrix<const double> rows) {
    width = rows.columns;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const double length = squared_norm(std::span(rows.data + i * width, width));
      found.longest = std::max(found.longest, length);
      trace += length;
      if (!std::isfinite(length)) found.longest = length;
    }
  });
  const auto n = static_cast<double>(data.rows);
  trace /= n;
  if (!std::isfinite(trace)) return {trace, trace};
  if (trace == 0) return found;
  Vec direction(width), product(width), dot;
  for (double& x : direction) x = stream.normal();
  for (int k = 0; k < kMostProducts; ++k) {
    const double length = std::sqrt(squared_norm(direction));
    if (length == 0) break;
    for (double& x : direction) x /= length;
    std::fill(product.begin(), product.end(), 0.0);
    for_design(model, data, [&](Matrix<const double> rows) {
      dot.resize(rows.rows);
      dots(rows, direction.data(), dot.data(), Into::set);
      combine_rows(dot.data(), 1, rows, product.data(), Into::add);
    });
    const double before = found.largest;
    found.largest = std::sqrt(squared_norm(product)) / n;
    direction = product;
    if (std::fabs(found.largest - before) < kSettled * found.largest) break;
  }
  // Products approach the eigenvalue from below.
  found.largest = std::min(trace, 1.05 * found.largest);
  return found;
}

CurvatureReply curvature_of(const CurvatureNote& note, ClientView& view) {
  const Model& model = view.model();
  if (!has_linear_scores(model)) throw Error("its model has no curvature that can be told from its rows");
  const std::size_t count = view.count(Part::train);
  if (count == 0) return {};
  const Moments moments = with_real(view.precision(), [&](auto real) {
    return moments_of(model, view.batch<decltype(real)>(Part::train), view.stream());
  });
  const auto of_steps = [&](std::size_t rows) {
    const auto n = static_cast<double>(count), b = static_cast<double>(rows);
    const double rest = std::max(n - 1, 1.0);
    const double expected =
        n * (b - 1) / (b * rest) * moments.largest + (n - b) / (b * rest) * moments.longest;
    const double own = steepest(model) * (b < n ? expected : moments.largest) + model.l2();
    if (!std::isfinite(own)) throw Error("its rows are too large for any rate; scale its features");
    return own;
  };
  const std::size_t asked = note.gradient_rows == 0 ? count : std::min(count, note.gradient_rows);
  return {of_steps(view.solver().step_rows(count)), of_steps(asked)};
}

RatesReply::Loss told(double loss) {
  return std::isfinite(loss) ? RatesReply::Loss{loss, true} : RatesReply::Loss{};
}

std::vector<ClientId> sampled(const Fleet& fleet, const Setting& setting, std::size_t most) {
  constexpr std::uint16_t kAsk = 63;  // of the server's streams
  std::vector<ClientId> with_rows;
  for (const ClientId i : fleet.everyone()) {
    if (fleet.samples(i) > 0) with_rows.push_back(i);
  }
  if (with_rows.size() <= most) return with_rows;
  Stream stream(setting.seed, {Purpose::server, 0, kAsk, 0});
  std::vector<ClientId> some;
  for (const std::uint32_t i : stream.sample(with_rows.size(), most)) some.push_back(with_rows[i]);
  return some;
}

// Three digits, downwards: what is written is what is used.
double rounded(double rate) {
  const double unit = std::pow(10.0, std::floor(std::log10(rate)) - 2);
  return std::stod(fmt::format("{:.3g}", std::floor(rate / unit) * unit));
}

// Why nobody could tell anything: the first reason that the fleet logged.
[[noreturn]] void fail(Fleet& fleet, const std::string& what) {
  std::string reason;
  for (const Event& event : fleet.take_events()) {
    if (event.kind == "rejected" && reason.empty()) reason = "; " + event.text;
  }
  throw Error(fmt::format("local.rate = \"auto\": {}{}; give local.rate a number", what, reason));
}

// The curvature of the middle client, and of the client where it is largest.
struct Curvature {
  double median = 0, largest = 0;
  ClientId client = 0;

  template <class Told>
  static Curvature of(const Told& told, double CurvatureReply::*which) {
    Curvature found;
    Vec all;
    for (const auto& [client, reply] : told) {
      all.push_back(reply.*which);
      if (all.size() == 1 || all.back() > found.largest) found = {0, all.back(), client};
    }
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    found.median = all[all.size() / 2];
    return found;
  }
  // The one that decides: see rate.h.
  double deciding(const Model& model) const { return bounded(model) ? median : largest; }
  bool bounded(const Model& model) const { return model.loss_kind() != LossKind::squared && median > 0; }
};

AgreedRate by_curvature(Fleet& fleet, const Setting& setting, std::optional<std::size_t> gradient_rows) {
  const std::vector<ClientId> asked = sampled(fleet, setting, kMostCurvatures);
  Collect<CurvatureReply, CurvatureReply> told_by([](CurvatureReply& reply) { return reply; },
                                                  [](ClientId, const CurvatureReply& reply) {
                                                    const bool fits = std::isfinite(reply.smoothness) &&
                                                                      std::isfinite(reply.of_gradient) &&
                                                                      reply.smoothness >= 0 &&
                                                                      reply.of_gradient >= 0;
                                                    return fits ? "" : "its curvature is impossible";
                                                  });
  const CurvatureNote note{Items::none(), gradient_rows.value_or(0)};
  fleet.ask_eval(curvature_job(), asked, Shelf(), [&](ClientId) { return note; }, {&told_by});
  if (told_by.items.empty()) fail(fleet, "no client could tell the curvature of its loss");
  const Curvature steps = Curvature::of(told_by.items, &CurvatureReply::smoothness);
  const Curvature gradients = Curvature::of(told_by.items, &CurvatureReply::of_gradient);
  if (!(steps.largest > 0 && gradients.largest > 0)) fail(fleet, "all features of all clients are zero");
  AgreedRate agreed;
  agreed.rate = rounded(*setting.solver.rate_for(steps.deciding(setting.model)));
  agreed.of_gradient = rounded(1 / gradients.deciding(setting.model));
  const Curvature& shown = gradient_rows ? gradients : steps;
  agreed.text = fmt::format(
      "local.rate = \"auto\" is {:g}{}: the curvature of the clients' losses is {:.3g} in the middle and "
      "{:.3g} at most (client {})",
      gradient_rows ? agreed.of_gradient : agreed.rate,
      gradient_rows ? " for a step on a client's gradient" : "", shown.median, shown.largest, shown.client);
  agreed.numbers = {{"rate", agreed.rate}, {"largest", shown.largest}, {"median", shown.median}};
  if (gradient_rows) agreed.numbers.emplace_back("gradient_rate", agreed.of_gradient);
  constexpr double kOdd = 30;
  if (!shown.bounded(setting.model) && shown.median > 0 && shown.largest > kOdd * shown.median) {
    agreed.warning = fmt::format(
        "client {} has rows so much longer than others that the rate that suits all, {:g}, is {:.0f} times "
        "smaller than most need: training may be slow. Look for outliers and features of other units there, "
        "or give local.rate a number and bound the steps with local.clip",
        shown.client, gradient_rows ? agreed.of_gradient : agreed.rate, shown.largest / shown.median);
  }
  return agreed;
}

// How rates did, over all clients that tried them.
struct Trials {
  Vec rates;
  std::vector<std::pair<ClientId, RatesReply>> replies;
  std::vector<double> weights;  // of the replies

  // The mean loss after a round with a rate; not finite when it is not good.
  double good_mean(std::size_t r) const {
    constexpr double kMuchAbove = 2;
    double before = 0, after = 0, total = 0;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      before += weights[i] * replies[i].second.before.value;
      after += weights[i] * replies[i].second.after[r].value;
      total += weights[i];
    }
    bool good = after <= before;
    for (const auto& [client, reply] : replies) {
      const double began = std::max(std::fabs(reply.before.value), std::fabs(before) / total);
      good = good && reply.after[r].finite &&
             reply.after[r].value - reply.before.value <= (kMuchAbove - 1) * began;
    }
    return good ? after / total : std::nan("");
  }
};

Trials try_rates(Fleet& fleet, const Setting& setting, const std::vector<ClientId>& asked, const Vec& rates) {
  Trials trials;
  trials.rates = rates;
  RatesNote note;
  note.rates.assign(rates.begin(), rates.end());
  Collect<RatesReply, RatesReply> told_by(
      [](RatesReply& reply) { return std::move(reply); },
      [&](ClientId, const RatesReply& reply) {
        if (!reply.before.finite) return "its loss at a random model is not finite";
        return reply.after.size() == rates.size() ? "" : "it tried other rates than it was asked to";
      });
  fleet.ask_eval(rates_job(), asked, Shelf(random_models(setting, 1, 0), setting.precision),
                 [&](ClientId) { return note; }, {&told_by});
  if (told_by.items.empty()) fail(fleet, "no client could try rates");
  for (auto& [client, reply] : told_by.items) {
    trials.weights.push_back(static_cast<double>(fleet.samples(client)));
    trials.replies.emplace_back(client, std::move(reply));
  }
  return trials;
}

AgreedRate by_trials(Fleet& fleet, const Setting& setting) {
  constexpr int kTurns = 3;
  constexpr std::size_t kRates = 16;
  const std::vector<ClientId> asked = sampled(fleet, setting, kMostTrials);
  double top = 4;
  for (int turn = 0; turn < kTurns; ++turn) {
    Vec rates;
    for (std::size_t r = 0; r < kRates; ++r, top /= 2) rates.push_back(top);
    const Trials trials = try_rates(fleet, setting, asked, rates);
    double largest = 0, best = 0, lowest_loss = 0;
    for (std::size_t r = 0; r < kRates; ++r) {
      const double loss = trials.good_mean(r);
      if (!std::isfinite(loss)) continue;
      if (largest == 0) largest = rates[r];
      if (best == 0 || loss < lowest_loss) {
        best = rates[r];
        lowest_loss = loss;
      }
    }
    if (largest == 0) continue;
    AgreedRate agreed;
    agreed.rate = agreed.of_gradient = rounded(std::min(best, largest / 2));
    agreed.text = fmt::format(
        "local.rate = \"auto\" is {:g}: a round of {} from a random model does best with {:g}, and rates up "
        "to "
        "{:g} lower the loss",
        agreed.rate, counted(trials.replies.size(), "client"), best, largest);
    agreed.numbers = {{"rate", agreed.rate}, {"best", best}, {"largest", largest}};
    return agreed;
  }
  fail(fleet, fmt::format("no rate between 4 and {:g} lowers the loss of a random model", 2 * top));
}

}  // namespace

const Job<CurvatureNote, CurvatureReply>& curvature_job() {
  static const Job<CurvatureNote, CurvatureReply> job(
      "curvature",
      [](const Shelf&, const CurvatureNote& note, ClientView& view) { return curvature_of(note, view); });
  return job;
}

const Job<RatesNote, RatesReply>& rates_job() {
  static const Job<RatesNote, RatesReply> job(
      "rates", [](const Shelf& shelf, const RatesNote& note, ClientView& view) {
        constexpr std::size_t kMost = 256;
        if (!shelf.has(0) || note.rates.size() > kMost)
          throw Error("it was sent no model, or too many rates");
        RatesReply reply;
        reply.before = told(view.mean_loss(shelf[0]));
        for (const double rate : note.rates) {
          if (!(rate > 0)) throw Error("it was asked to try a rate that is not above 0");
          Vec momentum;
          const Numbers trained = view.train(shelf[0], {.weights = {}, .momentum = &momentum, .rate = rate});
          reply.after.push_back(told(view.mean_loss(Shared::of(trained, view.precision()))));
        }
        return reply;
      });
  return job;
}

AgreedRate find_rate(Fleet& fleet, const Setting& setting, std::optional<std::size_t> gradient_rows) {
  const bool ruled = has_linear_scores(setting.model) && setting.solver.rate_for(1).has_value();
  return ruled ? by_curvature(fleet, setting, gradient_rows) : by_trials(fleet, setting);
}

}  // namespace coterie
