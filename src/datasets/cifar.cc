// CIFAR-10 in its binary version: data_batch_1.bin ... data_batch_5.bin are trained on, test_batch.bin is the
// test part. A record is a label and then the red, the green and the blue pixels of an image, row by row.
// Files may be gzipped.
#include <memory>
#include <string>

#include "coterie/error.h"
#include "coterie/source.h"
#include "data/files.h"
#include "data/images.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSide = 32;
constexpr std::size_t kWidth = 3 * kSide * kSide;
constexpr std::size_t kClasses = 10;
const char* const kHowToGetCifar = "coterie data get cifar10 fetches it";

// The file with ".gz" or without, whichever is there.
fs::path find_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* end : {"", ".gz"}) {
    if (fs::path path = folder / (name + end); fs::exists(path, ignored)) return path;
  }
  throw Error((folder / name).string() + "[.gz]: is missing; " + kHowToGetCifar);
}

struct CifarFiles {
  std::vector<fs::path> train;
  fs::path test;
};

CifarFiles find_cifar(const fs::path& folder) {
  CifarFiles files;
  for (int batch = 1; batch <= 5; ++batch) {
    files.train.push_back(find_file(folder, "data_batch_" + std::to_string(batch) + ".bin"));
  }
  files.test = find_file(folder, "test_batch.bin");
  return files;
}

Samples no_images() {
  Samples samples;
  samples.shape = {.task = Task::classification,
                   .width = kWidth,
                   .classes = kClasses,
                   .height = kSide,
                   .columns = kSide,
                   .channels = 3};
  samples.features = std::vector<std::uint8_t>();
  return samples;
}

void read_records(const fs::path& path, Samples& samples) {
  const std::string bytes = DataFile(path).read_rest();
  if (bytes.empty() || bytes.size() % (1 + kWidth) != 0) {
    throw Error(path.string() + ": has " + std::to_string(bytes.size()) +
                " bytes, which is no number of records of " + std::to_string(1 + kWidth) + "; " +
                kHowToGetCifar);
  }
  auto& pixels = std::get<std::vector<std::uint8_t>>(samples.features);
  pixels.reserve(pixels.size() + bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 1 + kWidth) {
    const auto label = static_cast<std::uint8_t>(bytes[at]);
    if (label >= kClasses) {
      throw Error(path.string() + ": record " + std::to_string(at / (1 + kWidth)) + " has label " +
                  std::to_string(label) + ", but classes go from 0 to 9");
    }
    samples.targets.push_back(label);
    const char* first = bytes.data() + at + 1;
    pixels.insert(pixels.end(), first, first + kWidth);
  }
}

class Cifar : public Source {
 public:
  void options(Options& o) override {
    o("folder", &folder_, "folder of the .bin files, inside the data folder");
    images_.options(o);
  }

  void check_files(const SourceContext& context) const override {
    find_cifar(find_data_folder(folder_, context, kHowToGetCifar));
  }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const fs::path folder = find_data_folder(folder_, context, kHowToGetCifar);
    const CifarFiles files = find_cifar(folder);
    Pool pool;
    pool.train = pool.test = no_images();
    for (const fs::path& file : files.train) read_records(file, pool.train);
    read_records(files.test, pool.test);
    images_.apply(pool, folder.string());
    images_.take_off_mean(pool);
    return std::make_unique<PoolPopulation>(std::move(pool));
  }

 private:
  std::string folder_ = "cifar10";
  ImageOptions images_;
};

const Registration<Source> kCifar{"cifar", "the photographs of CIFAR-10, binary version, from disk",
                                  [] { return std::make_unique<Cifar>(); }};

}  // namespace
}  // namespace coterie
