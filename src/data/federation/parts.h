// How many of a client's samples go into each part.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/federation/federation.h"

namespace coterie {

// A client's samples in order: first `train`, then `validation`, then `test`.
struct Cut {
  std::size_t train = 0;
  std::size_t validation = 0;
  std::size_t test = 0;

  std::size_t begin(Part part) const {
    return part == Part::train ? 0 : part == Part::validation ? train : train + validation;
  }
  std::size_t count(Part part) const {
    return part == Part::train ? train : part == Part::validation ? validation : test;
  }
};

// A share rounded down; the tiny addend keeps 0.29 of 100 at 29.
inline std::size_t share_of(std::size_t samples, double share) {
  return static_cast<std::size_t>(std::floor(static_cast<double>(samples) * share + 1e-9));
}

// Test and validation get their shares rounded down, but one sample at least where there are two or more.
// Training always gets one: when there are too few for all, validation goes without.
inline Cut cut_parts(std::size_t samples, const ClientsOptions& options) {
  Cut cut;
  const auto wanted = [&](double share) {
    return share > 0 && samples >= 2 ? std::max<std::size_t>(1, share_of(samples, share)) : 0;
  };
  cut.test = wanted(options.test);
  cut.validation = std::min(wanted(options.validation), samples - cut.test);
  if (samples > 0 && cut.test + cut.validation == samples) --(cut.validation > 0 ? cut.validation : cut.test);
  cut.train = samples - cut.test - cut.validation;
  return cut;
}

// Brings a client's rows into an order that may be cut (data/whole_order.h), and cuts them near what
// [clients] parts ask for.
Cut cut_whole(std::span<std::uint32_t> rows, std::span<const std::uint32_t> kin,
              std::span<const std::uint32_t> times, const ClientsOptions& options);

// What an unseen client or a shared test set chooses by, and what it is scored on: at least one sample each.
inline Cut cut_settle(std::size_t samples, double share) {
  Cut cut;
  if (samples >= 2) cut.train = std::clamp<std::size_t>(share_of(samples, share), 1, samples - 1);
  cut.test = samples - cut.train;
  return cut;
}

}  // namespace coterie
