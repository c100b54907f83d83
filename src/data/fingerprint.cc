#include "data/fingerprint.h"

#include <array>
#include <bit>
#include <cstring>

namespace coterie {
namespace {

constexpr std::uint64_t kFactor =
    0x9e3779b97f4a7c15;  // odd, with bits everywhere: 2^64 over the golden ratio

// Several lanes, since each waits for its last product.
std::uint64_t of_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t kLanes = 4, kWord = sizeof(std::uint64_t);
  std::array<std::uint64_t, kLanes> lanes = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + kLanes * kWord <= bytes.size(); at += kLanes * kWord) {
    std::array<std::uint64_t, kLanes> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = mix(lanes[l], words[l]);
  }
  std::uint64_t all = bytes.size();
  for (const std::uint64_t lane : lanes) all = mix(all, lane);
  for (; at < bytes.size(); ++at) all = mix(all, static_cast<std::uint64_t>(bytes[at]));
  return all;
}

}  // namespace

std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t number) {
  fingerprint = (fingerprint ^ number) * kFactor;
  return fingerprint ^ std::rotr(fingerprint, 29);
}

std::uint64_t fingerprint(std::string_view text) {
  return of_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t fingerprint(const Samples& samples) {
  const Shape& shape = samples.shape;
  std::uint64_t all = static_cast<std::uint64_t>(shape.task) + 1;
  for (const std::size_t size :
       {shape.width, shape.classes, shape.height, shape.columns, shape.channels, samples.features.index()}) {
    all = mix(all, size);
  }
  all = mix(all, std::bit_cast<std::uint64_t>(samples.scale));
  all = mix(all, std::bit_cast<std::uint64_t>(samples.offset));
  std::visit([&](const auto& values) { all = mix(all, of_bytes(std::as_bytes(std::span(values)))); },
             samples.features);
  all = mix(all, of_bytes(std::as_bytes(std::span(samples.targets))));
  if (!samples.weights.empty()) all = mix(all, of_bytes(std::as_bytes(std::span(samples.weights))));
  return samples.kin.empty() ? all : mix(all, of_bytes(std::as_bytes(std::span(samples.kin))));
}

}  // namespace coterie
