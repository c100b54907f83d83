// Augmentation: what a model sees of an image. In training images are flipped and cut at random, from the
// client's own stream; where models are judged, compared or chosen they are cut in the middle. Either way
// they may be normalised.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coterie/model.h"
#include "coterie/options.h"

namespace coterie {

// [augment]
struct AugmentOptions {
  bool flip = false;
  std::int64_t crop = 0;
  std::int64_t pad = 0;
  std::string crop_by = "image";   // or "batch"
  std::string normalise = "none";  // or "image", "channels"
  std::vector<double> mean;
  std::vector<double> deviation;

  void options(Options& o);
  // Whether anything is asked for.
  bool any() const { return flip || crop > 0 || pad > 0 || normalise != "none"; }
  // The shape of what a model sees; throws Error when images are not such that this can be.
  Shape seen(const Shape& shape) const;
};

// Rows as a model sees them. With a stream, as in training; without, as they are judged.
template <class Real>
class AugmentedRows {
 public:
  AugmentedRows(const AugmentOptions& options, const Shape& shape, const Batch<Real>& rows, Stream* stream);
  const Batch<Real>& batch() const { return batch_; }

 private:
  std::vector<Real> values_;
  Batch<Real> batch_;
};

}  // namespace coterie
