// Turns images: each group of clients sees them at its own angle (rotated MNIST and CIFAR of the IFCA paper).
//
// Choose it for groups whose inputs differ while the labels mean the same. Quarter turns move pixels about
// without changing them, so bytes stay bytes. Other angles interpolate between the four nearest pixels about
// the centre of the image, with background where the source lies outside, and make floats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/shift.h"
#include "data/planes.h"

namespace coterie {
namespace {

double normalised(double angle) {
  double turned = std::fmod(angle, 360.0);
  if (turned < 0) turned += 360.0;
  return turned == 360.0 ? 0.0 : turned;
}

bool is_quarter(double angle) { return std::fmod(angle, 90.0) == 0; }

// The source of every pixel under so many quarter turns counter-clockwise (numpy's rot90).
std::vector<std::uint32_t> quarter_sources(int turns, std::size_t height, std::size_t columns) {
  std::vector<std::uint32_t> source;
  source.reserve(height * columns);
  for (std::size_t i = 0; i < height; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      std::size_t row = i, column = j;
      if (turns == 1) row = j, column = columns - 1 - i;
      if (turns == 2) row = height - 1 - i, column = columns - 1 - j;
      if (turns == 3) row = height - 1 - j, column = i;
      source.push_back(static_cast<std::uint32_t>(row * columns + column));
    }
  }
  return source;
}

class Rotate : public Shift {
 public:
  void options(Options& o) override {
    o("angles", &angles_, "degrees counter-clockwise, one group of clients for each",
      {"must be finite", [](double angle) { return std::isfinite(angle); }});
    o.require(!angles_.empty(), "angles", "needs at least one angle");
  }

  void check_shape(const Shape& shape) const override {
    if (!shape.is_image()) {
      throw Error("shift \"rotate\" turns images, but the samples are rows of " +
                  std::to_string(shape.width) + " features; use a source of images or leave the shift out");
    }
    for (double angle : angles_) {
      if (shape.height == shape.columns || !is_quarter(angle) || is_half(angle)) continue;
      throw Error(
          fmt::format("shift \"rotate\": a turn by {:g} degrees does not fit images of {} x {} pixels; only "
                      "square images allow 90 and 270 (0, 180 and angles between quarter turns are fine)",
                      angle, shape.height, shape.columns));
    }
  }

  std::size_t variants() const override { return angles_.size(); }
  std::string variant_name(std::size_t variant) const override {
    return fmt::format("rotate {:g}", normalised(angles_[variant]));
  }
  std::size_t canonical(std::size_t variant, const Shape&) const override {
    std::size_t first = 0;
    while (normalised(angles_[first]) != normalised(angles_[variant])) ++first;
    return first;
  }

  void apply(std::size_t variant, Samples& samples, Stream&) const override {
    const double angle = normalised(angles_[variant]);
    if (angle == 0) return;
    if (is_quarter(angle)) {
      turn_quarters(static_cast<int>(angle / 90), samples);
    } else {
      turn_between(angle, samples);
    }
  }

 private:
  static bool is_half(double angle) { return std::fmod(angle, 180.0) == 0; }

  static void turn_quarters(int turns, Samples& samples) {
    const Shape& shape = samples.shape;
    const std::vector<std::uint32_t> source = quarter_sources(turns, shape.height, shape.columns);
    std::visit(
        [&](auto& pixels) {
          auto plane = pixels;
          plane.resize(source.size());
          for (std::size_t start = 0; start < pixels.size(); start += source.size()) {
            for (std::size_t p = 0; p < source.size(); ++p) plane[p] = pixels[start + source[p]];
            std::copy(plane.begin(), plane.end(), pixels.begin() + static_cast<std::ptrdiff_t>(start));
          }
        },
        samples.features);
  }

  static void turn_between(double angle, Samples& samples) {
    // What a stored 0 stands for, in the units stored once bytes have become floats.
    const double background_feature = samples.offset;
    samples.make_float();
    const double background = (background_feature - samples.offset) / samples.scale;
    const std::vector<Taps> taps = turned_taps(angle, {samples.shape.height, samples.shape.columns});
    std::visit(
        [&](auto& pixels) {
          for (std::size_t start = 0; start < pixels.size(); start += taps.size())
            resample(taps, background, std::span(pixels).subspan(start, taps.size()));
        },
        samples.features);
  }

  std::vector<double> angles_ = {0, 90, 180, 270};
};

const Registration<Shift> kRotate{"rotate", "turn images, each group of clients by its own angle",
                                  [] { return std::make_unique<Rotate>(); }};

}  // namespace
}  // namespace coterie
