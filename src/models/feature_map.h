// Fixed maps of a sample that let a linear model fit curves.
//
//   identity     x
//   polynomial   x_1 .. x_d, x_1^2 .. x_d^2, ..., up to x_1^degree .. x_d^degree; no products of two
//   coordinates fourier      sqrt(2/count) cos(omega_k . x + b_k), k = 1 .. count, with omega_k ~ N(0, I /
//   bandwidth^2) and b_k
//                uniform on the circle (Rahimi and Recht, 2007): inner products approximate the Gaussian
//                kernel exp(-|x - x'|^2 / (2 bandwidth^2))
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "coterie/options.h"
#include "coterie/random.h"
#include "math/elementary.h"
#include "math/gemm.h"
#include "math/scratch.h"

namespace coterie {

class FeatureMap {
 public:
  void options(Options& o) {
    o.choice("features", kind_, {"identity", "polynomial", "fourier"}, "what the model sees of a sample");
    o("degree", &degree_, "highest power of each coordinate (polynomial)", between(1, 32));
    o("count", &count_, "random features (fourier)", between(1, 1 << 20));
    o("bandwidth", &bandwidth_, "distance over which functions may vary (fourier)", above(0));
  }

  void bind(std::size_t inputs, std::uint64_t seed) {
    inputs_ = inputs;
    width_ = inputs;
    if (kind_ == "polynomial") width_ = inputs * static_cast<std::size_t>(degree_);
    if (kind_ == "fourier") width_ = static_cast<std::size_t>(count_);
    if (kind_ != "fourier") return;
    Stream stream(seed, {Purpose::features});
    frequencies_.resize(inputs * width_);
    phases_.resize(width_);
    for (double& frequency : frequencies_) frequency = stream.normal() / bandwidth_;
    for (double& phase : phases_) phase = stream.uniform(0, 2 * std::numbers::pi);
    frequencies_f_.assign(frequencies_.begin(), frequencies_.end());
  }

  std::size_t width() const { return width_; }
  // Floating-point operations on one sample, products only.
  double flops() const { return 2.0 * static_cast<double>(frequencies_.size()); }

  // The features of these rows: `x` itself, or scratch memory that the next call on this thread overwrites.
  template <class Real>
  const Real* operator()(const Real* x, std::size_t rows) const {
    if (kind_ == "identity") return x;
    Real* out = scratch<Real, FeatureMap>(rows * width_).data();
    if (kind_ == "polynomial") {
      powers(x, rows, out);
    } else {
      waves(x, rows, out);
    }
    return out;
  }

 private:
  template <class Real>
  void powers(const Real* x, std::size_t rows, Real* out) const {
    for (std::size_t i = 0; i < rows; ++i, x += inputs_) {
      for (std::size_t j = 0; j < inputs_; ++j) *out++ = x[j];
      for (std::int64_t power = 2; power <= degree_; ++power) {
        for (std::size_t j = 0; j < inputs_; ++j, ++out)
          *out = out[-static_cast<std::ptrdiff_t>(inputs_)] * x[j];
      }
    }
  }

  template <class Real>
  void waves(const Real* x, std::size_t rows, Real* out) const {
    const double amplitude = std::sqrt(2.0 / static_cast<double>(width_));
    multiply(Matrix<const Real>(x, rows, inputs_), Matrix<const Real>(frequencies<Real>(), inputs_, width_),
             Matrix<Real>(out, rows, width_));
    for (std::size_t i = 0; i < rows; ++i, out += width_) {
      for (std::size_t k = 0; k < width_; ++k) {
        out[k] = static_cast<Real>(amplitude * cosine(static_cast<double>(out[k]) + phases_[k]));
      }
    }
  }

  template <class Real>
  const Real* frequencies() const {
    if constexpr (std::is_same_v<Real, float>) {
      return frequencies_f_.data();
    } else {
      return frequencies_.data();
    }
  }

  std::string kind_ = "identity";
  std::int64_t degree_ = 2;
  std::int64_t count_ = 100;
  double bandwidth_ = 1;
  std::size_t inputs_ = 0;
  std::size_t width_ = 0;
  std::vector<double> frequencies_;  // inputs x count, row-major
  std::vector<float> frequencies_f_;
  std::vector<double> phases_;
};

}  // namespace coterie
