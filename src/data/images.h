// What sources of images do alike: scaling of pixels, and which images to use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coterie/options.h"
#include "coterie/source.h"

namespace coterie {

// The options, and what they do to a pool, whose features are bytes as a rule.
struct ImageOptions {
  std::string normalise = "unit";  // or "standard"
  std::vector<std::int64_t> classes;
  std::int64_t limit = 0;
  bool centre = false;

  void options(Options& o);
  // Leaves out images of other classes and gives class classes[i] the number i, in the training and in the
  // test part; scales pixels; then keeps the first `limit` training images. Owners who have no image left are
  // left out too. `where` is the place that an Error names when a class is not in the data.
  void apply(Pool& pool, const std::string& where) const;
  // Takes the mean of the training images off all images, where that is asked for; the features are then
  // floats.
  void take_off_mean(Pool& pool) const;
};

// Leaves out all other training rows, and owners who have none left.
void keep_training_rows(Pool& pool, const std::vector<std::uint32_t>& rows);

}  // namespace coterie
