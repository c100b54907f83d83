// Images in IDX files: MNIST, Fashion-MNIST, KMNIST, EMNIST, FEMNIST.
//
// The folder holds <name>images-idx3-ubyte and <name>labels-idx1-ubyte, gzipped or not, or such files of
// another type of numbers (byte, short, int, float, double), which are taken as they are; where <name> ends
// in "t10k-" or "test-" they are the test part. Without a test part the federation holds out a share.
//
// `writers` gives each training image its natural owner: QMNIST's idx2-int labels for MNIST, or a csv file
// with the columns writer, start, count for images that are sorted by writer.
#include "data/formats/idx.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "coterie/error.h"
#include "coterie/source.h"
#include "data/files.h"
#include "data/formats/writers.h"
#include "data/images.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

const char* const kHowToGetIdx = "coterie data get mnist (or fashion-mnist) fetches it";

struct ImageFiles {
  fs::path images;
  fs::path labels;
};

struct IdxFiles {
  ImageFiles train;
  std::optional<ImageFiles> test;
};

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

IdxFiles find_idx(const fs::path& folder) {
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
    throw Error((folder / "train-images-idx3-ubyte").string() + "[.gz]: is missing; " + kHowToGetIdx);
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

// Means of 2 x 2 pixels. Four bytes' mean is no byte: the result is float, with the scaling worked in.
void halve(Samples& samples) {
  Shape small = samples.shape;
  small.height /= 2;
  small.columns /= 2;
  small.width = small.height * small.columns;
  const auto& pixels = std::get<std::vector<std::uint8_t>>(samples.features);
  std::vector<float> means;
  means.reserve(samples.size() * small.width);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t row = 0; row < small.height; ++row) {
      const std::uint8_t* upper = &pixels[i * samples.shape.width + 2 * row * samples.shape.columns];
      const std::uint8_t* lower = upper + samples.shape.columns;
      for (std::size_t c = 0; c < 2 * small.columns; c += 2) {
        const int sum = upper[c] + upper[c + 1] + lower[c] + lower[c + 1];
        means.push_back(static_cast<float>(samples.scale * (sum / 4.0) + samples.offset));
      }
    }
  }
  samples.features = std::move(means);
  samples.shape = small;
  samples.scale = 1;
  samples.offset = 0;
}

class Idx : public Source {
 public:
  void options(Options& o) override {
    o("folder", &folder_, "folder of the image and label files, inside the data folder");
    o("downsample", &downsample_, "2 halves height and width, by means of 2 x 2 pixels; 1 leaves them",
      between(1, 2));
    o("writers", &writers_, "file that names the writer of each training image, inside the data folder");
    images_.options(o);
  }

  void check_files(const SourceContext& context) const override {
    find_idx(find_data_folder(folder_, context, kHowToGetIdx));
    if (writers_) find_data(*writers_, context, "");
  }

  bool names_owners() const override { return writers_.has_value(); }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const IdxFiles files = find_idx(find_data_folder(folder_, context, kHowToGetIdx));
    Pool pool;
    pool.train = read_images(files.train, context.floats);
    if (files.test) {
      pool.test = read_images(*files.test, context.floats);
      Shape same = pool.test.shape;
      same.classes = pool.train.shape.classes = std::max(same.classes, pool.train.shape.classes);
      if (same != pool.train.shape || pool.test.features.index() != pool.train.features.index())
        throw Error(files.test->images.string() + ": has images of another size or type");
      pool.test.shape = same;
    } else {
      pool.test = pool.train.empty_like();
    }
    if (downsample_ == 2 && !std::holds_alternative<std::vector<std::uint8_t>>(pool.train.features))
      throw Error(files.train.images.string() + ": downsample = 2 is for images of bytes");
    if (downsample_ == 2 && (pool.train.shape.height % 2 != 0 || pool.train.shape.columns % 2 != 0)) {
      throw Error(files.train.images.string() + ": downsample = 2 needs an even height and width, not " +
                  std::to_string(pool.train.shape.height) + " x " + std::to_string(pool.train.shape.columns));
    }

    if (writers_) set_writers(pool, pool.train.size(), find_data(*writers_, context, ""));
    images_.apply(pool, files.train.labels.string());
    if (downsample_ == 2) {
      halve(pool.train);
      halve(pool.test);
    }
    images_.take_off_mean(pool);
    return std::make_unique<PoolPopulation>(std::move(pool));
  }

 private:
  std::string folder_ = "mnist";
  std::int64_t downsample_ = 1;
  std::optional<std::string> writers_;
  ImageOptions images_;
};

const Registration<Source> kIdx{"idx", "images in the files of the MNIST family, from disk",
                                [] { return std::make_unique<Idx>(); }};

}  // namespace
}  // namespace coterie
