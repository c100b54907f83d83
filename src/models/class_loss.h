// What classifiers lose by a row of class scores, with p = softmax(scores):
//
//   cross-entropy   -log p_y
//   probability     1 - p_y: bounded, and nearly flat where a row is hopeless, so that training is slower and
//                   hard samples count less; the loss of the Federated-Clustering authors' MNIST experiments
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "coterie/model.h"
#include "math/softmax.h"

namespace coterie {

class ClassLoss {
 public:
  void options(Options& o) {
    o.choice("loss", kind_, {"cross-entropy", "probability"}, "of a class: -log p_y, or 1 - p_y");
  }
  LossKind kind() const { return cross_entropy() ? LossKind::cross_entropy : LossKind::other; }

  // Losses of the rows; scores become d loss / d scores.
  template <class Real>
  void losses_and_slopes(std::span<const double> y, std::size_t classes, std::span<Real> scores,
                         std::span<double> losses) const {
    cross_entropy_rows(scores, classes, y, losses);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const std::span<Real> row = scores.subspan(j * classes, classes);
      const Real right = row[static_cast<std::size_t>(y[j])];
      row[static_cast<std::size_t>(y[j])] -= Real(1);
      if (cross_entropy()) continue;
      losses[j] = losses[j] - losses[j] == 0 ? std::max(0.0, 1 - static_cast<double>(right)) : losses[j];
      for (Real& slope : row) slope *= right;
    }
  }

 private:
  bool cross_entropy() const { return kind_ == "cross-entropy"; }
  std::string kind_ = "cross-entropy";
};

}  // namespace coterie
