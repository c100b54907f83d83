// Worse cameras: each client sees its images through one corruption at one severity, as in HCFL's feature
// shift. The corruptions and their severities are those of CIFAR-10-C (Hendrycks and Dietterich, 2019), with
// pixels from 0 (black) to 1 (white):
//
//   severity        1     2     3     4     5
//   noise         .04   .06   .08   .09   .10    deviation of normal noise on every value
//   blur          .4    .6    .7    .8   1       deviation of a Gaussian mean, in pixels
//   contrast      .75   .5    .4    .3    .15    factor on the distance from the mean of the plane
//   brightness    .05   .1    .15   .2    .3     added to every value
//   elastic      0     .05   .08   .1    .1      largest displacement before smoothing
//                0     .2    .06   .04   .03     its smoothing
//                .08   .07   .06   .05   .03     shift of three points that carry the image with them
//                                                (all three as shares of the shorter side)
//   rotation     10    20    30    40    50      degrees counter-clockwise; not in CIFAR-10-C
//
// Choose it for clients whose inputs differ while labels mean the same. By default it makes no true clusters:
// a method should see through it. Results are cut to 0 .. 1 and are floats. `shared_tests = false` leaves
// shared test sets clean, as in HCFL.
//
// Differs from CIFAR-10-C: elastic interpolates once, over edges that go on, and brightness adds to each
// channel of a colour image rather than to its largest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "coterie/shift.h"
#include "data/planes.h"

namespace coterie {
namespace {

using Levels = std::array<double, 5>;  // by severity
constexpr Levels kNoise = {0.04, 0.06, 0.08, 0.09, 0.10};
constexpr Levels kBlur = {0.4, 0.6, 0.7, 0.8, 1.0};
constexpr Levels kContrast = {0.75, 0.5, 0.4, 0.3, 0.15};
constexpr Levels kBrightness = {0.05, 0.1, 0.15, 0.2, 0.3};
constexpr Levels kElasticReach = {0, 0.05, 0.08, 0.1, 0.1};
constexpr Levels kElasticSmoothing = {0, 0.2, 0.06, 0.04, 0.03};
constexpr Levels kElasticCarry = {0.08, 0.07, 0.06, 0.05, 0.03};
constexpr Levels kRotation = {10, 20, 30, 40, 50};

using Plane = std::span<double>;

void fade(Plane plane, double factor) {
  double sum = 0;
  for (double value : plane) sum += value;
  const double mean = sum / static_cast<double>(plane.size());
  for (double& value : plane) value = (value - mean) * factor + mean;
}

// Displacements of one coordinate, at every pixel: smoothed uniform noise, plus the plane through what
// three points at a third of the side from the centre are moved by.
std::vector<double> displacements(const PlaneSize& size, std::size_t severity, Stream& stream) {
  const double side = static_cast<double>(std::min(size.height, size.columns));
  std::vector<double> moved(size.pixels());
  const double reach = kElasticReach[severity] * side;
  for (double& value : moved) value = stream.uniform(-reach, reach);
  smooth(moved, size, kElasticSmoothing[severity] * side);

  const double carry = kElasticCarry[severity] * side, third = side / 3;
  const double lower_right = stream.uniform(-carry, carry);
  const double lower_left = stream.uniform(-carry, carry);
  const double upper_left = stream.uniform(-carry, carry);
  const double middle_row = (static_cast<double>(size.height) - 1) / 2;
  const double middle_column = (static_cast<double>(size.columns) - 1) / 2;
  for (std::size_t p = 0; p < moved.size(); ++p) {
    const double up = (middle_row + third - static_cast<double>(p / size.columns)) / (2 * third);
    const double right = (static_cast<double>(p % size.columns) - middle_column + third) / (2 * third);
    moved[p] += lower_left + right * (lower_right - lower_left) + up * (upper_left - lower_left);
  }
  return moved;
}

std::vector<Taps> elastic_taps(const PlaneSize& size, std::size_t severity, Stream& stream) {
  const std::vector<double> down = displacements(size, severity, stream);
  const std::vector<double> right = displacements(size, severity, stream);
  std::vector<Taps> taps;
  for (std::size_t p = 0; p < size.pixels(); ++p) {
    const double row = static_cast<double>(p / size.columns) + down[p];
    const double column = static_cast<double>(p % size.columns) + right[p];
    taps.push_back(taps_at(std::clamp(row, 0.0, static_cast<double>(size.height) - 1),
                           std::clamp(column, 0.0, static_cast<double>(size.columns) - 1), size));
  }
  return taps;
}

// What pixels 0 and 1 are stored as.
struct Tones {
  double black = 0;
  double white = 1;
};

class Corrupt : public Shift {
 public:
  void options(Options& o) override {
    o("types", &types_,
      "what happens to images: none, noise, blur, contrast, brightness, elastic, rotation; one that is named "
      "twice has twice the clients");
    o("severities", &severities_, "how badly: a group of clients for each type at each of these",
      between(1, 5));
    o.require(!types_.empty(), "types", "needs at least one type");
    o.require(!severities_.empty(), "severities", "needs at least one severity");
    for (const std::string& type : types_) {
      o.require(std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end(), "types",
                fmt::format("\"{}\" is none of {}", type, fmt::join(kTypes, ", ")));
    }
  }

  void check_shape(const Shape& shape) const override {
    if (shape.is_image()) return;
    throw Error(fmt::format(
        "shift \"corrupt\" works on images, but the samples are rows of {} features; use a source of images "
        "or leave the shift out",
        shape.width));
  }

  std::size_t variants() const override { return types_.size() * severities_.size(); }
  std::string variant_name(std::size_t variant) const override {
    return type(variant) == "none" ? "not corrupted" : fmt::format("{} {}", type(variant), severity(variant));
  }
  std::size_t canonical(std::size_t variant, const Shape&) const override {
    std::size_t first = 0;
    while (variant_name(first) != variant_name(variant)) ++first;
    return first;
  }
  bool is_truth_by_default() const override { return false; }

  void apply(std::size_t variant, Samples& samples, Stream& stream) const override {
    if (type(variant) == "none") return;
    const Tones tones = tones_of(samples);
    samples.make_float();
    std::visit(
        [&](auto& stored) {
          const std::size_t width = samples.shape.width;
          for (std::size_t start = 0; start < stored.size(); start += width) {
            corrupt_image(variant, samples.shape, tones, std::span(stored).subspan(start, width), stream);
          }
        },
        samples.features);
  }

 private:
  static constexpr std::array<const char*, 7> kTypes = {"none",       "noise",   "blur",    "contrast",
                                                        "brightness", "elastic", "rotation"};

  const std::string& type(std::size_t variant) const { return types_[variant / severities_.size()]; }
  std::int64_t severity(std::size_t variant) const { return severities_[variant % severities_.size()]; }

  // Bytes say what they mean: those scaled to 0 .. 1 end at 1, others at 255. Numbers do not, and must run
  // from 0 to 1.
  static Tones tones_of(const Samples& samples) {
    if (std::holds_alternative<std::vector<std::uint8_t>>(samples.features)) {
      return {samples.offset, samples.offset == 0 ? 1 : 255 * samples.scale + samples.offset};
    }
    std::visit(
        [](const auto& stored) {
          for (double value : stored) {
            if (value >= -1e-3 && value <= 1 + 1e-3) continue;
            throw Error(
                fmt::format("shift \"corrupt\" needs pixels from 0 to 1, but one is {:g}; put the shift "
                            "before those that "
                            "turn images by odd angles, or leave pixels unscaled (normalise = \"unit\")",
                            value));
          }
        },
        samples.features);
    return {};
  }

  template <class Stored>
  void corrupt_image(std::size_t variant, const Shape& shape, const Tones& tones, std::span<Stored> stored,
                     Stream& stream) const {
    std::vector<double> image;
    image.reserve(stored.size());
    for (Stored value : stored) image.push_back((value - tones.black) / (tones.white - tones.black));
    corrupt(variant, {shape.height, shape.columns}, image, stream);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      stored[i] =
          static_cast<Stored>(tones.black + std::clamp(image[i], 0.0, 1.0) * (tones.white - tones.black));
    }
  }

  // All planes of an image.
  void corrupt(std::size_t variant, const PlaneSize& size, Plane image, Stream& stream) const {
    const std::string& what = type(variant);
    const auto level = static_cast<std::size_t>(severity(variant) - 1);
    std::vector<Taps> taps;
    if (what == "elastic") taps = elastic_taps(size, level, stream);
    if (what == "rotation") taps = turned_taps(kRotation[level], size);
    for (std::size_t start = 0; start < image.size(); start += size.pixels()) {
      const Plane plane = image.subspan(start, size.pixels());
      if (!taps.empty()) resample(taps, 0, plane);
      if (what == "blur") smooth(plane, size, kBlur[level]);
      if (what == "contrast") fade(plane, kContrast[level]);
      for (double& value : plane) {
        if (what == "noise") value += kNoise[level] * stream.normal();
        if (what == "brightness") value += kBrightness[level];
      }
    }
  }

  std::vector<std::string> types_ = {"none", "noise", "blur", "contrast", "brightness", "elastic"};
  std::vector<std::int64_t> severities_ = {1, 2, 3, 4, 5};
};

const Registration<Shift> kCorrupt{"corrupt",
                                   "corrupt images: noise, blur, contrast, brightness, elastic, rotation",
                                   [] { return std::make_unique<Corrupt>(); }};

}  // namespace
}  // namespace coterie
