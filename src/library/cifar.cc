#include <nlohmann/json.hpp>

#include "coterie/error.h"
#include "data/formats/picture.h"
#include "library/fetch.h"
#include "run/folder.h"

namespace coterie {
namespace {

constexpr std::size_t kImages = 10000;  // in a file
constexpr std::size_t kPixels = 32 * 32;

std::vector<int> read_labels(const std::string& path) {
  nlohmann::json all = nlohmann::json::parse(read_file(path), nullptr, false);
  if (!all.is_array()) throw Error(path + ": is no list of labels");
  std::vector<int> labels;
  for (const auto& one : all) {
    int label = one.is_number_integer() ? one.get<int>() : -1;
    if (label < 0 || label > 9) throw Error(path + ": holds something else than labels from 0 to 9");
    labels.push_back(label);
  }
  return labels;
}

// A label, then the red, the green and the blue pixels, for each image.
std::string records(const Picture& picture, const int* labels) {
  std::string out;
  out.reserve(kImages * (1 + 3 * kPixels));
  for (std::size_t i = 0; i < kImages; ++i) {
    out += static_cast<char>(labels[i]);
    const std::uint8_t* row = &picture.pixels[i * kPixels * picture.channels];
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t p = 0; p < kPixels; ++p) out += static_cast<char>(row[p * picture.channels + c]);
    }
  }
  return out;
}

}  // namespace

void convert_cifar_pictures(const std::string& from, const std::string& to) {
  auto convert = [&](const std::string& name, const std::vector<int>& labels, std::size_t first) {
    std::string path = from + "/" + name + ".png";
    Picture picture = decode_picture(read_file(path), path);
    if (picture.channels != 3 || picture.width != kPixels || picture.height != kImages ||
        labels.size() < first + kImages) {
      throw Error(path + ": must be 10000 rows of 1024 pixels in colour, with a label for each");
    }
    write_atomically(to + "/" + name + ".bin", records(picture, &labels[first]));
  };
  std::vector<int> train = read_labels(from + "/train_lables.json");
  for (std::size_t b = 0; b < 5; ++b) convert("data_batch_" + std::to_string(b + 1), train, b * kImages);
  convert("test_batch", read_labels(from + "/test_lables.json"), 0);
}

}  // namespace coterie
