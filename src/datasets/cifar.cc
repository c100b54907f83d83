// CIFAR-10 and CIFAR-100 in their binary versions. A record is a label (CIFAR-100: the coarse label, then the
// fine one) and then the red, the green and the blue pixels of an image, row by row. Files may be gzipped.
//
//              trained on                            test part
//   CIFAR-10   data_batch_1.bin ... data_batch_5.bin test_batch.bin
//   CIFAR-100  train.bin                             test.bin
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// One of the two data sets, and which of its labels are the classes.
struct CifarKind {
  const char* name;
  std::vector<std::string> train;
  std::string test;
  std::size_t labels = 1;  // bytes of labels in a record
  std::size_t label = 0;   // which of them is the class
  std::size_t classes = 10;
  std::string how_to_get() const { return std::string("coterie data get ") + name + " fetches it"; }
};

CifarKind kind_of(const std::string& labels) {
  if (labels == "ten")
    return {
        "cifar10",
        {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
        "test_batch.bin"};
  const bool fine = labels == "fine";
  return {"cifar100", {"train.bin"}, "test.bin", 2, fine ? 1u : 0u, fine ? 100u : 20u};
}

// The file with ".gz" or without, whichever is there.
fs::path find_batch(const fs::path& folder, const std::string& name, const CifarKind& kind) {
  std::error_code ignored;
  for (const char* end : {"", ".gz"}) {
    if (fs::path path = folder / (name + end); fs::exists(path, ignored)) return path;
  }
  throw Error((folder / name).string() + "[.gz]: is missing; " + kind.how_to_get());
}

struct CifarFiles {
  std::vector<fs::path> train;
  fs::path test;
};

CifarFiles find_cifar(const fs::path& folder, const CifarKind& kind) {
  CifarFiles files;
  for (const std::string& name : kind.train) files.train.push_back(find_batch(folder, name, kind));
  files.test = find_batch(folder, kind.test, kind);
  return files;
}

Samples no_images(const CifarKind& kind) {
  Samples samples;
  samples.shape = {.task = Task::classification,
                   .width = kWidth,
                   .classes = kind.classes,
                   .height = kSide,
                   .columns = kSide,
                   .channels = 3};
  samples.features = std::vector<std::uint8_t>();
  return samples;
}

void read_records(const fs::path& path, const CifarKind& kind, Samples& samples) {
  const std::string bytes = DataFile(path).read_rest();
  const std::size_t record = kind.labels + kWidth;
  if (bytes.empty() || bytes.size() % record != 0) {
    throw Error(path.string() + ": has " + std::to_string(bytes.size()) +
                " bytes, which is no number of records of " + std::to_string(record) + "; " +
                kind.how_to_get());
  }
  auto& pixels = std::get<std::vector<std::uint8_t>>(samples.features);
  pixels.reserve(pixels.size() + bytes.size() / record * kWidth);
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    const auto label = static_cast<std::uint8_t>(bytes[at + kind.label]);
    if (label >= kind.classes) {
      throw Error(path.string() + ": record " + std::to_string(at / record) + " has label " +
                  std::to_string(label) + ", but classes go from 0 to " + std::to_string(kind.classes - 1));
    }
    samples.targets.push_back(label);
    const char* first = bytes.data() + at + kind.labels;
    pixels.insert(pixels.end(), first, first + kWidth);
  }
}

class Cifar : public Source {
 public:
  void options(Options& o) override {
    o.choice("labels", labels_, {"ten", "fine", "coarse"},
             "ten: the classes of CIFAR-10; fine: the 100 classes of CIFAR-100; coarse: its 20 superclasses");
    o("folder", &folder_,
      "folder of the .bin files, inside the data folder; default: cifar10, or cifar100 for fine and coarse");
    images_.options(o);
  }

  void check_files(const SourceContext& context) const override {
    find_cifar(where(context), kind_of(labels_));
  }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    const CifarKind kind = kind_of(labels_);
    const fs::path folder = where(context);
    const CifarFiles files = find_cifar(folder, kind);
    Pool pool;
    pool.train = pool.test = no_images(kind);
    for (const fs::path& file : files.train) read_records(file, kind, pool.train);
    read_records(files.test, kind, pool.test);
    images_.apply(pool, folder.string());
    images_.take_off_mean(pool);
    return std::make_unique<PoolPopulation>(std::move(pool));
  }

 private:
  fs::path where(const SourceContext& context) const {
    const CifarKind kind = kind_of(labels_);
    return find_data_folder(folder_.value_or(kind.name), context, kind.how_to_get());
  }

  std::string labels_ = "ten";
  std::optional<std::string> folder_;
  ImageOptions images_;
};

const Registration<Source> kCifar{"cifar",
                                  "the photographs of CIFAR-10 and CIFAR-100, binary versions, from disk",
                                  [] { return std::make_unique<Cifar>(); }};

}  // namespace
}  // namespace coterie
