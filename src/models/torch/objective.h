// What networks lose by a batch: cross-entropy (or `loss`) for classes, 1/2 (z - y)^2 for numbers; and the
// layers that an L2 term holds for.
#pragma once

#include <string>
#include <vector>

#include "models/class_loss.h"

namespace coterie::torch_models {

class Objective {
 public:
  Objective(double l2 = 0, std::vector<std::string> l2_layers = {})
      : l2_(l2), l2_layers_(std::move(l2_layers)) {}

  void options(Options& o);
  // Throws Error where model.l2_layers names none of these.
  void check_layers(const std::vector<Layer>& layers) const;

  double l2() const { return l2_; }
  bool penalises(const Layer& layer) const;
  LossKind kind(const Shape& shape) const {
    return shape.task == Task::regression ? LossKind::squared : loss_.kind();
  }
  static double factor() { return 0.5; }  // of the squared error
  // Scores of a row, after a check that there is something to tell apart.
  static std::size_t scores(const Shape& shape, const std::string& model);

  // Losses of the rows; scores become d loss / d scores.
  template <class Real>
  void losses_and_slopes(const Shape& shape, std::span<const double> y, std::span<Real> scores,
                         std::span<double> losses) const;
  // Scores become what is predicted.
  template <class Real>
  void predictions(const Shape& shape, std::span<Real> scores, std::span<double> out) const;

 private:
  ClassLoss loss_;
  double l2_;
  std::vector<std::string> l2_layers_;
};

}  // namespace coterie::torch_models
