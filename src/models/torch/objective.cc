#include "models/torch/objective.h"

#include <algorithm>

#include "coterie/error.h"
#include "models/model_base.h"

namespace coterie::torch_models {

void Objective::options(Options& o) {
  loss_.options(o);
  o("l2", &l2_, "adds l2/2 |w|^2 to the objective, over the weights of l2_layers", at_least(0));
  o("l2_layers", &l2_layers_,
    "layers that l2 holds for, by how their names begin (\"fc\"), biases never; default: all");
}

bool Objective::penalises(const Layer& layer) const {
  const auto begins = [&](const std::string& start) { return layer.name.starts_with(start); };
  return layer.is_matrix() &&
         (l2_layers_.empty() || std::any_of(l2_layers_.begin(), l2_layers_.end(), begins));
}

void Objective::check_layers(const std::vector<Layer>& layers) const {
  for (const std::string& start : l2_layers_) {
    std::string known;
    bool found = false;
    for (const Layer& layer : layers) {
      if (!layer.is_matrix() || layer.buffer) continue;
      found = found || layer.name.starts_with(start);
      known += (known.empty() ? "" : ", ") + layer.name;
    }
    if (found) continue;
    throw Error("model.l2_layers: the name of no layer with weights begins with \"" + start +
                "\"; there are " + known);
  }
}

std::size_t Objective::scores(const Shape& shape, const std::string& model) {
  if (shape.task == Task::regression) return 1;
  if (shape.classes < 2) {
    throw Error("model.kind = \"" + model + "\" needs at least 2 classes, but the samples have " +
                std::to_string(shape.classes));
  }
  return shape.classes;
}

template <class Real>
void Objective::losses_and_slopes(const Shape& shape, std::span<const double> y, std::span<Real> scores,
                                  std::span<double> losses) const {
  if (shape.task == Task::regression) return squared_losses(factor(), y, scores, losses);
  loss_.losses_and_slopes(y, shape.classes, scores, losses);
}

template <class Real>
void Objective::predictions(const Shape& shape, std::span<Real> scores, std::span<double> out) const {
  if (shape.task == Task::classification) softmax_rows(scores, shape.classes);
  std::copy(scores.begin(), scores.end(), out.begin());
}

template void Objective::losses_and_slopes(const Shape&, std::span<const double>, std::span<float>,
                                           std::span<double>) const;
template void Objective::losses_and_slopes(const Shape&, std::span<const double>, std::span<double>,
                                           std::span<double>) const;
template void Objective::predictions(const Shape&, std::span<float>, std::span<double>) const;
template void Objective::predictions(const Shape&, std::span<double>, std::span<double>) const;

}  // namespace coterie::torch_models
