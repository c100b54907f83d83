// Samples as bytes, so that a test can give a process its data.
#pragma once

#include "coterie/data.h"

namespace coterie {

struct PackedSamples {
  Samples samples;

  void fields(Archive& a) {
    a(samples.shape.task, samples.shape.width, samples.shape.classes, samples.shape.height,
      samples.shape.columns, samples.shape.channels, samples.scale, samples.offset, samples.targets,
      samples.weights);
    std::uint8_t kind = static_cast<std::uint8_t>(samples.features.index());
    a(kind);
    if (a.reading() && kind == 1) samples.features = std::vector<float>();
    if (a.reading() && kind == 2) samples.features = std::vector<double>();
    std::visit([&](auto& values) { a(values); }, samples.features);
  }
};

}  // namespace coterie
