// Turns images: each group of clients sees them at its own angle (rotated MNIST and CIFAR of the IFCA paper).
//
// Choose it for groups whose inputs differ while the labels mean the same. Quarter turns move pixels about
// without changing them, so bytes stay bytes. Other angles interpolate between the four nearest pixels about
// the centre of the image, with background where the source lies outside, and make floats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "coterie/shift.h"

namespace coterie {
namespace {

// Where the value of one output pixel comes from: four pixels of the same plane, or background.
struct Taps {
  static constexpr std::uint32_t kOutside = ~0u;
  std::uint32_t pixel[4];
  double weight[4];
};

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

std::vector<Taps> bilinear_taps(double angle, std::size_t height, std::size_t columns) {
  const double radians = angle * std::numbers::pi / 180.0;
  const double cosine = std::cos(radians), sine = std::sin(radians);
  const double middle_row = (static_cast<double>(height) - 1) / 2;
  const double middle_column = (static_cast<double>(columns) - 1) / 2;
  std::vector<Taps> taps;
  taps.reserve(height * columns);
  for (std::size_t i = 0; i < height; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      // Right and up from the centre, turned back by the angle.
      const double x = static_cast<double>(j) - middle_column, y = middle_row - static_cast<double>(i);
      const double column = middle_column + cosine * x + sine * y;
      const double row = middle_row + sine * x - cosine * y;
      const double left = std::floor(column), top = std::floor(row);
      Taps tap;
      for (int corner = 0; corner < 4; ++corner) {
        const double r = top + corner / 2, c = left + corner % 2;
        tap.weight[corner] = (1 - std::abs(row - r)) * (1 - std::abs(column - c));
        const bool inside =
            r >= 0 && c >= 0 && r < static_cast<double>(height) && c < static_cast<double>(columns);
        tap.pixel[corner] = inside ? static_cast<std::uint32_t>(r) * static_cast<std::uint32_t>(columns) +
                                         static_cast<std::uint32_t>(c)
                                   : Taps::kOutside;
      }
      taps.push_back(tap);
    }
  }
  return taps;
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
    const std::vector<Taps> taps = bilinear_taps(angle, samples.shape.height, samples.shape.columns);
    if (auto* floats = std::get_if<std::vector<float>>(&samples.features))
      interpolate(taps, background, *floats);
    if (auto* doubles = std::get_if<std::vector<double>>(&samples.features))
      interpolate(taps, background, *doubles);
  }

  template <class Real>
  static void interpolate(const std::vector<Taps>& taps, double background, std::vector<Real>& pixels) {
    std::vector<Real> plane(taps.size());
    for (std::size_t start = 0; start < pixels.size(); start += taps.size()) {
      for (std::size_t p = 0; p < taps.size(); ++p) {
        double value = 0;
        for (int corner = 0; corner < 4; ++corner) {
          const std::uint32_t from = taps[p].pixel[corner];
          value += taps[p].weight[corner] * (from == Taps::kOutside ? background : pixels[start + from]);
        }
        plane[p] = static_cast<Real>(value);
      }
      std::copy(plane.begin(), plane.end(), pixels.begin() + static_cast<std::ptrdiff_t>(start));
    }
  }

  std::vector<double> angles_ = {0, 90, 180, 270};
};

const Registration<Shift> kRotate{"rotate", "turn images, each group of clients by its own angle",
                                  [] { return std::make_unique<Rotate>(); }};

}  // namespace
}  // namespace coterie
