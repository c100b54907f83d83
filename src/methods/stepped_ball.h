// Minima within a ball for models with buffers, which are no part of what is bounded.
#pragma once

#include <algorithm>

#include "coterie/model.h"
#include "math/minimise.h"

namespace coterie {

// minimise_in_ball() over the parameters that are stepped; buffers stay as they are at the start.
inline Minimum minimise_stepped(const Model& model, const Smooth& f, Vec start, double radius,
                                const MinimiseOptions& options) {
  const std::size_t stepped = model.trainable();
  if (stepped == start.size()) return minimise_in_ball(f, std::move(start), radius, options);
  Vec whole = start, slopes(start.size());
  const Smooth part = [&](std::span<const double> x, std::span<double> gradient) {
    std::copy(x.begin(), x.end(), whole.begin());
    const double value = f(whole, slopes);
    std::copy_n(slopes.begin(), stepped, gradient.begin());
    return value;
  };
  start.resize(stepped);
  Minimum found = minimise_in_ball(part, std::move(start), radius, options);
  found.x.insert(found.x.end(), whole.begin() + static_cast<std::ptrdiff_t>(stepped), whole.end());
  return found;
}

}  // namespace coterie
