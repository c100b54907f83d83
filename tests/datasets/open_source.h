// A source by name, configured by a line of TOML.
#pragma once

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "coterie/source.h"
#include "data/error_text.h"
#include "support/plugins.h"

namespace coterie {

inline std::unique_ptr<Source> make_source(const std::string& name, const std::string& toml) {
  std::unique_ptr<Source> source = Registry<Source>::instance().make(name);
  set_options(*source, toml);
  return source;
}

// What is wrong with a source's options, or "".
inline std::string refusal(const std::string& name, const std::string& toml) {
  return error_text<BadConfig>([&] { make_source(name, toml); });
}

inline std::unique_ptr<Population> open_source(const std::string& name, const std::string& toml,
                                               const SourceContext& context = {}) {
  return make_source(name, toml)->open(context);
}

// The folder of real data, or "" when there is none.
inline std::string real_data() {
  const char* folder = std::getenv("COTERIE_DATA");
  return folder == nullptr ? "" : folder;
}

// What generated a group.
inline Vec truth(const Population& population, std::size_t group) {
  return population.parameters(group).value();
}

// Samples of one group from a stream of its own.
inline Samples draw(const Population& population, std::size_t group, std::size_t count,
                    std::uint32_t client = 0) {
  Stream stream(11, {.purpose = Purpose::samples, .client = client});
  return population.draw(group, count, stream);
}

// Column means, and the covariance of two columns, of double features.
struct Moments {
  explicit Moments(const Samples& samples)
      : values(std::get<std::vector<double>>(samples.features)),
        width(samples.shape.width),
        rows(samples.size()) {}
  double mean(std::size_t j) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += values[i * width + j];
    return sum / static_cast<double>(rows);
  }
  double covariance(std::size_t j, std::size_t k) const {
    double sum = 0;
    const double mj = mean(j), mk = mean(k);
    for (std::size_t i = 0; i < rows; ++i) sum += (values[i * width + j] - mj) * (values[i * width + k] - mk);
    return sum / static_cast<double>(rows);
  }
  const std::vector<double>& values;
  std::size_t width, rows;
};

// The first rows of a longer draw are the shorter draw, bit for bit.
inline bool draws_are_prefixes(const Population& population, std::size_t group) {
  const Samples longest = draw(population, group, 700);
  const auto& x = std::get<std::vector<double>>(longest.features);
  for (std::size_t count : {0u, 1u, 2u, 9u, 64u, 255u, 699u}) {
    const Samples fewer = draw(population, group, count);
    const auto& some = std::get<std::vector<double>>(fewer.features);
    if (!std::equal(some.begin(), some.end(), x.begin())) return false;
    if (!std::equal(fewer.targets.begin(), fewer.targets.end(), longest.targets.begin())) return false;
  }
  return true;
}

}  // namespace coterie
