// Pictures in folders, PNG or JPEG: CLASS/*.png; or train/CLASS/... with a test part in test/CLASS/... or
// val/CLASS/..., as torchvision's ImageFolder has it, or in val/images with val_annotations.txt, as
// Tiny-ImageNet is laid out.
//
// Choose it for pictures of your own. With `owners` folders are OWNER/CLASS/*.png (hospitals, or the domains
// of PACS and Office-Home): each owner is then a client. Classes are numbered in order of their names.
// Pictures must have one size, or `size` says which to bring them to. They are kept as bytes, height x width
// x channels each.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "base/memory.h"
#include "coterie/error.h"
#include "coterie/source.h"
#include "data/files.h"
#include "data/formats/image_tree.h"
#include "data/images.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

class ImageFolder : public Source {
 public:
  void options(Options& o) override {
    o("folder", &folder_, "the folder, inside the data folder, the current folder or the config's");
    o("owners", &owners_, "folders are OWNER/CLASS/*.png, and each owner is a client");
    o("size", &size_,
      "[height, width] to bring pictures to: their middle, smoothed; empty: all have one size",
      between(1, 4096));
    o.choice("colours", colours_, {"colour", "grey"}, "three channels, alike for grey pictures; or one");
    images_.options(o);
    o.require(!folder_.empty(), "folder", "is needed: the folder to read");
    o.require(size_.empty() || size_.size() == 2, "size", "must be [height, width]");
  }

  bool names_owners() const override { return owners_; }
  void check_files(const SourceContext& context) const override { find_data_folder(folder_, context, ""); }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const std::filesystem::path folder = find_data_folder(folder_, context, "");
    const ImageTree tree = find_pictures(folder, owners_);
    Pool pool;
    pool.train.shape = {.task = Task::classification,
                        .classes = tree.classes.size(),
                        .channels = colours_ == "grey" ? 1u : 3u};
    read_size(tree.train.front().file, pool.train.shape);
    const double pictures = static_cast<double>(tree.train.size() + tree.test.size());
    check_memory(pictures * static_cast<double>(pool.train.shape.width), context.memory,
                 fmt::format("data.folder with {:.0f} pictures", pictures), "set a smaller data.size");
    pool.test.shape = pool.train.shape;
    read(tree.train, pool.train);
    read(tree.test, pool.test);
    pool.owner_names = tree.owners;
    for (std::size_t i = 0; i < tree.train.size() && owners_; ++i) pool.owners.push_back(tree.train[i].owner);
    images_.apply(pool, folder.string());
    images_.take_off_mean(pool);
    return std::make_unique<PoolPopulation>(std::move(pool));
  }

 private:
  static Picture load(const std::filesystem::path& file) {
    return decode_picture(DataFile(file).read_rest(), file.string());
  }
  // The size that is asked for, or that of the first picture.
  void read_size(const std::filesystem::path& first, Shape& shape) const {
    if (size_.empty()) {
      const Picture picture = load(first);
      shape.height = picture.height;
      shape.columns = picture.width;
    } else {
      shape.height = static_cast<std::size_t>(size_[0]);
      shape.columns = static_cast<std::size_t>(size_[1]);
    }
    shape.width = shape.height * shape.columns * shape.channels;
  }
  void read(const std::vector<LabelledPicture>& files, Samples& samples) const {
    const Shape& shape = samples.shape;
    std::vector<std::uint8_t> pixels;
    pixels.reserve(files.size() * shape.width);
    for (const LabelledPicture& one : files) {
      Picture picture = load(one.file);
      const bool fits = picture.height == shape.height && picture.width == shape.columns;
      if (!fits && size_.empty()) {
        throw Error(fmt::format("{}: is {} x {}, but others are {} x {}; set data.size = [height, width]",
                                one.file.string(), picture.height, picture.width, shape.height,
                                shape.columns));
      }
      if (!fits || picture.channels != shape.channels)
        picture = fitted(picture, shape.height, shape.columns, shape.channels);
      for (std::size_t c = 0; c < shape.channels; ++c) {
        for (std::size_t p = 0; p < shape.height * shape.columns; ++p)
          pixels.push_back(picture.pixels[p * shape.channels + c]);
      }
      samples.targets.push_back(one.label);
    }
    samples.features = std::move(pixels);
  }

  std::string folder_;
  bool owners_ = false;
  std::vector<std::int64_t> size_;
  std::string colours_ = "colour";
  ImageOptions images_;
};

const Registration<Source> kImageFolder{"image-folder",
                                        "PNG and JPEG pictures in folders of classes, from disk",
                                        [] { return std::make_unique<ImageFolder>(); }};

}  // namespace
}  // namespace coterie
