#include "inits/fedmd/clients.h"

#include <cmath>

#include "coterie/algorithm.h"
#include "coterie/attack.h"
#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"
#include "inits/fedmd/pair_moments.h"
#include "math/kernels.h"
#include "math/singular.h"

namespace coterie {
namespace {

template <class Real>
Vec residuals_at(ClientView& view, const Shared& w, std::size_t count) {
  view.expect_model(w);
  const Model& model = view.model();
  const Batch<Real> all = view.batch<Real>(Part::train);
  const Batch<Real> rows{count, all.width, all.x.first(count * all.width), all.y.first(count), {}};
  const std::span<const Real> at = w.as<Real>();
  const FirstLayer* first = model.first_layer();
  const std::size_t size = model.size();
  Vec out(count * size);
  if (first != nullptr && model.depth() == 1) {
    // Scores are linear in the parameters: a gradient is the input times the slopes of the scores, then the
    // slopes themselves where there are intercepts.
    const Real* inputs = first->first_inputs(rows);
    std::vector<Real> slopes(count * first->outputs()), tail(size - first->size());
    sums_under(model, w, rows, inputs, slopes.data());
    first->tail_gradient(first->tail(at), slopes, rows.y, {}, 1.0, tail);
    double* to = out.data();
    for (std::size_t j = 0; j < count; ++j) {
      const Real* slope = slopes.data() + j * first->outputs();
      for (std::size_t i = 0; i < first->inputs(); ++i) {
        const auto x = static_cast<double>(inputs[j * first->inputs() + i]);
        for (std::size_t c = 0; c < first->outputs(); ++c) *to++ = -x * static_cast<double>(slope[c]);
      }
      for (std::size_t c = 0; c < tail.size(); ++c) *to++ = -static_cast<double>(slope[c]);
      for (const Model::Range& part : model.penalised()) {
        if (model.l2() == 0) break;
        for (std::size_t i = part.offset; i < part.offset + part.size; ++i)
          out[j * size + i] -= model.l2() * static_cast<double>(at[i]);
      }
    }
    return out;
  }
  std::vector<Real> gradient(size);
  for (std::size_t j = 0; j < count; ++j) {
    const Batch<Real> row{
        1, rows.width, rows.x.subspan(j * rows.width, rows.width), rows.y.subspan(j, 1), {}};
    model.gradient(at, row, gradient);
    for (std::size_t i = 0; i < size; ++i) out[j * size + i] = -static_cast<double>(gradient[i]);
  }
  return out;
}

// Models are sent with a round's first ask; a client keeps them until the round's last.
struct SentModels {
  std::uint32_t round = 0;
  std::vector<Vec> left, right;  // for the two samples of a pair; `right` is empty when both are the same
  void fields(Archive& a) { a(round, left, right); }
};

void keep_models(const Shelf& shelf, const MultiplyNote& note, ClientView& view, SentModels& kept) {
  const std::size_t first = note.whole ? 0 : note.anchors;
  const std::size_t size = view.model().size();
  if (!note.perturbed.empty()) {
    if (note.perturbed.size() != 2 * note.anchors * size) throw Error("it was sent models of another size");
    kept = {view.round(), {}, {}};
    for (std::size_t a = 0; a < 2 * note.anchors; ++a) {
      const auto from = note.perturbed.begin() + static_cast<std::ptrdiff_t>(a * size);
      (a % 2 == 0 ? kept.left : kept.right).emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
    }
  } else if (shelf.size() > first) {
    kept = {view.round(), {}, {}};
    for (std::size_t a = 0; a < note.anchors; ++a) kept.left.push_back(shelf[first + a].values());
  }
  if (kept.round != view.round() || kept.left.size() != note.anchors) {
    throw Error("it missed the models that this round began with");
  }
}

// The products for each anchor after the other, at the precision at which they travel.
template <class Real>
Room<Real> moment_products(const Shelf& shelf, const MultiplyNote& note, const SentModels& kept,
                           ClientView& view) {
  const std::size_t samples = view.count(Part::train), size = view.model().size();
  if (samples < 2) throw Error("it has no pair of samples");
  const std::size_t count = note.one_pair ? 2 : samples;
  const std::size_t width = note.whole ? size * size : shelf[0].size();
  for (std::size_t a = 0; a < note.anchors; ++a) {
    if (!note.whole && (shelf[a].size() != width || width % size != 0)) {
      throw Error("it was sent directions of another size");
    }
  }
  Room<Real> out(note.anchors * width);
  for (std::size_t a = 0; a < note.anchors; ++a) {
    const Vec left = residuals_at<Real>(view, view.to_shared(kept.left[a]), count);
    const Vec right =
        kept.right.empty() ? Vec() : residuals_at<Real>(view, view.to_shared(kept.right[a]), count);
    const PairMoment moment(Matrix<const double>(left.data(), count, size),
                            Matrix<const double>(right.empty() ? left.data() : right.data(), count, size),
                            note.one_pair ? Pairs::first : Pairs::all);
    const Vec product = note.whole
                            ? moment.dense()
                            : moment.times(Matrix<const double>(shelf[a].values().data(), width / size, size),
                                           note.transposed);
    for (std::size_t j = 0; j < width; ++j) out[a * width + j] = static_cast<Real>(product[j] / note.scale);
  }
  return out;
}

MultiplyReply multiply_moments(const Shelf& shelf, const MultiplyNote& note, ClientView& view) {
  SentModels& kept = view.state<SentModels>();
  keep_models(shelf, note, view, kept);
  return with_real(view.precision(), [&](auto real) {
    return MultiplyReply{moment_products<decltype(real)>(shelf, note, kept, view)};
  });
}

}  // namespace

Vec residuals(ClientView& view, const Shared& w, std::size_t count) {
  return with_real(view.precision(), [&](auto real) { return residuals_at<decltype(real)>(view, w, count); });
}

const Job<SizesNote, SizesReply> kSizes("fedmd-sizes", [](const Shelf& shelf, const SizesNote&,
                                                          ClientView& view) {
  const std::size_t count = view.count(Part::train), size = view.model().size();
  const Vec here = residuals(view, shelf[0], count);
  const Vec zero = residuals(view, view.to_shared(Vec(size, 0.0)), count);
  Vec unit = residuals(view, view.to_shared(Vec(size, 1 / std::sqrt(static_cast<double>(size)))), count);
  add_scaled(-1.0, std::span<const double>(zero), std::span(unit));
  SizesReply reply;
  for (std::size_t j = 0; j < count; ++j) {
    auto row = [&](const Vec& of) { return squared_norm(std::span(of).subspan(j * size, size)); };
    reply.residual += row(here) / static_cast<double>(count);
    reply.slope += (std::sqrt(row(zero)) + std::sqrt(row(unit))) / static_cast<double>(count);
  }
  return reply;
});

const Job<MultiplyNote, MultiplyReply> kMultiply("fedmd-multiply", multiply_moments);

const Job<DescendNote, DescendReply> kDescend("fedmd-descend", [](const Shelf& shelf, const DescendNote& note,
                                                                  ClientView& view) {
  if (note.power_steps > kMostPowerSteps) throw Error("it was asked for a power iteration without end");
  if (note.portions > 0) view.use_slice(note.portion, note.portions);
  const Vec& u = shelf[note.item].values();
  const Shared& at = shelf[note.item + 1];
  const std::size_t count = view.count(Part::train), size = view.model().size(), k = u.size() / size;
  if (count < 2) throw Error("it has no pair of samples");
  if (u.size() != k * size) throw Error("it was sent directions of another size");
  const Vec rows = residuals(view, at, count);
  Vec projected(count * k);
  multiply(Matrix<const double>(rows.data(), count, size),
           Matrix<const double>(u.data(), k, size).transposed(), Matrix<double>(projected.data(), count, k));
  if (!all_finite(std::span<const double>(projected))) throw Error("its residuals are not finite");
  const Matrix<const double> z(projected.data(), count, k);
  const Vec a = PairMoment(z, z, note.one_pair ? Pairs::halves : Pairs::all).dense();
  Leading found = leading_vector(Matrix<const double>(a.data(), k, k), note.power_steps, view.stream());

  DescendReply reply;
  reply.square = found.square;
  reply.stopped = !(found.square > 0 && std::sqrt(found.square) > note.enough);
  Vec model = at.values();
  if (!reply.stopped) {
    // A A' does not tell a vector from its opposite: the mean of the projected residuals does.
    double along = 0;
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < k; ++i) along += projected[j * k + i] * found.vector[i];
    }
    const double length = std::copysign(note.step * std::sqrt(found.square), along);
    for (std::size_t i = 0; i < k; ++i) {
      add_scaled(length * found.vector[i], std::span(u).subspan(i * size, size), std::span(model));
    }
  }
  reply.model = model;
  return reply;
});

namespace {

const AttackTraitEntry kMultiplyTrait{"fedmd-multiply", {.from_nothing = [](Message&) { return true; }}};

}  // namespace

}  // namespace coterie
