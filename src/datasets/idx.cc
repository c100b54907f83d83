// Images in IDX files: MNIST, Fashion-MNIST, KMNIST, EMNIST, FEMNIST.
//
// The folder holds <name>images-idx3-ubyte and <name>labels-idx1-ubyte, gzipped or not, or such files of
// another type of numbers (byte, short, int, float, double), which are taken as they are; where <name> ends
// in "t10k-" or "test-" they are the test part. Without a test part the federation holds out a share.
//
// `writers` gives each training image its natural owner: QMNIST's idx2-int labels for MNIST, or a csv file
// with the columns writer, start, count for images that are sorted by writer.
#include <memory>
#include <string>

#include "coterie/error.h"
#include "coterie/source.h"
#include "data/files.h"
#include "data/formats/idx_images.h"
#include "data/formats/writers.h"
#include "data/images.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

const char* const kHowToGetIdx = "coterie data get mnist (or fashion-mnist) fetches it";

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
    o.choice("truth", truth_, {"none", "series"},
             "series: the series of forms that a writer belongs to is the writer's true cluster");
    o.require(truth_ == "none" || writers_, "truth", "needs writers");
    images_.options(o);
  }

  void check_files(const SourceContext& context) const override {
    find_idx(find_data_folder(folder_, context, kHowToGetIdx), kHowToGetIdx);
    if (writers_) find_data(*writers_, context, "");
  }

  bool names_owners() const override { return writers_.has_value(); }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const IdxFiles files = find_idx(find_data_folder(folder_, context, kHowToGetIdx), kHowToGetIdx);
    Pool pool = read_idx_images(files, context.floats);
    if (downsample_ == 2 && !std::holds_alternative<std::vector<std::uint8_t>>(pool.train.features))
      throw Error(files.train.images.string() + ": downsample = 2 is for images of bytes");
    if (downsample_ == 2 && (pool.train.shape.height % 2 != 0 || pool.train.shape.columns % 2 != 0)) {
      throw Error(files.train.images.string() + ": downsample = 2 needs an even height and width, not " +
                  std::to_string(pool.train.shape.height) + " x " + std::to_string(pool.train.shape.columns));
    }

    if (writers_) set_writers(pool, find_data(*writers_, context, ""), truth_ == "series");
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
  std::string truth_ = "none";
  ImageOptions images_;
};

const Registration<Source> kIdx{"idx", "images in the files of the MNIST family, from disk",
                                [] { return std::make_unique<Idx>(); }};

}  // namespace
}  // namespace coterie
