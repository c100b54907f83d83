#include "data/formats/pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/error.h"

namespace coterie {
namespace {

// From channels side by side to one channel after the other.
template <class To>
std::vector<To> by_channel(const std::vector<double>& from, std::size_t width, std::size_t channels) {
  const std::size_t pixels = width / channels;
  std::vector<To> to(from.size());
  for (std::size_t row = 0; row < from.size(); row += width) {
    for (std::size_t p = 0; p < pixels; ++p) {
      for (std::size_t c = 0; c < channels; ++c)
        to[row + c * pixels + p] = static_cast<To>(from[row + p * channels + c]);
    }
  }
  return to;
}

}  // namespace

void PixelSpec::options(Options& o) {
  o("shape", &shape, "rows are images: [height, width] or [height, width, channels]", at_least(1));
  o("range", &range, "what whole numbers from 0 to 255 in images are divided by", above(0));
  o.require(shape.empty() || shape.size() == 2 || shape.size() == 3, "shape",
            "must be [height, width] or [height, width, channels]");
}

void make_images(const PixelSpec& spec, const std::string& file, Samples& samples, bool floats) {
  const auto& from = std::get<std::vector<double>>(samples.features);
  Shape& shape = samples.shape;
  const auto size = [&](std::size_t i) {
    return i < spec.shape.size() ? static_cast<std::size_t>(spec.shape[i]) : 1;
  };
  constexpr std::size_t kMost = 1 << 28;
  const bool fits = size(0) <= kMost && size(1) <= kMost / size(0) && size(2) <= kMost / size(0) / size(1);
  if (!fits || size(0) * size(1) * size(2) != shape.width) {
    throw Error(fmt::format("{}: data.shape = {} x {} x {} needs as many features, but rows have {}", file,
                            size(0), size(1), size(2), shape.width));
  }
  bool bytes = true;
  for (double x : from) {
    if (!std::isfinite(x)) throw Error(file + ": a pixel is missing or not finite");
    bytes = bytes && x >= 0 && x <= 255 && x == std::floor(x);
  }
  shape.height = size(0);
  shape.columns = size(1);
  shape.channels = size(2);
  if (bytes) {
    samples.features = by_channel<std::uint8_t>(from, shape.width, shape.channels);
    samples.scale = 1 / spec.range;
  } else if (floats) {
    samples.features = by_channel<float>(from, shape.width, shape.channels);
  } else {
    samples.features = by_channel<double>(from, shape.width, shape.channels);
  }
}

}  // namespace coterie
