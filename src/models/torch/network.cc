#include "models/torch/network.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "coterie/error.h"
#include "data/penalty.h"
#include "math/gemm.h"
#include "math/gemv.h"
#include "math/scratch.h"
#include "models/model_base.h"

namespace coterie::torch_models {
namespace {

// Rows that are judged at a time: their images stay in the cache.
constexpr std::size_t kJudgedRows = 32;

double draw(const Fill& fill, Stream& stream) {
  switch (fill.kind) {
    case Fill::constant:
      return fill.size;
    case Fill::uniform:
      return stream.uniform(-fill.size, fill.size);
    case Fill::normal:
      return fill.size * stream.normal();
    case Fill::truncated:
      for (;;) {
        const double value = stream.normal();
        if (std::fabs(value) <= 2) return fill.size * value;
      }
  }
  return 0;
}

template <class Real>
std::span<Real> numbers_of(const at::Tensor& t) {
  return {t.data_ptr<std::remove_const_t<Real>>(), static_cast<std::size_t>(t.numel())};
}

}  // namespace

std::vector<Layer> Network::build(const Shape& shape, std::uint64_t) {
  use_one_thread();
  if (!shape.is_image()) {
    throw Error("model.kind = \"" + name_ + "\" takes images, but a sample here is a row of " +
                std::to_string(shape.width) +
                " numbers; use a data set of images, or \"mlp\", \"softmax\" or \"linear\"");
  }
  const std::size_t scores = Objective::scores(shape, name_);
  sample_ = {shape.channels, shape.height, shape.columns};
  Plan made = plan(sample_);
  extractor_ = std::move(made.extractor);
  Declaration declaration;
  Form features;
  try {
    features = declare_all(extractor_, sample_, declaration);
    made.extractor.clear();
    made.extractor.push_back(dense(made.head, scores, made.head_starts));
    declare_all(made.extractor, features, declaration);
  } catch (const Error& error) {
    throw Error("model.kind = \"" + name_ + "\" cannot take images of " + std::to_string(shape.height) +
                " x " + std::to_string(shape.columns) + ": " + error.what());
  }
  flops_ = declaration.flops();
  std::vector<Layer> layers = declaration.layers();
  fills_ = declaration.fills();
  sizes_.clear();
  for (const Layer& layer : layers) {
    sizes_.emplace_back(layer.shape.begin(), layer.shape.end());
    if (layer.inputs_first) std::reverse(sizes_.back().begin(), sizes_.back().end());
  }
  places_ = layers;
  std::stable_sort(layers.begin(), layers.end(),
                   [](const Layer& a, const Layer& b) { return a.offset < b.offset; });
  objective_.check_layers(layers);
  return layers;
}

void Network::init(Vec& parameters, Stream& stream) const {
  parameters.assign(size(), 0.0);
  for (std::size_t l = 0; l < places_.size(); ++l) {
    const Layer& layer = places_[l];
    for (std::size_t j = 0; j < layer.size(); ++j) parameters[layer.offset + j] = draw(fills_[l], stream);
  }
  pretrained_.apply(layers(), head(), parameters);
}

template <class Real>
Pass Network::pass_over(std::span<const Real> w) const {
  use_one_thread();
  Pass pass;
  pass.layers.resize(places_.size());
  pass.slopes.resize(places_.size());
  for (std::size_t l = 0; l < places_.size(); ++l) {
    if (!in_head(places_[l]))
      pass.layers[l] = borrow(w.subspan(places_[l].offset, places_[l].size()), sizes_[l]);
  }
  return pass;
}

template <class Real>
at::Tensor Network::extract(const Batch<Real>& batch, Pass& pass) const {
  const at::Tensor x = borrow(batch.x, {as_size(batch.rows), as_size(sample_.channels),
                                        as_size(sample_.height), as_size(sample_.columns)});
  at::Tensor features = run_all(extractor_, x, pass);
  return features.reshape({as_size(batch.rows), -1}).contiguous();
}

template <class Real>
std::span<Real> Network::scores_under(std::span<const Real> head, std::span<const Real> features) const {
  const std::size_t width = feature_width(), columns = scores(), rows = features.size() / width;
  const std::span<Real> out = scratch<Real, struct NetworkScores>(rows * columns);
  multiply(Matrix<const Real>(features.data(), rows, width), Matrix<const Real>(head.data(), width, columns),
           Matrix<Real>(out.data(), rows, columns));
  add_bias(head.subspan(width * columns, columns), out);
  return out;
}

// Calls work(scores, first row) for some rows at a time.
template <class Real, class Work>
void Network::scores_of_blocks(std::span<const Real> w, const Batch<Real>& batch, const Work& work) const {
  const at::NoGradGuard no_gradient;
  Pass pass = pass_over(w);
  for (std::size_t begin = 0; begin < batch.rows; begin += kJudgedRows) {
    const Batch<Real> block = rows_of(batch, begin, kJudgedRows);
    const at::Tensor features = extract(block, pass);
    work(scores_under(w.subspan(head()), numbers_of<const Real>(features)), block, begin);
  }
}

template <class Real>
void Network::losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
  scores_of_blocks(w, batch, [&](std::span<Real> scores, const Batch<Real>& block, std::size_t begin) {
    objective_.losses_and_slopes(shape(), block.y, scores, out.subspan(begin, block.rows));
  });
}

template <class Real>
void Network::predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
  scores_of_blocks(w, batch, [&](std::span<Real> scores, const Batch<Real>&, std::size_t begin) {
    objective_.predictions(shape(), scores, out.subspan(begin * outputs(), scores.size()));
  });
}

template <class Real>
void Network::features_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
  const at::NoGradGuard no_gradient;
  Pass pass = pass_over(w);
  for (std::size_t begin = 0; begin < batch.rows; begin += kJudgedRows) {
    const at::Tensor features = extract(rows_of(batch, begin, kJudgedRows), pass);
    const std::span<const Real> values = numbers_of<const Real>(features);
    std::copy(values.begin(), values.end(),
              out.begin() + static_cast<std::ptrdiff_t>(begin * feature_width()));
  }
}

template <class Real>
double Network::gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                            StepContext<Real>* step) const {
  const double share = batch.rows > 0 ? 1 / static_cast<double>(batch.rows) : 0;
  double value = 0;
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(batch.rows > 0 ? trainable() : 0), out.end(), Real(0));
  if (batch.rows > 0) {
    const std::size_t size = trainable() - head();
    through_as<Real>(
        w, batch, step,
        [&](std::span<const Real> features, std::span<Real> slopes) {
          value = share * head_gradient_as(w.subspan(head(), size), features, batch.y, batch.weights, share,
                                           out.subspan(head(), size), slopes);
        },
        out.first(head()));
  }
  if (l2() > 0) {
    value += penalty(*this, w);
    add_penalty_slopes(*this, w, out);
  }
  return value;
}

template <class Real>
void Network::through_as(std::span<const Real> w, const Batch<Real>& batch, StepContext<Real>* step,
                         const typename ExtractorKernels<Real>::UseFeatures& use,
                         std::span<Real> gradient) const {
  Pass pass = pass_over(w);
  if (step != nullptr) pass.stream = &step->stream;
  std::vector<at::Tensor> wanted;
  std::vector<std::span<Real>> places;
  for (std::size_t l = 0; l < places_.size(); ++l) {
    const Layer& layer = places_[l];
    if (layer.buffer && step != nullptr) {
      // Batch-norm writes its statistics: where they are kept, or into a copy.
      pass.layers[l] =
          step->buffers.empty()
              ? pass.layers[l].clone()
              : borrow(std::span<const Real>(step->buffers).subspan(layer.offset - trainable(), layer.size()),
                       sizes_[l]);
    } else if (!layer.buffer && !in_head(layer) && !gradient.empty()) {
      places.push_back(gradient.subspan(layer.offset, layer.size()));
      pass.slopes[l] = borrow(std::span<const Real>(places.back()), sizes_[l]);
      wanted.push_back(pass.layers[l].set_requires_grad(true));
    }
  }
  const at::Tensor features = extract(batch, pass);
  const at::Tensor slopes = at::zeros_like(features, features.options().requires_grad(false));
  use(numbers_of<const Real>(features), numbers_of<Real>(slopes));
  if (wanted.empty()) return;
  const auto found = torch::autograd::grad({features}, wanted, {slopes}, /*retain_graph=*/c10::nullopt,
                                           /*create_graph=*/false, /*allow_unused=*/true);
  for (std::size_t l = 0; l < found.size(); ++l) {
    if (!found[l].defined()) continue;  // its block wrote them
    const at::Tensor whole = found[l].contiguous();
    const std::span<const Real> values = numbers_of<const Real>(whole);
    std::copy(values.begin(), values.end(), places[l].begin());
  }
}

template <class Real>
void Network::head_losses_as(std::span<const Real> head, std::span<const Real> features,
                             std::span<const double> y, std::span<double> out) const {
  objective_.losses_and_slopes(shape(), y, scores_under(head, features), out);
}

template <class Real>
double Network::head_gradient_as(std::span<const Real> head, std::span<const Real> features,
                                 std::span<const double> y, std::span<const double> weights, double share,
                                 std::span<Real> gradient, std::span<Real> slopes) const {
  const std::size_t width = feature_width(), columns = scores();
  const std::span<Real> by_score = scores_under(head, features);
  const std::span<double> losses = scratch<double, struct NetworkLosses>(y.size());
  objective_.losses_and_slopes(shape(), y, by_score, losses);
  const double sum = weigh_rows<Real>(weights, losses, share, by_score);
  const Real one = 1;
  const Matrix<const Real> rows(by_score.data(), y.size(), columns);
  combine_rows(&one, 0, rows, gradient.data() + width * columns, Into::set);
  multiply(Matrix<const Real>(features.data(), y.size(), width).transposed(), rows,
           Matrix<Real>(gradient.data(), width, columns));
  multiply(rows, Matrix<const Real>(head.data(), width, columns).transposed(),
           Matrix<Real>(slopes.data(), y.size(), width), Into::add);
  return sum;
}

#define COTERIE_NETWORK_KERNELS(Real)                                                                    \
  template void Network::losses_as(std::span<const Real>, const Batch<Real>&, std::span<double>) const;  \
  template void Network::predict_as(std::span<const Real>, const Batch<Real>&, std::span<double>) const; \
  template void Network::features_as(std::span<const Real>, const Batch<Real>&, std::span<Real>) const;  \
  template double Network::gradient_as(std::span<const Real>, const Batch<Real>&, std::span<Real>,       \
                                       StepContext<Real>*) const;                                        \
  template void Network::through_as(std::span<const Real>, const Batch<Real>&, StepContext<Real>*,       \
                                    const ExtractorKernels<Real>::UseFeatures&, std::span<Real>) const;  \
  template void Network::head_losses_as(std::span<const Real>, std::span<const Real>,                    \
                                        std::span<const double>, std::span<double>) const;               \
  template double Network::head_gradient_as(std::span<const Real>, std::span<const Real>,                \
                                            std::span<const double>, std::span<const double>, double,    \
                                            std::span<Real>, std::span<Real>) const;
COTERIE_NETWORK_KERNELS(float)
COTERIE_NETWORK_KERNELS(double)
#undef COTERIE_NETWORK_KERNELS

}  // namespace coterie::torch_models
