// Samples: rows of features in their smallest storage, read out as numbers.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "coterie/data.h"
#include "coterie/error.h"

namespace coterie {
namespace {

template <class Real>
void copy_features(const Samples& samples, std::size_t row, std::span<Real> out) {
  const std::size_t width = samples.shape.width;
  check(row < samples.size() && out.size() == width, "copy_row: the row or the width does not fit");
  std::visit(
      [&](const auto& stored) {
        using Stored = typename std::decay_t<decltype(stored)>::value_type;
        const Stored* from = stored.data() + row * width;
        if constexpr (std::is_same_v<Stored, std::uint8_t>) {
          // In double, then rounded: the float is the nearest to the double whoever asks.
          for (std::size_t j = 0; j < width; ++j) {
            out[j] = static_cast<Real>(samples.scale * from[j] + samples.offset);
          }
        } else {
          for (std::size_t j = 0; j < width; ++j) out[j] = static_cast<Real>(from[j]);
        }
      },
      samples.features);
}

}  // namespace

void Samples::copy_row(std::size_t i, std::span<float> out) const { copy_features(*this, i, out); }
void Samples::copy_row(std::size_t i, std::span<double> out) const { copy_features(*this, i, out); }

Samples Samples::rows(std::span<const std::uint32_t> which) const {
  Samples chosen = empty_like();
  chosen.targets.reserve(which.size());
  for (std::uint32_t i : which) {
    check(i < size(), "rows: no such row");
    chosen.targets.push_back(targets[i]);
    if (!weights.empty()) chosen.weights.push_back(weights[i]);
    if (!kin.empty()) chosen.kin.push_back(kin[i]);
    if (!places.empty()) chosen.places.push_back(places[i]);
  }
  const std::size_t width = shape.width;
  std::visit(
      [&](const auto& from) {
        auto& to = std::get<std::decay_t<decltype(from)>>(chosen.features);
        to.resize(which.size() * width);
        auto* next = to.data();
        for (std::uint32_t i : which) next = std::copy_n(from.data() + i * width, width, next);
      },
      features);
  return chosen;
}

void Samples::append(const Samples& more) {
  check(more.shape == shape && more.features.index() == features.index(),
        "append: the samples have another shape or storage");
  check(more.scale == scale && more.offset == offset, "append: the samples have another scaling");
  check(&more != this, "append: samples cannot be appended to themselves");
  std::visit(
      [&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(more.features);
        to.insert(to.end(), from.begin(), from.end());
      },
      features);
  if (!weights.empty() || !more.weights.empty()) {
    weights.resize(targets.size(), 1.0);
    weights.insert(weights.end(), more.weights.begin(), more.weights.end());
    weights.resize(targets.size() + more.targets.size(), 1.0);
  }
  // Without kins on one side, nobody knows which rows belong together.
  if (kin.size() == targets.size() && more.kin.size() == more.targets.size()) {
    kin.insert(kin.end(), more.kin.begin(), more.kin.end());
  } else {
    kin.clear();
  }
  if (places.size() == targets.size() && more.places.size() == more.targets.size()) {
    places.insert(places.end(), more.places.begin(), more.places.end());
  } else {
    places.clear();
  }
  targets.insert(targets.end(), more.targets.begin(), more.targets.end());
}

Samples Samples::empty_like() const {
  Samples none;
  none.shape = shape;
  none.scale = scale;
  none.offset = offset;
  std::visit([&](const auto& like) { none.features = std::decay_t<decltype(like)>(); }, features);
  return none;
}

void Samples::make_float() {
  const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&features);
  if (bytes == nullptr) return;
  std::vector<float> numbers(bytes->size());
  std::transform(bytes->begin(), bytes->end(), numbers.begin(),
                 [&](std::uint8_t byte) { return static_cast<float>(scale * byte + offset); });
  features = std::move(numbers);
  scale = 1;
  offset = 0;
}

void Samples::narrow() {
  if (const auto* wide = std::get_if<std::vector<double>>(&features)) {
    features = std::vector<float>(wide->begin(), wide->end());
  }
}

}  // namespace coterie
