#include "data/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "coterie/error.h"

namespace coterie {
namespace {

using Pixels = std::vector<std::uint8_t>;

// A feature is scale * pixel + offset.
struct Scaling {
  double scale = 1.0 / 255;
  double offset = 0;
};

// Mean 0 and deviation 1 over all pixels of the training images.
Scaling standard_scaling(const Pixels& pixels) {
  std::uint64_t sum = 0, squares = 0;
  for (std::uint64_t p : pixels) {
    sum += p;
    squares += p * p;
  }
  const double count = static_cast<double>(pixels.size());
  const double mean = static_cast<double>(sum) / count;
  const double deviation = std::sqrt(std::max(0.0, static_cast<double>(squares) / count - mean * mean));
  if (deviation == 0) return {1.0 / 255, -mean / 255};
  return {1 / deviation, -mean / deviation};
}

// The rows of these classes, with their new numbers.
std::vector<std::uint32_t> keep_classes(Samples& samples, const std::vector<std::int64_t>& classes) {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto found = std::find(classes.begin(), classes.end(), static_cast<std::int64_t>(samples.label(i)));
    if (found == classes.end()) continue;
    samples.targets[i] = static_cast<double>(found - classes.begin());
    kept.push_back(static_cast<std::uint32_t>(i));
  }
  samples = samples.rows(kept);
  samples.shape.classes = classes.size();
  return kept;
}

// The owners of these rows; those who have no row left go.
void keep_owners(Pool& pool, const std::vector<std::uint32_t>& rows) {
  if (pool.owners.empty()) return;
  std::vector<std::uint32_t> owners;
  for (std::uint32_t row : rows) owners.push_back(pool.owners[row]);
  const std::set<std::uint32_t> left(owners.begin(), owners.end());
  std::vector<std::uint32_t> place(pool.owner_names.size());
  std::vector<std::string> names;
  std::vector<std::uint32_t> truth;
  for (std::uint32_t owner : left) {
    place[owner] = static_cast<std::uint32_t>(names.size());
    names.push_back(pool.owner_names[owner]);
    if (!pool.owner_truth.empty()) truth.push_back(pool.owner_truth[owner]);
  }
  for (std::uint32_t& owner : owners) owner = place[owner];
  pool.owners = std::move(owners);
  pool.owner_names = std::move(names);
  pool.owner_truth = std::move(truth);
}

// The first training rows, without a copy of them.
void keep_first(Pool& pool, std::size_t rows) {
  if (rows >= pool.train.size()) return;
  pool.train.targets.resize(rows);
  std::visit(
      [&](auto& pixels) {
        pixels.resize(rows * pool.train.shape.width);
        pixels.shrink_to_fit();
      },
      pool.train.features);
  std::vector<std::uint32_t> first(rows);
  std::iota(first.begin(), first.end(), 0u);
  keep_owners(pool, first);
}

}  // namespace

void keep_training_rows(Pool& pool, const std::vector<std::uint32_t>& rows) {
  pool.train = pool.train.rows(rows);
  keep_owners(pool, rows);
}

void ImageOptions::options(Options& o) {
  o.choice("normalise", normalise, {"unit", "standard"},
           "bytes to 0 .. 1, or to mean 0 and deviation 1 over the training images; other numbers are left "
           "as they are");
  o("classes", &classes,
    "use images of these classes only, which become classes 0, 1, ... in this order; empty: all",
    at_least(0));
  o("limit", &limit, "use only so many training images, the first ones; 0 for all", at_least(0));
  o("centre", &centre, "take the mean of all training images off every image, before any shift");
  o.require(std::set(classes.begin(), classes.end()).size() == classes.size(), "classes",
            "names a class twice");
  o.require(classes.size() != 1, "classes", "must name at least two classes");
}

void ImageOptions::apply(Pool& pool, const std::string& where) const {
  if (!classes.empty()) {
    const std::size_t all = pool.train.shape.classes;
    for (std::int64_t one : classes) {
      if (static_cast<std::size_t>(one) >= all) {
        throw Error(
            fmt::format("{}: data.classes names class {}; classes go from 0 to {}", where, one, all - 1));
      }
    }
    keep_owners(pool, keep_classes(pool.train, classes));
    keep_classes(pool.test, classes);
    if (pool.train.size() == 0) throw Error(where + ": has no training image of the classes in data.classes");
  }
  Scaling scaling;
  const auto* pixels = std::get_if<Pixels>(&pool.train.features);
  if (pixels == nullptr) {
    if (normalise == "standard") throw Error(where + ": normalise = \"standard\" is for images of bytes");
    scaling = {1, 0};
  } else if (normalise == "standard") {
    scaling = standard_scaling(*pixels);
  }
  for (Samples* part : {&pool.train, &pool.test}) {
    part->scale = scaling.scale;
    part->offset = scaling.offset;
  }
  if (limit > 0) keep_first(pool, static_cast<std::size_t>(limit));
}

void ImageOptions::take_off_mean(Pool& pool) const {
  if (!centre || pool.train.size() == 0) return;
  for (Samples* part : {&pool.train, &pool.test}) {
    part->make_float();
    part->narrow();
  }
  const std::size_t width = pool.train.shape.width;
  std::vector<double> mean(width, 0.0);
  auto& train = std::get<std::vector<float>>(pool.train.features);
  for (std::size_t i = 0; i < train.size(); ++i) mean[i % width] += static_cast<double>(train[i]);
  for (double& value : mean) value /= static_cast<double>(pool.train.size());
  for (Samples* part : {&pool.train, &pool.test}) {
    auto& pixels = std::get<std::vector<float>>(part->features);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<float>(static_cast<double>(pixels[i]) - mean[i % width]);
    }
  }
}

}  // namespace coterie
