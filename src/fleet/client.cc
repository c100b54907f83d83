#include "coterie/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "coterie/methods/with_real.h"
#include "data/first_rows.h"
#include "data/penalty.h"
#include "fleet/first_use.h"
#include "fleet/gram_cache.h"
#include "fleet/row_backgrounds.h"
#include "math/gemm.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {
namespace {

// All that a client keeps between rounds.
struct Held {
  std::vector<Numbers> momentum;  // one for each model it trains
  Bytes own;                      // the method's

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
  for (const Vec& item : items) add(Shared(item, precision));
}

void Shelf::add(Shared item) {
  if (!items_) {
    items_ = std::make_shared<List>();
  } else if (items_.use_count() > 1) {
    items_ = std::make_shared<List>(*items_);
  }
  items_->push_back(std::move(item));
}

void Shelf::fields(Archive& a) {
  List items = items_ ? *items_ : List();
  a(items);
  items_ = std::make_shared<List>(std::move(items));
}

const Shared& Shelf::operator[](std::size_t item) const {
  if (!has(item)) throw Error("item " + std::to_string(item) + " of the shelf was not sent");
  return (*items_)[item];
}

Shelf Shelf::only(const Items& items) const {
  bool all = true;
  for (std::size_t k = 0; k < size(); ++k) all = all && items.has(k);
  if (all) return *this;
  Shelf some;
  for (std::size_t k = 0; k < size(); ++k) some.add(items.has(k) ? (*items_)[k] : Shared());
  return some;
}

namespace {

Vec with_mean_one(Vec weights) {
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  if (weights.empty() || *low == *high) return {};
  const double most = *high;  // sums of very large weights have no place in a number
  double sum = 0;
  for (double& w : weights) sum += w /= most;
  for (double& w : weights) w *= static_cast<double>(weights.size()) / sum;
  return weights;
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  for (double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Samples and their matrices, made when first asked for.
struct ClientView::Buffers {
  std::shared_ptr<const Samples> samples[3];
  std::shared_ptr<Room<float>> floats[3];
  std::shared_ptr<Room<double>> doubles[3];
  std::optional<Vec> weights[3];
  std::optional<std::vector<float>> float_backgrounds[3];
  std::optional<std::vector<double>> double_backgrounds[3];
  Shared summed;  // whose sums of the training rows are kept
  std::variant<Room<float>, Room<double>> sums;
  std::shared_ptr<const void> gram;

  // The weights of a part's rows, with a mean of 1; none if every row counts the same.
  std::span<const double> weights_of(std::size_t part) {
    if (!weights[part]) weights[part] = with_mean_one(samples[part]->weights);
    return *weights[part];
  }
  // Those of a part's rows; none if all are 0, or rows are short.
  template <class Real>
  std::span<const Real> backgrounds_of(std::size_t part, std::span<const Real> x, std::size_t width) {
    std::optional<std::vector<Real>>* slot;
    if constexpr (std::is_same_v<Real, float>) {
      slot = &float_backgrounds[part];
    } else {
      slot = &double_backgrounds[part];
    }
    if (!*slot) *slot = backgrounds_of_rows(x, width);
    return **slot;
  }
  template <class Real>
  std::shared_ptr<Room<Real>>& matrix(std::size_t part) {
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
  if (!slot) {
    slot = engine_->shards.samples(id_, part, ask_.round);
    const Shape &have = slot->shape, &need = engine_->model.shape();
    if (have.task != need.task || have.width != need.width || have.classes != need.classes) {
      throw Error(fmt::format("its samples have {} features and {} classes, but the model is for {} and {}",
                              have.width, have.classes, need.width, need.classes));
    }
  }
  return *slot;
}

void ClientView::use_slice(std::size_t slice, std::size_t slices) {
  const auto whole = engine_->shards.samples(id_, Part::train, ask_.round);
  if (slice >= slices) throw Error("it was sent to a part of its samples that there is not");
  if (whole->size() < slices) {
    throw Error("it has " + std::to_string(whole->size()) + " training samples, too few for " +
                std::to_string(slices) + " disjoint parts");
  }
  Stream stream(engine_->seed, {Purpose::parts, 0, 1, id_});
  const std::vector<std::uint32_t> order = stream.permutation(whole->size());
  const std::size_t begin = slice * whole->size() / slices, end = (slice + 1) * whole->size() / slices;
  use_rows(*whole, std::span(order).subspan(begin, end - begin));
}

void ClientView::use_batch(std::size_t rows) {
  if (rows == 0 || rows >= count(Part::train)) return;
  const auto whole = buffers_->samples[static_cast<std::size_t>(Part::train)];
  use_rows(*whole, stream_.sample(whole->size(), rows));
}

void ClientView::use_part(Part part) {
  samples(part);
  auto rows = buffers_->samples[static_cast<std::size_t>(part)];
  *buffers_ = Buffers();
  buffers_->samples[static_cast<std::size_t>(Part::train)] = std::move(rows);
}

void ClientView::use_rows(const Samples& whole, std::span<const std::uint32_t> which) {
  auto rows = std::make_shared<const Samples>(whole.rows(which));
  *buffers_ = Buffers();
  buffers_->samples[static_cast<std::size_t>(Part::train)] = std::move(rows);
}

template <class Real>
Batch<Real> ClientView::batch(Part part) {
  const Samples& rows = samples(part);
  auto index = static_cast<std::size_t>(part);
  auto& matrix = buffers_->matrix<Real>(index);
  std::size_t width = rows.shape.width;
  // Features that are stored as they are wanted are not copied.
  const auto* stored = std::get_if<std::vector<Real>>(&rows.features);
  if (stored == nullptr && !matrix) {
    matrix = std::make_shared<Room<Real>>(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows.copy_row(i, std::span<Real>(*matrix).subspan(i * width, width));
    }
  }
  const std::span<const Real> x = stored != nullptr ? std::span<const Real>(*stored) : *matrix;
  return {rows.size(),
          width,
          x,
          rows.targets,
          buffers_->weights_of(index),
          buffers_->backgrounds_of(index, x, width)};
}
template Batch<float> ClientView::batch<float>(Part);
template Batch<double> ClientView::batch<double>(Part);

void ClientView::expect_model(const Shared& w) const {
  if (w.size() == model().size()) return;
  throw Error("it was sent " + std::to_string(w.size()) + " numbers where its model has " +
              std::to_string(model().size()) + " parameters");
}

Vec ClientView::losses(const Shared& w, Part part) {
  expect_model(w);
  Vec out(count(part));
  if (out.empty()) return out;
  with_real(precision(), [&](auto real) {
    using Real = decltype(real);
    model().losses(w.as<Real>(), batch<Real>(part), out);
  });
  return out;
}

double ClientView::mean_loss(const Shared& w, Part part) {
  Vec all = losses(w, part);
  const std::span<const double> weights = row_weights(part);
  for (std::size_t i = 0; i < weights.size(); ++i) all[i] *= weights[i];
  return mean(all);
}

std::span<const double> ClientView::row_weights(Part part) {
  samples(part);
  return buffers_->weights_of(static_cast<std::size_t>(part));
}

template <class Real>
void sums_under(const Model& model, const Shared& w, const Batch<Real>& rows, const Real* inputs,
                Real* sums) {
  const FirstLayer& first = *model.first_layer();
  const Matrix<const Real> a = first_rows(inputs, first.inputs(), rows);
  const Matrix<const Real> b(w.as<Real>().data(), first.inputs(), first.outputs());
  const Matrix<Real> c(sums, rows.rows, first.outputs());
  if (first.outputs() == 1) return multiply(a, b, c);
  multiply(a, first_use<Real>(model, w).packed, c);
}
template void sums_under(const Model&, const Shared&, const Batch<float>&, const float*, float*);
template void sums_under(const Model&, const Shared&, const Batch<double>&, const double*, double*);

template <class Real>
std::span<const Real> ClientView::first_sums(const Shared& w) {
  expect_model(w);
  if (!buffers_->summed.is(w)) {
    const FirstLayer& first = *model().first_layer();
    const Batch<Real> data = batch<Real>(Part::train);
    Room<Real> sums(data.rows * first.outputs());
    sums_under(model(), w, data, first.first_inputs(data), sums.data());
    keep_first_sums(w, std::move(sums));
  }
  return std::get<Room<Real>>(buffers_->sums);
}
template std::span<const float> ClientView::first_sums(const Shared&);
template std::span<const double> ClientView::first_sums(const Shared&);

bool ClientView::knows_first_sums(const Shared& w) const { return buffers_->summed.is(w); }

template <class Real>
void ClientView::keep_first_sums(const Shared& w, Room<Real> sums) {
  buffers_->summed = w;
  buffers_->sums = std::move(sums);
}
template void ClientView::keep_first_sums(const Shared&, Room<float>);
template void ClientView::keep_first_sums(const Shared&, Room<double>);

template <class Real>
std::shared_ptr<const void> ClientView::training_rows() {
  batch<Real>(Part::train);
  const auto part = static_cast<std::size_t>(Part::train);
  if (const auto& matrix = buffers_->matrix<Real>(part)) return matrix;
  return buffers_->samples[part];
}
template std::shared_ptr<const void> ClientView::training_rows<float>();
template std::shared_ptr<const void> ClientView::training_rows<double>();

template <class Real>
std::span<const Real> ClientView::gram() {
  using Made = std::vector<Real>;
  if (!buffers_->gram) {
    auto make = [&] {
      const Batch<Real> data = batch<Real>(Part::train);
      const FirstLayer& first = *model().first_layer();
      const Matrix<const Real> rows(first.first_inputs(data), data.rows, first.inputs());
      Made products(data.rows * data.rows);
      multiply(rows, rows.transposed(), Matrix<Real>(products.data(), data.rows, data.rows));
      return products;
    };
    samples(Part::train);
    const auto& held = buffers_->samples[static_cast<std::size_t>(Part::train)];
    buffers_->gram =
        engine_->grams ? engine_->grams->get<Real>(id_, held, make) : std::make_shared<const Made>(make());
  }
  return *static_cast<const Made*>(buffers_->gram.get());
}
template std::span<const float> ClientView::gram<float>();
template std::span<const double> ClientView::gram<double>();

namespace {

template <class Real>
Numbers gradient_as(ClientView& view, const Shared& w) {
  const Model& model = view.model();
  const Batch<Real> data = view.batch<Real>(Part::train);
  const std::span<const Real> at = w.as<Real>();
  Room<Real> gradient(w.size());
  const FirstLayer* first = model.first_layer();
  if (first == nullptr || data.rows == 0) {
    StepContext<Real> step{view.stream(), {}};
    model.gradient(at, data, gradient, &step);
    return gradient;
  }
  const std::span<const Real> kept = view.first_sums<Real>(w);
  const std::span<Real> slopes = scratch<Real, struct GradientSlopes>(kept.size());
  std::copy(kept.begin(), kept.end(), slopes.begin());
  first->tail_gradient(first->tail(at), slopes, data.y, data.weights, 1 / static_cast<double>(data.rows),
                       first->tail(std::span(gradient)));
  multiply(first_rows(*first, data).transposed(),
           Matrix<const Real>(slopes.data(), data.rows, first->outputs()),
           Matrix<Real>(gradient.data(), first->inputs(), first->outputs()));
  add_penalty_slopes(model, at, std::span<Real>(gradient));
  return gradient;
}

}  // namespace

Numbers ClientView::gradient(const Shared& w) {
  expect_model(w);
  return with_real(precision(), [&](auto real) { return gradient_as<decltype(real)>(*this, w); });
}

ClientView ClientView::on_data_of(ClientId other) { return ClientView(*engine_, other, ask_, final_state()); }

Bytes ClientView::final_state() {
  Held held{std::move(momentum_), encode_own_ ? encode_own_() : std::move(own_bytes_)};
  Bytes state;
  if (!held.momentum.empty() || !held.own.empty()) state = encode(held, precision());
  momentum_ = std::move(held.momentum);
  if (!encode_own_) own_bytes_ = std::move(held.own);
  return state;
}

}  // namespace coterie
