// The corruptions of CIFAR-10-C (Hendrycks and Dietterich, "Benchmarking neural network robustness to common
// corruptions and perturbations", 2019): 15, the four extra ones, and "original", by their published names,
// each at severities 1 to 5 with the published parameters of the CIFAR version (docs/shifts.md lists them).
//
// Choose it for clients whose inputs differ while labels mean the same, as in the experiments of FedRC and
// HCFL. A client has one corruption at one severity; of the images, each has a draw of its own. By default it
// makes no true clusters. `shared_tests = false` leaves shared test sets clean, as in HCFL.
//
// Variants are numbered so that few clients still meet all corruptions and all severities: first each type
// once, with severities going round, then each type at its next severity, and so on.
//
// Values stay within black and white. Bytes stay bytes, as in the published files, but are rounded where
// those are cut off; digits of 17 greys become floats. Pixels are those of the image, so on larger images the
// same severity is milder. frost and spatter differ as said there (weather.cc). The shift "corrupt" has fewer
// types and makes floats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "coterie/shift.h"
#include "shifts/cifar-c/photo.h"

namespace coterie {
namespace {

struct Corruption {
  const char* name;
  void (*apply)(cifar_c::Photo& photo, std::size_t level, Stream& stream);
};
constexpr Corruption kCorruptions[] = {
    {"original", nullptr},
    {"gaussian_noise", cifar_c::gaussian_noise},
    {"shot_noise", cifar_c::shot_noise},
    {"impulse_noise", cifar_c::impulse_noise},
    {"defocus_blur", cifar_c::defocus_blur},
    {"glass_blur", cifar_c::glass_blur},
    {"motion_blur", cifar_c::motion_blur},
    {"zoom_blur", cifar_c::zoom_blur},
    {"snow", cifar_c::snow},
    {"frost", cifar_c::frost},
    {"fog", cifar_c::fog},
    {"brightness", cifar_c::brightness},
    {"contrast", cifar_c::contrast},
    {"elastic_transform", cifar_c::elastic_transform},
    {"pixelate", cifar_c::pixelate},
    {"jpeg_compression", cifar_c::jpeg_compression},
    {"speckle_noise", cifar_c::speckle_noise},
    {"gaussian_blur", cifar_c::gaussian_blur},
    {"spatter", cifar_c::spatter},
    {"saturate", cifar_c::saturate},
};

std::vector<std::string> all_types() {
  std::vector<std::string> names;
  for (const Corruption& one : kCorruptions) names.push_back(one.name);
  return names;
}

class CifarC : public Shift {
 public:
  void options(Options& o) override {
    o("types", &types_,
      "corruptions by their published names, and original; a type named twice has twice the clients");
    o("severities", &severities_, "how badly: a variant for each type at each of these", between(1, 5));
    o.require(!types_.empty(), "types", "needs at least one type");
    o.require(!severities_.empty(), "severities", "needs at least one severity");
    const std::vector<std::string> known = all_types();
    for (const std::string& type : types_) {
      o.require(std::find(known.begin(), known.end(), type) != known.end(), "types",
                fmt::format("\"{}\" is none of {}", type, fmt::join(known, ", ")));
    }
  }

  void check_shape(const Shape& shape) const override {
    if (shape.is_image()) return;
    throw Error(fmt::format(
        "shift \"cifar-c\" works on images, but the samples are rows of {} features; use a source of images "
        "or leave the shift out",
        shape.width));
  }

  std::size_t variants() const override { return types_.size() * severities_.size(); }
  std::string variant_name(std::size_t variant) const override {
    if (type(variant) == "original") return "original";
    return fmt::format("{} {}", type(variant), severity(variant));
  }
  std::size_t canonical(std::size_t variant, const Shape& shape) const override {
    // Grey images have no saturation.
    const auto effect = [&](std::size_t v) {
      return shape.channels == 1 && type(v) == "saturate" ? std::string("original") : variant_name(v);
    };
    std::size_t first = 0;
    while (effect(first) != effect(variant)) ++first;
    return first;
  }
  bool is_truth_by_default() const override { return false; }

  void apply(std::size_t variant, Samples& samples, Stream& stream) const override {
    const auto found = std::find_if(std::begin(kCorruptions), std::end(kCorruptions),
                                    [&](const Corruption& one) { return one.name == type(variant); });
    if (found->apply == nullptr) return;
    const auto level = static_cast<std::size_t>(severity(variant) - 1);
    const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&samples.features);
    const bool photographs =
        bytes != nullptr && (samples.offset != 0 || std::abs(samples.scale * 255 - 1) < 1e-6);
    if (photographs) return corrupt_all(*found, level, samples, 0, 255, stream);
    if (bytes == nullptr) check_tones(samples);
    samples.make_float();
    corrupt_all(*found, level, samples, 0, 1, stream);
  }

 private:
  const std::string& type(std::size_t variant) const { return types_[variant % types_.size()]; }
  std::int64_t severity(std::size_t variant) const {
    return severities_[(variant / types_.size() + variant % types_.size()) % severities_.size()];
  }

  static void check_tones(const Samples& samples) {
    std::visit(
        [](const auto& stored) {
          for (double value : stored) {
            if (value >= -1e-3 && value <= 1 + 1e-3) continue;
            throw Error(fmt::format(
                "shift \"cifar-c\" needs pixels from 0 to 1, but one is {:g}; put the shift before those "
                "that turn images by odd angles, or leave pixels unscaled (normalise = \"unit\")",
                value));
          }
        },
        samples.features);
  }

  static void corrupt_all(const Corruption& corruption, std::size_t level, Samples& samples, double black,
                          double white, Stream& stream) {
    const Shape& shape = samples.shape;
    cifar_c::Photo photo{{shape.height, shape.columns}, shape.channels, {}};
    std::visit(
        [&](auto& stored) {
          using Stored = typename std::decay_t<decltype(stored)>::value_type;
          for (std::size_t start = 0; start < stored.size(); start += shape.width) {
            const auto image = std::span(stored).subspan(start, shape.width);
            photo.values.clear();
            for (Stored value : image)
              photo.values.push_back(
                  std::clamp((static_cast<double>(value) - black) / (white - black), 0.0, 1.0));
            corruption.apply(photo, level, stream);
            for (std::size_t i = 0; i < image.size(); ++i) {
              const double value = black + std::clamp(photo.values[i], 0.0, 1.0) * (white - black);
              image[i] = static_cast<Stored>(std::is_integral_v<Stored> ? std::round(value) : value);
            }
          }
        },
        samples.features);
  }

  std::vector<std::string> types_ = all_types();
  std::vector<std::int64_t> severities_ = {1, 2, 3, 4, 5};
};

const Registration<Shift> kCifarC{"cifar-c",
                                  "the 19 corruptions of CIFAR-10-C at severities 1 to 5, and original",
                                  [] { return std::make_unique<CifarC>(); }};

}  // namespace
}  // namespace coterie
