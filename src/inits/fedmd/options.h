// Options of FedMD's first phase (inits/fedmd), with the paper's names for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coterie/options.h"

namespace coterie {

struct FedMdOptions {
  std::string anchors = "size";
  std::optional<std::int64_t> count;  // m_H
  std::vector<std::int64_t> ids;
  std::int64_t recruit = 2;
  std::int64_t rounds = 20;            // T
  std::optional<std::int64_t> cohort;  // m
  std::string data = "reuse";
  std::string pairs = "all";
  std::string weights = "samples";
  std::string subspace = "iteration";
  std::int64_t iterations = 10;    // T1
  std::int64_t power_steps = 100;  // T2
  std::optional<double> delta, alpha, beta;
  double epsilon = 0.1;
  std::optional<double> step;
  double noise = 0;
  std::string start = "random";
  double scale = 1;
  std::int64_t start_cluster = 0;

  bool fresh() const { return data == "fresh"; }
  bool one_pair() const { return pairs == "one"; }
  // Named anchors are all there are, and fresh data is spent.
  bool can_recruit() const { return anchors != "ids" && !fresh(); }
  // w_i of Algorithm 3 before they are made to add up to 1. Its n_i counts the pairs of vectors that a client
  // has: one, where that is all that it uses.
  double weight_of(std::size_t samples) const {
    if (one_pair() || weights == "uniform") return 1;
    return static_cast<double>(weights == "pairs" ? samples - 1 : samples);
  }

  void options(Options& o);
};

}  // namespace coterie
