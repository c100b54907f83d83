#include "algorithms/tiers/heads_model.h"

#include <algorithm>
#include <optional>

#include "coterie/methods/extractor.h"
#include "data/first_rows.h"
#include "data/penalty.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {

HeadsModel::HeadsModel(const Model& inner, std::size_t heads, std::span<const double> gamma, Trains trains,
                       Vec frozen)
    : inner_(inner), heads_(heads), gamma_(gamma), trains_(trains), frozen_(std::move(frozen)) {
  check(can_share(inner), "a model without an extractor");
  check(frozen_.size() == inner.head() + heads * head_size(), "heads of another model");
  Shape rows = inner.shape();
  const FirstLayer* first = inner.first_layer();
  if (on_sums()) rows.width = first->outputs();
  take(rows, trained_layers());
  if (first != nullptr && trains_ != Trains::heads) first_.bind(*this, first->inputs(), first->outputs());
}

// The inner model's, with those of its head repeated; named as there, for it says what is penalised.
std::vector<Layer> HeadsModel::trained_layers() const {
  std::vector<Layer> all;
  std::size_t offset = 0;
  auto repeat = [&](bool heads) {
    for (const Layer& layer : inner_.layers()) {
      if ((layer.offset >= inner_.head()) != heads) continue;
      all.push_back(layer);
      all.back().offset = offset;
      offset += layer.size();
    }
  };
  if (trains_ != Trains::heads) repeat(false);
  for (std::size_t k = 0; k < heads_ && trains_ != Trains::extractor; ++k) repeat(true);
  return all;
}

// Extractor and heads, from what is trained and what is frozen.
template <class Real>
std::vector<Real> HeadsModel::whole(std::span<const Real> w) const {
  std::vector<Real> all(frozen_.begin(), frozen_.end());
  const std::size_t begin = trains_ == Trains::heads ? inner_.head() : 0;
  std::copy(w.begin(), w.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  return all;
}

// gamma of one head for these rows.
std::span<const double> HeadsModel::column(std::size_t head, std::span<const double> rows) const {
  const std::span<double> weights = scratch<double, struct HeadWeights>(rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    weights[j] = gamma_[static_cast<std::size_t>(rows[j]) * heads_ + head];
  }
  return weights;
}

// Sets `out` to the gradient by all parameters but the first layer's, which `all` lacks too; the sums become
// the slopes of all heads.
template <class Real>
double HeadsModel::tails(std::span<const Real> all, std::span<Real> sums, std::span<const double> y,
                         std::span<const double> rows, double share, std::span<Real> out) const {
  const std::size_t rest = inner_.head() - inner_.first_layer()->size();  // of the extractor
  const std::span<Real> tail = scratch<Real, struct HeadTail>(rest + head_size());
  const std::span<Real> part = scratch<Real, struct HeadPart>(rest + head_size());
  const std::span<Real> slopes = scratch<Real, struct HeadSlopes>(sums.size());
  const std::span<Real> total = scratch<Real, struct HeadTotal>(sums.size());
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(rest), Real(0));
  std::fill(total.begin(), total.end(), Real(0));
  std::copy_n(all.begin(), rest, tail.begin());
  double sum = 0;
  for (std::size_t k = 0; k < heads_; ++k) {
    const auto own = all.subspan(rest + k * head_size(), head_size());
    std::copy(own.begin(), own.end(), tail.begin() + static_cast<std::ptrdiff_t>(rest));
    std::copy(sums.begin(), sums.end(), slopes.begin());
    sum += inner_.first_layer()->tail_gradient(std::span<const Real>(tail), slopes, y, column(k, rows), share,
                                               part);
    add_scaled(Real(1), std::span<const Real>(part.first(rest)), out.first(rest));
    std::copy(part.begin() + static_cast<std::ptrdiff_t>(rest), part.end(),
              out.begin() + static_cast<std::ptrdiff_t>(rest + k * head_size()));
    add_scaled(Real(1), std::span<const Real>(slopes), total);
  }
  std::copy(total.begin(), total.end(), sums.begin());
  return sum;
}

// The gradient by all parameters, with one pass through the extractor for all heads; without the L2 term, and
// without the extractor's where that is frozen.
template <class Real>
double HeadsModel::through(std::span<const Real> all, const Batch<Real>& batch, std::span<Real> out,
                           StepContext<Real>* step) const {
  const Extractor& extractor = *inner_.extractor();
  const double share = 1 / static_cast<double>(batch.rows);
  double sum = 0;
  extractor.through(
      all.first(inner_.head()), batch, step,
      [&](std::span<const Real> features, std::span<Real> slopes) {
        for (std::size_t k = 0; k < heads_; ++k) {
          const std::size_t place = inner_.head() + k * head_size();
          sum += extractor.head_gradient(all.subspan(place, head_size()), features, batch.y,
                                         column(k, batch.weights), share, out.subspan(place, head_size()),
                                         slopes);
        }
      },
      trains_ == Trains::heads ? std::span<Real>() : out.first(inner_.head()));
  return sum;
}

// The gradient by all parameters for models without a first layer, head by head; without the L2 term.
// Every head draws from the stream as it was: all see the rows with the same chances (windows, dropout).
template <class Real>
double HeadsModel::wholes(std::span<const Real> all, const Batch<Real>& batch, std::span<Real> out,
                          StepContext<Real>* step) const {
  std::vector<Real> one(inner_.size()), part(inner_.size());
  std::copy_n(all.begin(), inner_.head(), one.begin());
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(inner_.head()), Real(0));
  double value = 0;
  for (std::size_t k = 0; k < heads_; ++k) {
    const std::size_t place = inner_.head() + k * head_size();
    const auto own = all.subspan(place, head_size());
    std::copy(own.begin(), own.end(), one.begin() + static_cast<std::ptrdiff_t>(inner_.head()));
    Batch<Real> weighted = batch;
    weighted.weights = column(k, batch.weights);
    std::optional<Stream> chances;
    std::optional<StepContext<Real>> same;
    if (step != nullptr) {
      chances.emplace(step->stream);
      same.emplace(StepContext<Real>{*chances, step->buffers});
    }
    value += inner_.gradient(std::span<const Real>(one), weighted, part, same ? &*same : nullptr) -
             penalty(inner_, std::span<const Real>(one));
    if (step != nullptr && k + 1 == heads_) step->stream = *chances;
    add_penalty_slopes(inner_, std::span<const Real>(one), std::span<Real>(part), -1);
    add_scaled(Real(1), std::span<const Real>(part).first(inner_.head()), out.first(inner_.head()));
    std::copy(part.begin() + static_cast<std::ptrdiff_t>(inner_.head()), part.end(),
              out.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return value * static_cast<double>(batch.rows);
}

// What is behind the first layer: the rest of the extractor, then the heads, from what is trained and what is
// frozen. `tail` is the trained part of it.
template <class Real>
std::vector<Real> HeadsModel::behind(std::span<const Real> tail) const {
  const std::size_t first = inner_.first_layer()->size();
  std::vector<Real> all(frozen_.begin() + static_cast<std::ptrdiff_t>(first), frozen_.end());
  const std::size_t begin = trains_ == Trains::heads ? inner_.head() - first : 0;
  std::copy(tail.begin(), tail.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  return all;
}

template <class Real>
double HeadsModel::gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                               StepContext<Real>* step) const {
  const FirstLayer* first = inner_.first_layer();
  const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
  double sum = 0;
  if (first == nullptr) {
    const std::vector<Real> all = whole(w);
    std::vector<Real> full(all.size());
    sum = inner_.extractor() != nullptr && batch.rows > 0 ? through<Real>(all, batch, full, step)
                                                          : wholes<Real>(all, batch, full, step);
    const std::size_t begin = trains_ == Trains::heads ? inner_.head() : 0;
    std::copy_n(full.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
  } else {
    const std::span<Real> sums = scratch<Real, struct HeadSums>(batch.rows * first->outputs());
    const Matrix<Real> products(sums.data(), batch.rows, first->outputs());
    const std::size_t trained = on_sums() ? 0 : first->size();
    if (on_sums()) {
      std::copy(batch.x.begin(), batch.x.end(), sums.begin());
    } else {
      multiply(first_rows(*first, batch), Matrix<const Real>(w.data(), first->inputs(), first->outputs()),
               products);
    }
    sum = gradient_of(w.subspan(trained), sums, batch.y, batch.weights, share, out.subspan(trained));
    if (!on_sums()) {
      multiply(first_rows(*first, batch).transposed(), products,
               Matrix<Real>(out.data(), first->inputs(), first->outputs()));
    }
  }
  double value = share * sum;
  if (l2() > 0) {
    value += penalty(*this, w);
    add_penalty_slopes(*this, w, out);
  }
  return value;
}

template <class Real>
double HeadsModel::gradient_of(std::span<const Real> tail, std::span<Real> sums, std::span<const double> y,
                               std::span<const double> rows, double share, std::span<Real> out) const {
  const std::vector<Real> all = behind(tail);
  std::vector<Real> full(all.size());
  const double sum = tails<Real>(all, sums, y, rows, share, full);
  const std::size_t begin = trains_ == Trains::heads ? inner_.head() - inner_.first_layer()->size() : 0;
  std::copy_n(full.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
  return sum;
}

template double HeadsModel::gradient_as(std::span<const float>, const Batch<float>&, std::span<float>,
                                        StepContext<float>*) const;
template double HeadsModel::gradient_as(std::span<const double>, const Batch<double>&, std::span<double>,
                                        StepContext<double>*) const;
template double HeadsModel::gradient_of(std::span<const float>, std::span<float>, std::span<const double>,
                                        std::span<const double>, double, std::span<float>) const;
template double HeadsModel::gradient_of(std::span<const double>, std::span<double>, std::span<const double>,
                                        std::span<const double>, double, std::span<double>) const;

}  // namespace coterie
