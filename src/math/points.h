// Points of the same width, one after the other.
#pragma once

#include <cstddef>
#include <span>

namespace coterie {

struct Points {
  std::span<const double> values;
  std::size_t count = 0;
  std::size_t width = 0;

  std::span<const double> operator[](std::size_t i) const { return values.subspan(i * width, width); }
};

}  // namespace coterie
