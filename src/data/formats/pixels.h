// Rows of a table as images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coterie/options.h"
#include "coterie/source.h"

namespace coterie {

// [data] shape and range.
struct PixelSpec {
  std::vector<std::int64_t> shape;  // height, width, channels; empty: no images
  double range = 255;

  bool any() const { return !shape.empty(); }
  void options(Options& o);
};

// Makes images of rows whose features stand as numpy's (height, width, channels) does: row by row, with the
// channels of a pixel side by side. Whole numbers from 0 to 255 stay bytes and stand for x / range; other
// numbers are taken as they are. Throws Error when a number is missing, or there are not as many as the shape
// has.
void make_images(const PixelSpec& spec, const std::string& file, Samples& samples, bool floats);

}  // namespace coterie
