#include "coterie/client.h"

namespace coterie {
namespace {

// All that a client keeps between rounds.
struct Held {
  std::vector<Vec> momentum;  // one for each model it trains
  Bytes own;                  // the method's

  void fields(Archive& a) { a(momentum, own); }
};

}  // namespace

bool Items::has(std::size_t item) const {
  if (all_) return true;
  for (std::uint32_t one : which_) {
    if (one == item) return true;
  }
  return false;
}

Shelf::Shelf(const std::vector<Vec>& items, Precision precision) {
  for (const Vec& item : items) items_.emplace_back(item, precision);
}

const Shared& Shelf::operator[](std::size_t item) const {
  if (!has(item)) throw Error("item " + std::to_string(item) + " of the shelf was not sent");
  return items_[item];
}

Shelf Shelf::only(const Items& items) const {
  Shelf some;
  for (std::size_t k = 0; k < items_.size(); ++k) some.add(items.has(k) ? items_[k] : Shared());
  return some;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Samples and their matrices, made when first asked for.
struct ClientView::Buffers {
  std::shared_ptr<const Samples> samples[3];
  std::vector<float> floats[3];
  std::vector<double> doubles[3];
  bool filled[2][3] = {};

  template <class Real>
  std::vector<Real>& matrix(std::size_t part) {
    if constexpr (std::is_same_v<Real, float>) {
      return floats[part];
    } else {
      return doubles[part];
    }
  }
};

ClientView::ClientView(const Engine& engine, ClientId id, const AskName& ask, Bytes state)
    : engine_(&engine),
      id_(id),
      ask_(ask),
      stream_(engine.seed, {ask.purpose, ask.round, ask.ask, id}),
      buffers_(std::make_unique<Buffers>()) {
  if (state.empty()) return;
  Held held = decode<Held>(state, engine.precision);
  momentum_ = std::move(held.momentum);
  own_bytes_ = std::move(held.own);
}

ClientView::~ClientView() = default;
ClientView::ClientView(ClientView&&) noexcept = default;
ClientView& ClientView::operator=(ClientView&&) noexcept = default;

const Samples& ClientView::samples(Part part) {
  auto& slot = buffers_->samples[static_cast<std::size_t>(part)];
  if (!slot) slot = engine_->federation.samples(id_, part, ask_.round);
  return *slot;
}

template <class Real>
Batch<Real> ClientView::batch(Part part) {
  const Samples& rows = samples(part);
  auto index = static_cast<std::size_t>(part);
  auto& matrix = buffers_->matrix<Real>(index);
  bool& filled = buffers_->filled[std::is_same_v<Real, float> ? 0 : 1][index];
  std::size_t width = rows.shape.width;
  if (!filled) {
    matrix.resize(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows.copy_row(i, std::span<Real>(matrix).subspan(i * width, width));
    }
    filled = true;
  }
  return {rows.size(), width, matrix, rows.targets, {}};
}
template Batch<float> ClientView::batch<float>(Part);
template Batch<double> ClientView::batch<double>(Part);

Vec ClientView::losses(const Shared& w, Part part) {
  Vec out(count(part));
  if (out.empty()) return out;
  if (precision() == Precision::f32) {
    model().losses(w.as<float>(), batch<float>(part), out);
  } else {
    model().losses(w.as<double>(), batch<double>(part), out);
  }
  return out;
}

double ClientView::mean_loss(const Shared& w, Part part) { return mean(losses(w, part)); }

Vec ClientView::predict(const Shared& w, Part part) {
  Vec out(count(part) * model().outputs());
  if (out.empty()) return out;
  if (precision() == Precision::f32) {
    model().predict(w.as<float>(), batch<float>(part), out);
  } else {
    model().predict(w.as<double>(), batch<double>(part), out);
  }
  return out;
}

namespace {

template <class Real>
Vec gradient_as(ClientView& view, const Shared& w) {
  std::vector<Real> gradient(w.size());
  view.model().gradient(w.as<Real>(), view.batch<Real>(Part::train), gradient);
  return Vec(gradient.begin(), gradient.end());
}

// Trains from `start`; `momentum` is the surviving buffer, empty when momentum does not survive.
template <class Real>
Vec train_as(ClientView& view, const Shared& start, const Training& how, Vec& momentum) {
  std::span<const Real> from = start.as<Real>();
  std::vector<Real> w(from.begin(), from.end());
  std::vector<Real> kept(momentum.begin(), momentum.end());
  Batch<Real> data = view.batch<Real>(Part::train);
  data.weights = how.weights;
  LocalJob<Real> job{
      view.model(), data,         w, how.prox, (how.centre ? *how.centre : start).as<Real>(), kept,
      view.round(), view.stream()};
  view.solver().train(job);
  momentum.assign(kept.begin(), kept.end());
  return Vec(w.begin(), w.end());
}

}  // namespace

Vec ClientView::gradient(const Shared& w) {
  return precision() == Precision::f32 ? gradient_as<float>(*this, w) : gradient_as<double>(*this, w);
}

Vec ClientView::train(const Shared& start, const Training& how) {
  Vec none;
  Vec* momentum = &none;
  if (solver().momentum_survives()) {
    if (momentum_.size() <= how.slot) momentum_.resize(how.slot + 1);
    momentum = &momentum_[how.slot];
    if (momentum->size() != start.size()) momentum->assign(start.size(), 0.0);
  }
  return precision() == Precision::f32 ? train_as<float>(*this, start, how, *momentum)
                                       : train_as<double>(*this, start, how, *momentum);
}

ClientView ClientView::on_data_of(ClientId other) { return ClientView(*engine_, other, ask_, final_state()); }

Bytes ClientView::final_state() {
  Held held{momentum_, encode_own_ ? encode_own_() : own_bytes_};
  if (held.momentum.empty() && held.own.empty()) return {};
  return encode(held, precision());
}

}  // namespace coterie
