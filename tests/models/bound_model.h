// Models and batches for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coterie/model.h"
#include "support/plugins.h"

namespace coterie {

inline Shape regression(std::size_t width) { return {Task::regression, width, 0, 0, 0, 0}; }
inline Shape classification(std::size_t width, std::size_t classes) {
  return {Task::classification, width, classes, 0, 0, 0};
}

// Linear and logistic models have no intercept here, unless a test asks for one.
inline std::string with_intercept_said(const std::string& kind, const std::string& toml) {
  const bool has = kind == "linear" || kind == "logistic";
  return has && toml.find("intercept =") == std::string::npos ? "intercept = false\n" + toml : toml;
}

inline std::unique_ptr<Model> bound_model(const std::string& kind, const std::string& toml,
                                          const Shape& shape) {
  std::unique_ptr<Model> model = make_plugin<Model>(kind, with_intercept_said(kind, toml));
  model->bind(shape, 5);
  return model;
}

// Random rows that own their memory, with features about 1 in size.
template <class Real>
struct Rows {
  std::size_t width;
  std::vector<Real> x;
  std::vector<double> y;
  std::vector<double> weights;

  Rows(const Shape& shape, std::size_t rows, bool weighted = false) : width(shape.width) {
    Stream stream(21, {Purpose::test});
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < width; ++j)
        x.push_back(static_cast<Real>(static_cast<float>(stream.normal())));
      y.push_back(shape.classes > 0 ? static_cast<double>(stream.below(shape.classes)) : stream.normal());
      if (weighted) weights.push_back(stream.uniform(0.1, 2));
    }
  }
  Batch<Real> batch() const { return {y.size(), width, x, y, weights}; }
  // One row, or all but one.
  Rows only(std::size_t row) const {
    return keep([=](std::size_t i) { return i == row; });
  }
  Rows without(std::size_t row) const {
    return keep([=](std::size_t i) { return i != row; });
  }

 private:
  template <class Keep>
  Rows keep(const Keep& kept) const {
    Rows some = *this;
    some.x.clear();
    some.y.clear();
    some.weights.clear();
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!kept(i)) continue;
      some.x.insert(some.x.end(), x.begin() + i * width, x.begin() + (i + 1) * width);
      some.y.push_back(y[i]);
      if (!weights.empty()) some.weights.push_back(weights[i]);
    }
    return some;
  }
};

template <class Real>
std::vector<Real> start_of(const Model& model) {
  Stream stream(9, {Purpose::init});
  Vec parameters;
  model.init(parameters, stream);
  // Rounded to float, so that both precisions start from the same numbers.
  std::vector<Real> w;
  for (const double value : parameters) w.push_back(static_cast<Real>(static_cast<float>(value)));
  return w;
}

}  // namespace coterie
