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
  std::int64_t rounds = 20;            // T
  std::optional<std::int64_t> cohort;  // m
  std::string data = "reuse";
  std::string pairs = "all";
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

  void options(Options& o);
};

}  // namespace coterie
