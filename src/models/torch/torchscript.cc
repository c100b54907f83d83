// Any network that a user scripts or traces in Python and saves with torch.jit.save: it gets a batch in the
// samples' own shape (rows x channels x height x width for images) and returns scores, one for each class, or
// one number.
//
// Parameters come first, the head's last of them, then buffers: statistics of batch-norm are averaged as
// parameters are, by the same weights, and never stepped. A step runs the module as in training, everything
// else as in evaluation. docs/networks.md has an example.
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "base/disk.h"
#include "base/md5.h"
#include "coterie/error.h"
#include "data/penalty.h"
#include "math/scratch.h"
#include "models/model_base.h"
#include "models/torch/objective.h"
#include "models/torch/pass.h"
#include "models/torch/script.h"

namespace coterie::torch_models {
namespace {

// Rows that are judged at a time. There are always so many, the last one repeated where need be: libtorch
// chooses its code by the number of rows, and a row's loss must not depend on its company.
constexpr std::size_t kJudgedRows = 32;

class TorchScript : public ModelOf<TorchScript> {
 public:
  void options(Options& o) override;
  void init(Vec& parameters, Stream& stream) const override;
  double l2() const override { return objective_.l2(); }
  bool penalises(const Layer& layer) const override { return objective_.penalises(layer); }
  LossKind loss_kind() const override {
    return script_->has_head() ? objective_.kind(shape()) : LossKind::other;
  }
  double loss_factor() const override { return Objective::factor(); }

  template <class Real>
  void losses_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    judge(w, batch, [&](const Script::Result& result, const Batch<Real>& block, std::size_t begin) {
      objective_.losses_and_slopes(shape(), block.y, scores_of<Real>(result, block.rows),
                                   out.subspan(begin, block.rows));
    });
  }
  template <class Real>
  void predict_as(std::span<const Real> w, const Batch<Real>& batch, std::span<double> out) const {
    judge(w, batch, [&](const Script::Result& result, const Batch<Real>& block, std::size_t begin) {
      objective_.predictions(shape(), scores_of<Real>(result, block.rows),
                             out.subspan(begin * outputs(), block.rows * outputs()));
    });
  }
  template <class Real>
  void features_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out) const {
    if (!script_->has_head()) {
      throw Error(fmt::format(
          "model.file = \"{}\" has no features: what it returns does not come from a dense layer (set "
          "model.head to the name of the torch.nn.Linear that does, or choose a method that needs none)",
          file_));
    }
    judge(w, batch, [&](const Script::Result& result, const Batch<Real>& block, std::size_t begin) {
      const at::Tensor features = result.features.contiguous();
      std::copy_n(features.template data_ptr<Real>(), block.rows * feature_width(),
                  out.begin() + static_cast<std::ptrdiff_t>(begin * feature_width()));
    });
  }
  template <class Real>
  double gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                     StepContext<Real>* step) const;

 protected:
  std::vector<Layer> build(const Shape& shape, std::uint64_t seed) override;

 private:
  template <class Real>
  std::vector<at::Tensor> tensors(std::span<const Real> w) const;
  template <class Real>
  at::Tensor input(const Batch<Real>& batch, std::size_t rows) const;
  template <class Real, class Work>
  void judge(std::span<const Real> w, const Batch<Real>& batch, const Work& work) const;
  // A copy, to be overwritten.
  template <class Real>
  std::span<Real> scores_of(const Script::Result& result, std::size_t rows) const {
    const at::Tensor given = result.scores.detach().contiguous();
    if (static_cast<std::size_t>(given.numel()) < rows * scores_) {  // judged rows are filled up
      throw Error(
          fmt::format("model.file = \"{}\" makes [{}] of {} samples, but must return scores of [{}, {}]",
                      file_, fmt::join(given.sizes(), ", "), rows, rows, scores_));
    }
    const std::span<Real> scores = scratch<Real, struct ScriptScores>(rows * scores_);
    std::copy_n(given.data_ptr<Real>(), scores.size(), scores.begin());
    return scores;
  }
  void try_out(const Shape& shape) const;

  std::string file_, md5_, head_, start_ = "drawn";
  Objective objective_;
  std::optional<Script> script_;
  std::vector<std::vector<std::int64_t>> sizes_;
  std::vector<std::int64_t> sample_;  // sizes of one
  std::size_t scores_ = 1;
};

void TorchScript::options(Options& o) {
  o("file", &file_, "what torch.jit.save wrote: in the current folder, or by its whole path");
  if (md5_.empty() && is_file(file_)) md5_ = md5_of(read_file(file_));
  o("md5", &md5_, "checksum of the file; default: that of the file when the run begins");
  o("head", &head_,
    "the dense layer that gives the scores, as the module calls it (\"fc\"); default: the last one");
  o.choice(
      "start", start_, {"drawn", "file", "head"},
      "first parameters: drawn as PyTorch draws those of its layers (what is not a matrix, or its bias, is "
      "the file's), the file's, or the file's but for a head that is drawn");
  objective_.options(o);
}

std::vector<Layer> TorchScript::build(const Shape& shape, std::uint64_t) {
  use_one_thread();
  if (file_.empty()) {
    throw Error(
        "model.kind = \"torchscript\" needs model.file: a module that Python saved with torch.jit.save "
        "(docs/networks.md)");
  }
  const std::string where = fmt::format("model.file = \"{}\"", file_);
  if (!is_file(file_)) throw Error(where + ": there is no such file");
  const std::string bytes = read_file(file_);
  if (md5_of(bytes) != md5_) {
    throw Error(fmt::format("{}: the file has changed; its checksum is {}, but model.md5 = \"{}\"", where,
                            md5_of(bytes), md5_));
  }
  scores_ = Objective::scores(shape, "torchscript");
  sample_ = shape.is_image()
                ? std::vector{as_size(shape.channels), as_size(shape.height), as_size(shape.columns)}
                : std::vector{as_size(shape.width)};
  try {
    std::istringstream stream(bytes);
    torch::jit::Module module = torch::jit::load(stream, at::kCPU);
    std::string head = head_;
    for (const auto& one : module.named_parameters()) {
      if (head_.empty() && one.value.dim() == 2 && one.name.ends_with(".weight"))
        head = one.name.substr(0, one.name.size() - 7);
    }
    script_.emplace(module, where, head);
  } catch (const c10::Error& error) {
    throw Error(where + " cannot be used as a scripted module: " + first_line(error));
  }
  if (!head_.empty() && !script_->has_head()) {
    throw Error(
        fmt::format("model.head = \"{}\": it is no torch.nn.Linear whose outputs {} returns", head_, file_));
  }
  std::vector<Layer> layers;
  std::size_t offset = 0;
  sizes_.clear();
  for (const Script::Held& one : script_->held()) {
    const std::vector<std::int64_t> sizes =
        one.value.dim() == 0 ? std::vector<std::int64_t>{1} : one.value.sizes().vec();
    layers.push_back(
        {.name = one.name, .offset = offset, .shape = {sizes.begin(), sizes.end()}, .buffer = one.buffer});
    sizes_.push_back(one.value.sizes().vec());
    offset += layers.back().size();
  }
  if (layers.empty() || layers.front().buffer) throw Error(where + ": the module has no parameters");
  objective_.check_layers(layers);
  try_out(shape);
  return layers;
}

// Two rows of zeros, so that what cannot work is known before the run begins.
void TorchScript::try_out(const Shape&) const {
  const at::NoGradGuard no_gradient;
  std::vector<std::int64_t> sizes = sample_;
  sizes.insert(sizes.begin(), 2);
  std::vector<at::Tensor> values;
  for (const Script::Held& one : script_->held()) values.push_back(one.value.to(at::kDouble));
  const at::Tensor scores = script_->run(at::zeros(sizes, at::kDouble), values, nullptr).scores;
  const bool numbers = scores.dim() == 1 && scores_ == 1 && scores.size(0) == 2;
  if (!numbers && !(scores.dim() == 2 && scores.size(0) == 2 && scores.size(1) == as_size(scores_))) {
    throw Error(
        fmt::format("model.file = \"{}\" makes [{}] of two samples, but must return scores of [2, {}]", file_,
                    fmt::join(scores.sizes(), ", "), scores_));
  }
}

void TorchScript::init(Vec& parameters, Stream& stream) const {
  parameters.clear();
  double fan_in = 0;
  std::string module;  // of the last matrix
  for (std::size_t l = 0; l < layers().size(); ++l) {
    const Layer& layer = layers()[l];
    const std::string owner = layer.name.substr(0, layer.name.rfind('.'));
    if (layer.is_matrix()) {
      fan_in = static_cast<double>(layer.inputs());
      module = owner;
    }
    const bool drawn = start_ == "drawn" || (start_ == "head" && layer.offset >= head());
    const at::Tensor value = script_->held()[l].value.to(at::kDouble).contiguous();
    for (std::size_t j = 0; j < layer.size(); ++j) {
      parameters.push_back(drawn && !layer.buffer && owner == module
                               ? stream.uniform(-1 / std::sqrt(fan_in), 1 / std::sqrt(fan_in))
                               : value.data_ptr<double>()[j]);
    }
  }
}

template <class Real>
std::vector<at::Tensor> TorchScript::tensors(std::span<const Real> w) const {
  use_one_thread();
  std::vector<at::Tensor> all;
  for (std::size_t l = 0; l < layers().size(); ++l)
    all.push_back(borrow(w.subspan(layers()[l].offset, layers()[l].size()), sizes_[l]));
  return all;
}

// The rows, and the last one repeated up to `rows`.
template <class Real>
at::Tensor TorchScript::input(const Batch<Real>& batch, std::size_t rows) const {
  std::vector<std::int64_t> sizes = sample_;
  sizes.insert(sizes.begin(), as_size(rows));
  if (rows == batch.rows) return borrow(batch.x, sizes);
  at::Tensor x = at::empty(sizes, at::TensorOptions(type_of<Real>()));
  Real* to = std::copy(batch.x.begin(), batch.x.end(), x.template data_ptr<Real>());
  for (std::size_t i = batch.rows; i < rows; ++i)
    to = std::copy(batch.x.end() - static_cast<std::ptrdiff_t>(batch.width), batch.x.end(), to);
  return x;
}

// Calls work(result, rows, first row) for some rows at a time.
template <class Real, class Work>
void TorchScript::judge(std::span<const Real> w, const Batch<Real>& batch, const Work& work) const {
  const at::NoGradGuard no_gradient;
  const std::vector<at::Tensor> values = tensors(w);
  for (std::size_t begin = 0; begin < batch.rows; begin += kJudgedRows) {
    const Batch<Real> block = rows_of(batch, begin, kJudgedRows);
    work(script_->run(input(block, kJudgedRows), values, nullptr), block, begin);
  }
}

template <class Real>
double TorchScript::gradient_as(std::span<const Real> w, const Batch<Real>& batch, std::span<Real> out,
                                StepContext<Real>* step) const {
  std::fill(out.begin(), out.end(), Real(0));
  double value = 0;
  if (batch.rows > 0) {
    std::vector<at::Tensor> values = tensors(w);
    std::vector<at::Tensor> wanted;
    for (std::size_t l = 0; l < layers().size(); ++l) {
      const Layer& layer = layers()[l];
      if (!layer.buffer) {
        wanted.push_back(values[l].set_requires_grad(true));
      } else if (step != nullptr) {  // written in the step: where it is kept, or into a copy
        values[l] =
            step->buffers.empty()
                ? values[l].clone()
                : borrow(
                      std::span<const Real>(step->buffers).subspan(layer.offset - trainable(), layer.size()),
                      sizes_[l]);
      }
    }
    const Script::Result result =
        script_->run(input(batch, batch.rows), values, step != nullptr ? &step->stream : nullptr);
    const std::span<double> losses = scratch<double, struct ScriptLosses>(batch.rows);
    const std::span<Real> slopes = scores_of<Real>(result, batch.rows);
    objective_.losses_and_slopes(shape(), batch.y, slopes, losses);
    const double share = 1 / static_cast<double>(batch.rows);
    value = share * weigh_rows<Real>(batch.weights, losses, share, slopes);
    const auto found = torch::autograd::grad(
        {result.scores}, wanted, {borrow(std::span<const Real>(slopes), result.scores.sizes())}, c10::nullopt,
        /*create_graph=*/false, /*allow_unused=*/true);
    for (std::size_t l = 0; l < found.size(); ++l) {
      if (!found[l].defined()) continue;
      const at::Tensor whole = found[l].contiguous();
      std::copy_n(whole.template data_ptr<Real>(), layers()[l].size(),
                  out.begin() + static_cast<std::ptrdiff_t>(layers()[l].offset));
    }
  }
  if (l2() > 0) {
    value += penalty(*this, w);
    add_penalty_slopes(*this, w, out);
  }
  return value;
}

const Registration<Model> kTorchScript{"torchscript", "any network that Python exported with torch.jit.save",
                                       [] { return std::make_unique<TorchScript>(); }};

}  // namespace
}  // namespace coterie::torch_models
