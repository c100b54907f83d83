// A small least-squares problem, and descent on it in plain loops.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "coterie/solver.h"
#include "models/bound_model.h"

namespace coterie {

// All that a client's training depends on.
template <class Real>
struct LocalWork {
  Rows<Real> rows;
  std::vector<Real> w;
  double prox = 0;
  std::vector<Real> centre = {};
  std::vector<Real> momentum = {};
  std::uint32_t round = 1;
  std::uint32_t client = 0;  // names the stream

  void train(const std::string& solver, const std::string& toml) {
    const auto model = bound_model("linear", "", regression(rows.width));
    train(*make_plugin<Solver>(solver, toml), *model);
  }
  void train(const Solver& solver, const Model& model) {
    Stream stream(3, {Purpose::work, round, 0, client});
    LocalJob<Real> job{model, rows.batch(), w, prox, centre, momentum, round, 0, stream};
    solver.train(job);
  }
};

struct Sizes {
  double rate = 0.1;
  double momentum = 0;
  double weight_decay = 0;
  double prox = 0;
};

// `steps` full-batch steps on  (1/2n) sum_j weight_j (x_j.w - y_j)^2,  by the formulas.
inline Vec descend_by_hand(const Rows<double>& rows, Vec w, const Sizes& sizes, const Vec& centre, int steps,
                           Vec velocity) {
  const std::size_t n = rows.y.size(), d = rows.width;
  for (int s = 0; s < steps; ++s) {
    Vec slope(d);
    for (std::size_t j = 0; j < n; ++j) {
      double residual = -rows.y[j];
      for (std::size_t i = 0; i < d; ++i) residual += rows.x[j * d + i] * w[i];
      const double weight = rows.weights.empty() ? 1 : rows.weights[j];
      for (std::size_t i = 0; i < d; ++i)
        slope[i] += weight * residual * rows.x[j * d + i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < d; ++i) {
      slope[i] += sizes.weight_decay * w[i];
      if (sizes.prox > 0) slope[i] += sizes.prox * (w[i] - centre[i]);
      velocity[i] = sizes.momentum * velocity[i] + slope[i];
    }
    for (std::size_t i = 0; i < d; ++i) w[i] -= sizes.rate * velocity[i];
  }
  return w;
}

template <class A>
void expect_near(const std::vector<A>& got, const Vec& expected, double error) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], error) << "parameter " << i;
}

}  // namespace coterie
