#include "data/augment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coterie/error.h"

namespace coterie {
namespace {

// The place of a window in the padded image, and whether it is seen in a mirror.
struct View {
  std::size_t top = 0;
  std::size_t left = 0;
  bool mirrored = false;
};

struct Sizes {
  Sizes(const AugmentOptions& options, const Shape& whole, const Shape& seen)
      : height(whole.height),
        columns(whole.columns),
        out_height(seen.height),
        out_columns(seen.columns),
        pad(static_cast<std::size_t>(options.pad)) {}
  std::size_t height, columns, out_height, out_columns, pad;
  std::size_t tops() const { return height + 2 * pad - out_height + 1; }
  std::size_t lefts() const { return columns + 2 * pad - out_columns + 1; }
};

// Of each row: at random places with a stream, in the middle without.
std::vector<View> choose_views(const AugmentOptions& options, const Sizes& sizes, std::size_t rows,
                               Stream* stream) {
  View view{sizes.pad + (sizes.height - sizes.out_height) / 2,
            sizes.pad + (sizes.columns - sizes.out_columns) / 2, false};
  const bool moves = stream != nullptr && (options.crop > 0 || options.pad > 0);
  std::vector<View> views;
  for (std::size_t i = 0; i < rows; ++i) {
    if (moves && (i == 0 || options.crop_by == "image")) {
      view.top = stream->below(sizes.tops());
      view.left = stream->below(sizes.lefts());
    }
    if (stream != nullptr && options.flip) view.mirrored = stream->bernoulli(0.5);
    views.push_back(view);
  }
  return views;
}

template <class Real>
void cut_out(const Real* from, std::size_t channels, const Sizes& sizes, const View& view, Real* to) {
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < sizes.out_height; ++i) {
      for (std::size_t j = 0; j < sizes.out_columns; ++j) {
        const std::size_t row = view.top + i;
        const std::size_t column = view.left + (view.mirrored ? sizes.out_columns - 1 - j : j);
        const bool inside = row >= sizes.pad && row < sizes.pad + sizes.height && column >= sizes.pad &&
                            column < sizes.pad + sizes.columns;
        *to++ = inside ? from[(c * sizes.height + row - sizes.pad) * sizes.columns + column - sizes.pad]
                       : Real(0);
      }
    }
  }
}

// Mean 0 and deviation 1 over all values of an image, but no deviation is taken to be less than 1 /
// sqrt(values), as in TensorFlow's per_image_standardization.
template <class Real>
void standardise_image(std::span<Real> image) {
  const auto count = static_cast<double>(image.size());
  double sum = 0, squares = 0;
  for (Real value : image) sum += static_cast<double>(value);
  const double mean = sum / count;
  for (Real value : image)
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  const double deviation = std::max(std::sqrt(squares / count), 1 / std::sqrt(count));
  for (Real& value : image) value = static_cast<Real>((static_cast<double>(value) - mean) / deviation);
}

}  // namespace

void AugmentOptions::options(Options& o) {
  o("flip", &flip, "mirror every second image at random, left to right, in training");
  o("crop", &crop,
    "side of a square window: at a random place in training, in the middle elsewhere; 0: the whole image",
    at_least(0));
  o("pad", &pad, "in training the window may reach so many pixels beyond the image, which are 0 there",
    at_least(0));
  o.choice("crop_by", crop_by, {"image", "batch"},
           "each image has a window of its own; or all of a step have one, as the authors of IFCA do");
  o.choice("normalise", normalise, {"none", "image", "channels"},
           "image: each to mean 0 and deviation 1; channels: by mean and deviation, below");
  o("mean", &mean, "normalise = \"channels\": what is taken off each channel");
  o("deviation", &deviation, "normalise = \"channels\": what each channel is then divided by", above(0));
  const bool channels = normalise == "channels";
  o.require(!channels || (!mean.empty() && mean.size() == deviation.size()), "mean",
            "normalise = \"channels\" needs mean and deviation, with one number each for every channel");
  o.require(channels || (mean.empty() && deviation.empty()), "mean",
            "mean and deviation are for normalise = \"channels\"");
}

Shape AugmentOptions::seen(const Shape& shape) const {
  if (!shape.is_image()) {
    throw Error(
        fmt::format("[augment] works on images, but the samples are rows of {} features; use a source of "
                    "images or leave the section "
                    "out",
                    shape.width));
  }
  if (!mean.empty() && mean.size() != shape.channels) {
    throw Error(fmt::format("augment.mean and augment.deviation have {} numbers, but images have {} channels",
                            mean.size(), shape.channels));
  }
  Shape seen = shape;
  if (crop > 0) {
    const auto side = static_cast<std::size_t>(crop);
    if (side > std::min(shape.height, shape.columns)) {
      throw Error(fmt::format("augment.crop = {}: images are {} x {}; a window must fit into them", crop,
                              shape.height, shape.columns));
    }
    seen.height = seen.columns = side;
    seen.width = side * side * shape.channels;
  }
  return seen;
}

template <class Real>
AugmentedRows<Real>::AugmentedRows(const AugmentOptions& options, const Shape& shape, const Batch<Real>& rows,
                                   Stream* stream)
    : batch_(rows) {
  const Shape seen = options.seen(shape);
  const std::vector<View> views = choose_views(options, Sizes(options, shape, seen), rows.rows, stream);
  values_.resize(rows.rows * seen.width);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::span<Real> image = std::span(values_).subspan(i * seen.width, seen.width);
    cut_out(&rows.x[i * rows.width], shape.channels, Sizes(options, shape, seen), views[i], image.data());
    if (options.normalise == "image") standardise_image(image);
    for (std::size_t j = 0; j < image.size() && options.normalise == "channels"; ++j) {
      const std::size_t channel = j / (seen.height * seen.columns);
      image[j] = static_cast<Real>((static_cast<double>(image[j]) - options.mean[channel]) /
                                   options.deviation[channel]);
    }
  }
  batch_.x = values_;
  batch_.width = seen.width;
  batch_.backgrounds = {};
}

template class AugmentedRows<float>;
template class AugmentedRows<double>;

}  // namespace coterie
