#include "coterie/methods/bounds.h"

#include <algorithm>
#include <cmath>

#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"
#include "data/penalty.h"
#include "math/kernels.h"
#include "math/operator_norm.h"
#include "math/scratch.h"

namespace coterie {
namespace {

// Places in Evidence::figures. Squared loss uses the first two alone: L and |X| / sqrt n.
enum Figure : std::size_t { kLoss, kG, kGX, kGH, kX, kH, kFigures };
constexpr std::size_t kSpread = kG;

constexpr std::size_t kSnapshots = 5;
constexpr std::uint32_t kSnapshotEvery = 4;
constexpr double kLargest = 1e30;  // figures beyond are of no use

bool squared(const Model& model) { return model.loss_kind() == LossKind::squared; }
// The largest possible |d loss / d scores|.
double steepest(const Model& model) { return model.loss_kind() == LossKind::logistic ? 1 : std::sqrt(2.0); }

// An upper bound of |X| / sqrt n: the largest row sum of |X X'| bounds |X|^2, and so does the sum of squares.
template <class Real>
double spread_of_rows(ClientView& view, const Real* inputs, std::size_t rows, std::size_t width) {
  double bound = squared_norm(std::span<const Real>(inputs, rows * width));
  if (rows <= 2 * width) {
    const std::span<const Real> gram = view.gram<Real>();
    double largest = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < rows; ++j) sum += std::fabs(static_cast<double>(gram[i * rows + j]));
      largest = std::max(largest, sum);
    }
    bound = std::min(bound, largest);
  }
  return 1.0001 * std::sqrt(bound / static_cast<double>(rows));
}

template <class Real>
class Weigher {
 public:
  Weigher(ClientView& view, const Shelf& shelf)
      : view_(view), shelf_(shelf), model_(view.model()), data_(view.batch<Real>(Part::train)) {}

  Weighed run() {
    Weighed result;
    bool any = false;
    double lowest = 0;
    for (std::uint32_t k = 0; k < shelf_.size(); ++k) {
      if (!shelf_.has(k)) continue;
      if (!any) result.choice.model = k;
      any = true;
      const double total = evaluate(k, result.seen);
      if (!std::isfinite(total) || (best_ && !(total < lowest))) continue;
      best_ = true;
      lowest = total;
      result.choice.model = k;
    }
    if (!any) throw Error("it was sent no model");
    result.choice.loss = data_.rows == 0 ? 0
                         : best_         ? (lowest - best_base_) / static_cast<double>(data_.rows)
                                         : std::nan("");
    return result;
  }

 private:
  // The total of choose.h, and evidence of the sum of the losses.
  double evaluate(std::uint32_t k, std::vector<Evidence>& seen) {
    if (model_.first_layer() == nullptr) {  // nothing to bound by
      double total = 0;
      for (const double loss : view_.losses(shelf_[k])) total += loss;
      return total;
    }
    view_.expect_model(shelf_[k]);
    const FirstLayer& first = *model_.first_layer();
    const std::span<const Real> tail = first.tail(shelf_[k].as<Real>());
    const std::size_t n = data_.rows;
    const Real* inputs = first.first_inputs(data_);
    Room<Real> kept(n * first.outputs());
    sums_under(model_, shelf_[k], data_, inputs, kept.data());
    const std::span<Real> sums = scratch<Real, struct WeighSums>(kept.size());
    const std::span<double> losses = scratch<double, struct WeighLosses>(n);
    const std::span<double> slopes = scratch<double, struct WeighSlopes>(n);
    const std::span<double> features = scratch<double, struct WeighFeatures>(n);
    std::copy(kept.begin(), kept.end(), sums.begin());
    first.tail_norms(tail, sums, data_.y, losses, slopes, features);
    const double base = n == 0 ? 0 : static_cast<double>(n) * penalty(model_, shelf_[k].as<Real>());
    for (std::size_t i = 0; i < data_.weights.size(); ++i) losses[i] *= data_.weights[i];
    double total = base, sum = 0;
    for (const double loss : losses) {
      total += loss;
      sum += loss;
    }
    // The figures are about rows that count alike; with weights nothing is bounded.
    if (n > 0 && data_.weights.empty()) {
      Vec all = figures(inputs, sum, slopes, features);
      // A model that diverged gives no evidence; that must not cost the client its reply.
      if (std::all_of(all.begin(), all.end(), [](double f) { return f < kLargest; }))
        seen.push_back({k, std::move(all)});
    }
    // Kept when this is the best so far; the last one kept is the best of all.
    if (std::isfinite(total) && (!best_ || total < best_total_)) {
      best_total_ = total;
      best_base_ = base;
      view_.keep_first_sums(shelf_[k], std::move(kept));
    }
    return total;
  }

  Vec figures(const Real* inputs, double total, std::span<const double> slopes,
              std::span<const double> features) {
    const std::size_t width = model_.first_layer()->inputs(), n = data_.rows;
    Vec out(kFigures, 0);
    out[kLoss] = total;
    if (squared(model_)) {
      if (spread_ < 0) spread_ = spread_of_rows(view_, inputs, n, width);
      out[kLoss] /= static_cast<double>(n);
      out[kSpread] = spread_;
      return out;
    }
    if (norms_.empty()) {
      for (std::size_t j = 0; j < n; ++j) {
        norms_.push_back(std::sqrt(squared_norm(std::span<const Real>(inputs + j * width, width))));
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      out[kG] += slopes[j];
      out[kGX] += slopes[j] * norms_[j];
      out[kGH] += slopes[j] * features[j];
      out[kX] += norms_[j];
      out[kH] += features[j];
    }
    for (double& figure : out) figure /= static_cast<double>(n);
    return out;
  }

  ClientView& view_;
  const Shelf& shelf_;
  const Model& model_;
  Batch<Real> data_;
  bool best_ = false;
  double best_total_ = 0, best_base_ = 0;
  double spread_ = -1;
  Vec norms_;  // |x| of the rows
};

// The parts of a flat vector that bounds look at.
struct Parts {
  std::span<const double> weight1, bias1, weight2, bias2;
  std::size_t outputs1, outputs2;
};
Parts parts_of(const Model& model, std::span<const double> w) {
  Parts parts{};
  const std::vector<Layer>& layers = model.layers();
  auto take = [&](std::size_t l) {
    return l < layers.size() ? w.subspan(layers[l].offset, layers[l].size()) : std::span<const double>();
  };
  parts.weight1 = take(0);
  parts.bias1 = take(1);
  parts.weight2 = take(2);
  parts.bias2 = take(3);
  parts.outputs1 = layers[0].outputs();
  parts.outputs2 = layers.size() > 2 ? layers[2].outputs() : 0;
  return parts;
}

double norm(std::span<const double> v) { return std::sqrt(squared_norm(v)); }

// Takes from every row its mean, if the scores are those of several classes.
Vec centred(std::span<const double> rows, std::size_t columns) {
  Vec out(rows.begin(), rows.end());
  if (columns < 2) return out;
  for (std::size_t i = 0; i < out.size(); i += columns) {
    double mean = 0;
    for (std::size_t c = 0; c < columns; ++c) mean += out[i + c] / static_cast<double>(columns);
    for (std::size_t c = 0; c < columns; ++c) out[i + c] -= mean;
  }
  return out;
}

}  // namespace

bool has_loss_bounds(const Model& model) {
  const std::vector<Layer>& layers = model.layers();
  const bool readable = model.first_layer() != nullptr && model.trainable() == model.size() &&
                        std::all_of(layers.begin(), layers.end(), [](const Layer& layer) {
                          return !layer.is_matrix() || layer.inputs_first;
                        });
  if (!readable) return false;
  switch (model.loss_kind()) {
    case LossKind::squared:
    case LossKind::logistic:
      return model.depth() == 1;
    case LossKind::cross_entropy:
      return model.depth() == 1 || model.depth() == 2;
    case LossKind::other:
      return false;
  }
  return false;
}

Weighed weigh(ClientView& client, const Shelf& shelf) {
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (shelf.has(k)) client.expect_model(shelf[k]);
  }
  return with_real(client.precision(),
                   [&](auto real) { return Weigher<decltype(real)>(client, shelf).run(); });
}

BoundBook::BoundBook(const Model& model, Precision precision)
    : model_(&model),
      single_(precision == Precision::f32),
      rounding_(precision == Precision::f32 ? 3e-5 : 1e-13) {}

void BoundBook::Change::add(const Change& more, double factor) {
  weight1 += factor * more.weight1;
  bias1 += factor * more.bias1;
  weight2 += factor * more.weight2;
  bias2 += factor * more.bias2;
}

BoundBook::Change BoundBook::between(const Vec& before, const Vec& after) const {
  Vec difference(after.size());
  for (std::size_t j = 0; j < after.size(); ++j) difference[j] = after[j] - before[j];
  const Parts d = parts_of(*model_, difference);
  Change change;
  if (model_->depth() == 2) {
    change.weight1 = operator_norm_bound(d.weight1, d.outputs1);
    change.bias1 = norm(d.bias1);
    change.weight2 = operator_norm_bound(centred(d.weight2, d.outputs2), d.outputs2);
    change.bias2 = norm(centred(d.bias2, d.outputs2));
  } else {
    change.weight1 = operator_norm_bound(centred(d.weight1, d.outputs1), d.outputs1);
    change.bias1 = norm(centred(d.bias1, d.outputs1));
  }
  return change;
}

void BoundBook::enter(const std::vector<Vec>& models) {
  check(last_.empty() || models.size() == models_, "bounds for another number of models");
  models_ = models.size();
  ++now_;
  std::vector<Change> way = ways_.empty() ? std::vector<Change>(models_) : ways_.back();
  for (std::size_t k = 0; k < models_ && !last_.empty(); ++k) way[k].add(between(last_[k], models[k]));
  ways_.push_back(std::move(way));
  for (Snapshot& snapshot : snapshots_) {
    snapshot.to_now.clear();
    for (std::size_t k = 0; k < models_; ++k)
      snapshot.to_now.push_back(between(snapshot.models[k], models[k]));
  }
  if (now_ % kSnapshotEvery == 1) {
    snapshots_.push_back({now_, models, std::vector<Change>(models_)});
    thin_out();
  }
  sizes_.clear();
  for (std::size_t k = 0; k < models_; ++k) {
    const Parts parts = parts_of(*model_, models[k]);
    sizes_.push_back({norm(parts.weight1), norm(parts.bias1), norm(parts.weight2), norm(parts.bias2)});
  }
  heads_.assign(models_, 1);
  if (model_->depth() == 2) {
    for (std::size_t k = 0; k < models_; ++k) {
      const Parts parts = parts_of(*model_, models[k]);
      heads_[k] = operator_norm_bound(centred(parts.weight2, parts.outputs2), parts.outputs2);
    }
  }
  last_ = models;
  find_penalties();
}

// They need no bounds: the server knows the models. At the run's precision, as clients have them.
void BoundBook::find_penalties() {
  penalties_.assign(last_.size(), 0.0);
  for (std::size_t k = 0; k < last_.size(); ++k) {
    if (model_ == nullptr || model_->l2() == 0 || last_[k].size() != model_->size()) continue;
    penalties_[k] =
        single_
            ? penalty(*model_, std::span<const float>(std::vector<float>(last_[k].begin(), last_[k].end())))
            : penalty(*model_, std::span<const double>(last_[k]));
  }
}

// Keeps few snapshots, the older the sparser: drops the one that is least missed.
void BoundBook::thin_out() {
  while (snapshots_.size() > kSnapshots) {
    std::size_t drop = 0;
    double least = -1;
    for (std::size_t i = 0; i + 1 < snapshots_.size(); ++i) {
      const double gap = snapshots_[i + 1].time - (i > 0 ? snapshots_[i - 1].time : 0);
      const double missed = gap / static_cast<double>(now_ - snapshots_[i].time + 1);
      if (least < 0 || missed < least) {
        least = missed;
        drop = i;
      }
    }
    snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(drop));
  }
}

// Round by round up to the next snapshot, and in one leap from there. What rounding may do to the scores is
// as if the model had moved by so much of its size.
BoundBook::Change BoundBook::since(std::uint32_t time, std::uint32_t k) const {
  Change change;
  change.add(sizes_[k], 2 * rounding_);
  auto next =
      std::find_if(snapshots_.begin(), snapshots_.end(), [&](const Snapshot& s) { return s.time >= time; });
  const std::uint32_t until = next == snapshots_.end() ? now_ : next->time;
  if (next != snapshots_.end()) change.add(next->to_now[k]);
  change.add(ways_[until - 1][k], 1 + 1e-12);
  change.add(ways_[time - 1][k], -1 + 1e-12);
  return change;
}

double BoundBook::lowest(const Entry& entry, std::uint32_t k) const {
  const Change d = since(entry.time, k);
  const double* f = entry.figures;
  if (squared(*model_)) {
    const double root =
        std::sqrt(f[kLoss]) - std::sqrt(model_->loss_factor()) * (f[kSpread] * d.weight1 + d.bias1);
    return root > 0 ? root * root : 0;
  }
  if (model_->depth() == 1) return f[kLoss] - (d.weight1 * f[kGX] + d.bias1 * f[kG]);
  return f[kLoss] -
         (heads_[k] * (d.weight1 * f[kGX] + d.bias1 * f[kG]) + d.weight2 * f[kGH] + d.bias2 * f[kG]);
}

double BoundBook::highest(const Entry& entry, std::uint32_t k) const {
  const Change d = since(entry.time, k);
  const double* f = entry.figures;
  if (squared(*model_)) {
    const double root =
        std::sqrt(f[kLoss]) + std::sqrt(model_->loss_factor()) * (f[kSpread] * d.weight1 + d.bias1);
    return root * root;
  }
  const double g = steepest(*model_);
  if (model_->depth() == 1) return f[kLoss] + g * (d.weight1 * f[kX] + d.bias1);
  return f[kLoss] + g * (heads_[k] * (d.weight1 * f[kX] + d.bias1) + d.weight2 * f[kH] + d.bias2);
}

bool BoundBook::hopeless(ClientId client, std::uint32_t k, std::uint32_t own) const {
  if ((client + 1) * models_ > entries_.size()) return false;
  if (k == own || k >= models_ || own >= models_) return false;
  const Entry& rival = entries_[client * models_ + k];
  const Entry& mine = entries_[client * models_ + own];
  if (rival.time == 0 || mine.time == 0) return false;
  const double high = highest(mine, own) + penalties_[own], low = lowest(rival, k) + penalties_[k];
  return low > high + rounding_ * (1 + high + rival.figures[kLoss] + penalties_[k]);
}

void BoundBook::learn(ClientId client, const Evidence& evidence) {
  if (evidence.model >= models_) return;
  if ((client + 1) * models_ > entries_.size()) entries_.resize((client + 1) * models_);
  Entry& entry = entries_[client * models_ + evidence.model];
  entry.time = 0;
  if (evidence.figures.size() != kFigures) return;
  for (std::size_t f = 0; f < kFigures; ++f) {
    if (!(evidence.figures[f] >= 0) || !(evidence.figures[f] < kLargest)) return;
    // Sent at the run's precision: a little more, in the direction that claims less, makes up for it.
    entry.figures[f] = evidence.figures[f] * (f == kLoss ? 1 : 1 + 1e-6);
  }
  entry.time = now_;
}

void BoundBook::fields(Archive& a) {
  a(models_, now_, last_, ways_, snapshots_, heads_, sizes_, entries_);
  find_penalties();
}

}  // namespace coterie
