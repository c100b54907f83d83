// FEMNIST: handwritten digits and letters of 62 classes, each writer a natural owner (LEAF; Caldas et al.,
// 2018).
//
// The folder holds <name>images-idx3-ubyte and <name>labels-idx1-ubyte, sorted by writer, and a csv file with
// the columns writer, start, count and perhaps hsf_range, all of them gzipped or not. LEAF's own json files
// are the source "leaf".
//
// Choose it for a federation of people. `sample` draws whole writers, as LEAF's `--sf` does without `--iid`:
// writers in random order until they have that share of all images; the last gives up what is too much. The
// IFCA paper uses 5 % of all 805,263 images and writers with 100 images or more ([clients] minimum = 100); of
// files with every third writer that is sample = 0.148.
#include <algorithm>
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

const char* const kHowToGetFemnist = "coterie data check femnist says where it comes from";

// The file of writers: the only csv file whose name ends in "writers.csv" or "writers.csv.gz".
std::filesystem::path find_writers(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("writers.csv") || name.ends_with("writers.csv.gz")) found.push_back(entry.path());
  }
  if (found.size() == 1) return found.front();
  throw Error(folder.string() + ": holds " + std::to_string(found.size()) +
              " files called ...writers.csv[.gz]; one is needed, with the columns writer, start, count");
}

// Rows of writers in random order, as many as wanted, in the order of the file.
std::vector<std::uint32_t> sample_writers(const Pool& pool, std::size_t wanted, Stream& stream) {
  std::vector<std::vector<std::uint32_t>> of_writer(pool.owner_names.size());
  for (std::uint32_t row = 0; row < pool.owners.size(); ++row) of_writer[pool.owners[row]].push_back(row);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t writer : stream.permutation(of_writer.size())) {
    std::vector<std::uint32_t>& own = of_writer[writer];
    if (rows.size() + own.size() > wanted) {
      stream.shuffle(std::span(own));
      own.resize(wanted - rows.size());
    }
    rows.insert(rows.end(), own.begin(), own.end());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

class Femnist : public Source {
 public:
  void options(Options& o) override {
    o("folder", &folder_, "folder of the image, label and writer files, inside the data folder");
    o("sample", &sample_, "share of the images to use: writers in random order until they have so many",
      {"must be above 0 and at most 1", [](double share) { return share > 0 && share <= 1; }});
    o("invert", &invert_, "whether paper is 0 and ink 1, as in MNIST; LEAF has paper 1 and ink 0");
    o.choice("truth", truth_, {"none", "series"},
             "series: the series of forms that a writer belongs to (hsf_range) is the writer's true cluster");
    images_.options(o);
  }

  bool names_owners() const override { return true; }

  void check_files(const SourceContext& context) const override {
    const std::filesystem::path folder = find_data_folder(folder_, context, kHowToGetFemnist);
    find_idx(folder, kHowToGetFemnist);
    find_writers(folder);
  }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const std::filesystem::path folder = find_data_folder(folder_, context, kHowToGetFemnist);
    const IdxFiles files = find_idx(folder, kHowToGetFemnist);
    Pool pool = read_idx_images(files, context.floats);
    set_writers(pool, find_writers(folder), truth_ == "series");
    if (sample_ < 1) {
      const auto wanted = static_cast<std::size_t>(sample_ * static_cast<double>(pool.train.size()) + 1e-9);
      if (wanted == 0)
        throw Error(folder.string() + ": has " + std::to_string(pool.train.size()) +
                    " images, of which data.sample leaves none; raise it");
      Stream stream(context.seed, {.purpose = Purpose::source});
      keep_training_rows(pool, sample_writers(pool, wanted, stream));
    }
    if (invert_) {
      for (Samples* part : {&pool.train, &pool.test}) turn_over(*part, files.train.images.string());
    }
    images_.apply(pool, files.train.labels.string());
    images_.take_off_mean(pool);
    return std::make_unique<PoolPopulation>(std::move(pool));
  }

 private:
  // Bytes stay bytes: 255 - byte, under the scaling they had.
  static void turn_over(Samples& samples, const std::string& file) {
    auto* pixels = std::get_if<std::vector<std::uint8_t>>(&samples.features);
    if (pixels == nullptr) throw Error(file + ": invert = true is for images of bytes");
    for (std::uint8_t& pixel : *pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  }

  std::string folder_ = "femnist";
  double sample_ = 1;
  bool invert_ = false;
  std::string truth_ = "none";
  ImageOptions images_;
};

const Registration<Source> kFemnist{"femnist", "handwritten digits and letters by writer, from disk",
                                    [] { return std::make_unique<Femnist>(); }};

}  // namespace
}  // namespace coterie
