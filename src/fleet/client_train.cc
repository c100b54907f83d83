// Local training: the solver at work on a client's rows. A large first layer is not computed until it is
// folded, or kept by its client.
#include "coterie/client.h"
#include "coterie/methods/with_real.h"
#include "fleet/first_use.h"
#include "math/gemm.h"

namespace coterie {
namespace {

// A first layer of at least so many weights is computed late.
constexpr std::size_t kLateSize = 1 << 14;

// A trained model whose first layer is still a product. Owns all that it needs.
template <class Real>
Late<Real> late_model(const Model& model, const Shared& start, const Batch<Real>& data,
                      std::shared_ptr<const void> owner, LateWeights<Real> weights,
                      std::span<const Real> tail) {
  const FirstLayer& first = *model.first_layer();
  const std::size_t n = data.rows, h = first.outputs(), width = first.inputs(), size = first.size();
  const double x = largest_of(data.x);
  std::vector<double> columns(h, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < h; ++c)
      columns[c] += std::fabs(static_cast<double>(weights.factors[i * h + c]));
  }
  double bound = std::fabs(static_cast<double>(weights.scale)) * first_use<Real>(model, start).largest +
                 x * largest_of(std::span<const double>(columns));
  // A NaN must stay one; what rounding may add is far below a thousandth.
  bound = 1.001 * (bound + largest_of(tail));
  Late<Real> late{model.size(), h, bound, nullptr};
  const auto backgrounds =
      std::make_shared<const std::vector<Real>>(data.backgrounds.begin(), data.backgrounds.end());
  late.write = [n, h, width, size, start, owner = std::move(owner), rows = data.x.data(), backgrounds,
                scale = weights.scale,
                factors = Packed<Real>({weights.factors.data(), n, h},
                                       backgrounds->empty() ? nullptr : backgrounds->data()),
                rest = std::vector<Real>(tail.begin(), tail.end())](std::size_t begin, std::span<Real> out) {
    const std::size_t end = begin + out.size();
    if (begin < size) {
      check(begin % h == 0 && (end >= size || end % h == 0), "pieces of a late vector begin at whole rows");
      const std::size_t top = begin / h, count = std::min(end, size) / h - top;
      const Matrix<Real> to(out.data(), count, h);
      Matrix<const Real> inputs(rows + top, n, count, width, 1);
      if (!backgrounds->empty()) inputs.background = backgrounds->data();
      Matrix<const Real> base(start.as<Real>().data() + begin, count, h);
      if (scale != 1) {
        for (std::size_t j = 0; j < count * h; ++j) out[j] = scale * base.data[j];
        base = to;
      }
      multiply_onto(base, inputs.transposed(), factors, to);
    }
    for (std::size_t j = std::max(begin, size); j < end; ++j) out[j - begin] = rest[j - size];
  };
  return late;
}

// Trains from `start`; `momentum` is the surviving buffer, empty when momentum does not survive.
template <class Real>
Numbers train_as(ClientView& view, const Shared& start, const Training& how, std::span<Real> momentum) {
  std::span<const Real> from = start.as<Real>();
  const FirstLayer* first = view.model().first_layer();
  Batch<Real> data = view.batch<Real>(Part::train);
  Vec both;
  if (!how.weights.empty()) {
    both.assign(how.weights.begin(), how.weights.end());
    for (std::size_t i = 0; i < data.weights.size(); ++i) both[i] *= data.weights[i];
    data.weights = both;
  }
  // Inputs that are made from the rows would not outlive this call.
  const auto inputs_are_rows = [&] {
    const Batch<Real> one{1, data.width, data.x.first(data.width), {}, {}};
    return first->first_inputs(one) == data.x.data();
  };
  const bool may_be_late = first != nullptr && first->outputs() > 1 && first->size() >= kLateSize &&
                           data.rows > 0 && inputs_are_rows();
  LateWeights<Real> late;
  Room<Real> w(from.size());
  LocalJob<Real> job{.model = view.model(),
                     .data = data,
                     .w = w,
                     .prox = how.prox,
                     .centre = (how.centre ? *how.centre : start).as<Real>(),
                     .momentum = momentum,
                     .round = view.round(),
                     .rate = how.rate,
                     .stream = view.stream(),
                     .start = from,
                     .first_sums = [&] { return view.first_sums<Real>(start); },
                     .summed = view.knows_first_sums(start),
                     .gram = [&] { return view.gram<Real>(); },
                     .late = may_be_late ? &late : nullptr};
  view.solver().train(job);
  if (!late.factors.empty()) {
    return late_model<Real>(view.model(), start, data, view.training_rows<Real>(), std::move(late),
                            first->tail(std::span<const Real>(w)));
  }
  return w;
}

// The same, with momentum that the caller keeps.
template <class Real>
Numbers train_as(ClientView& view, const Shared& start, const Training& how, Vec& momentum) {
  if (momentum.size() != start.size()) momentum.assign(start.size(), 0.0);
  Room<Real> kept(momentum.begin(), momentum.end());
  Numbers trained = train_as<Real>(view, start, how, std::span(kept));
  momentum.assign(kept.begin(), kept.end());
  return trained;
}

template <class Real>
Numbers train_as(ClientView& view, const Shared& start, const Training& how, std::vector<Numbers>& slots) {
  if (!view.solver().momentum_survives()) return train_as<Real>(view, start, how, std::span<Real>());
  if (how.momentum != nullptr) return train_as<Real>(view, start, how, *how.momentum);
  constexpr std::size_t kMost = 1 << 20;  // clusters that a run may ever have had
  if (how.slot >= kMost) throw Error("it was sent a model with an impossible number");
  if (slots.size() <= how.slot) slots.resize(std::size_t{how.slot} + 1);
  Room<Real>& kept = slots[how.slot].template edit<Real>();
  if (kept.size() != start.size()) kept.assign(start.size(), Real(0));
  return train_as<Real>(view, start, how, std::span(kept));
}

}  // namespace

Numbers ClientView::train(const Shared& start, const Training& how) {
  expect_model(start);
  if (how.centre != nullptr) expect_model(*how.centre);
  return with_real(precision(),
                   [&](auto real) { return train_as<decltype(real)>(*this, start, how, momentum_); });
}

}  // namespace coterie
