#include "data/formats/idx_images.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "coterie/error.h"
#include "data/formats/idx.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTypes[] = {"ubyte", "byte", "short", "int", "float", "double"};

// Where such an ending begins in a name: "train-images-idx3-float" and "images-idx3-" give 6.
std::optional<std::size_t> ending(const std::string& name, const std::string& kind) {
  for (const char* type : kTypes) {
    if (name.ends_with(kind + type)) return name.size() - kind.size() - std::string(type).size();
  }
  return std::nullopt;
}

// The path with ".gz" or without, whichever is there.
std::optional<fs::path> plain_or_gzipped(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  if (fs::path gzipped = path.string() + ".gz"; fs::exists(gzipped, ignored)) return gzipped;
  return std::nullopt;
}

// Bytes stay bytes; other numbers become floats, or doubles where a run computes in those.
void take_pixels(IdxArray images, const std::string& file, bool floats, Samples& samples) {
  if (images.type == IdxType::byte) {
    samples.features = std::move(images.bytes);
    return;
  }
  std::vector<double> numbers(images.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = images.number(i);
    if (!std::isfinite(numbers[i]) ||
        std::abs(numbers[i]) > static_cast<double>(std::numeric_limits<float>::max()))
      throw Error(file + ": has pixels that are not finite, or too large");
  }
  samples.features = std::move(numbers);
  if (floats) samples.narrow();
}

Samples read_images(const ImageFiles& files, bool floats) {
  const IdxArray labels = read_idx(files.labels, 1);
  IdxArray images = read_idx(files.images, 3);
  if (labels.sizes[0] != images.sizes[0]) {
    throw Error(files.images.string() + ": has " + std::to_string(images.sizes[0]) + " images, but " +
                files.labels.string() + " has " + std::to_string(labels.sizes[0]) + " labels");
  }
  Samples samples;
  samples.shape = {.task = Task::classification,
                   .width = images.sizes[1] * images.sizes[2],
                   .height = images.sizes[1],
                   .columns = images.sizes[2],
                   .channels = 1};
  constexpr double kMostClasses = 1e6;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double label = labels.number(i);
    if (!(label >= 0 && label < kMostClasses && label == std::floor(label)))
      throw Error(files.labels.string() + ": label " + std::to_string(i + 1) +
                  " is no class: a number from 0 on");
    samples.targets.push_back(label);
    samples.shape.classes = std::max(samples.shape.classes, static_cast<std::size_t>(label) + 1);
  }
  take_pixels(std::move(images), files.images.string(), floats, samples);
  return samples;
}

}  // namespace

IdxFiles find_idx(const fs::path& folder, const std::string& how_to_get) {
  // Stems in front of "images-idx3-ubyte": "train-", "femnist-".
  std::map<std::string, ImageFiles> train, test;
  for (const char dash : {'-', '.'}) {
    const std::string images = std::string("images") + dash + "idx3-";
    const std::string labels = std::string("labels") + dash + "idx1-";
    std::error_code why;
    fs::directory_iterator entries(folder, why);
    if (why) throw Error(folder.string() + ": cannot be read: " + why.message());
    for (const auto& entry : entries) {
      std::string name = entry.path().filename().string();
      if (name.ends_with(".gz")) name.resize(name.size() - 3);
      const auto stem_size = ending(name, images);
      if (!stem_size) continue;
      const std::string stem = name.substr(0, *stem_size);
      std::optional<fs::path> labels_path;
      for (const char* type : kTypes) {
        if (!labels_path) labels_path = plain_or_gzipped(folder / (stem + labels + type));
      }
      if (!labels_path) {
        throw Error((folder / (stem + labels)).string() + "ubyte[.gz]: is missing, the labels of " + name);
      }
      const bool is_test = stem.ends_with("t10k-") || stem.ends_with("test-");
      (is_test ? test : train)[stem] = {*plain_or_gzipped(folder / name), *labels_path};
    }
  }
  if (train.empty()) {
    throw Error((folder / "train-images-idx3-ubyte").string() + "[.gz]: is missing; " + how_to_get);
  }
  if (train.size() > 1 || test.size() > 1) {
    const auto& several = train.size() > 1 ? train : test;
    throw Error(folder.string() + ": holds images of more than one data set, \"" + several.begin()->first +
                "\" and \"" + several.rbegin()->first + "\"; give each a folder of its own");
  }
  IdxFiles files{train.begin()->second, std::nullopt};
  if (!test.empty()) files.test = test.begin()->second;
  return files;
}

Pool read_idx_images(const IdxFiles& files, bool floats) {
  Pool pool;
  pool.train = read_images(files.train, floats);
  if (!files.test) {
    pool.test = pool.train.empty_like();
    return pool;
  }
  pool.test = read_images(*files.test, floats);
  Shape same = pool.test.shape;
  same.classes = pool.train.shape.classes = std::max(same.classes, pool.train.shape.classes);
  if (same != pool.train.shape || pool.test.features.index() != pool.train.features.index())
    throw Error(files.test->images.string() + ": has images of another size or type");
  pool.test.shape = same;
  return pool;
}

}  // namespace coterie
