// A picture of what a shift makes of one image: a row for each variant's name, a column for each severity.
//
// Usage: contact_sheet FILE.png FOLDER [--image 13] [--zoom 2] [--draws 1]
//
// FOLDER is the data folder with cifar10. The first column is the original, the next five are severities 1 to
// 5; with
// --draws 3 each has three columns, which differ in what is random.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "base/option_readers.h"
#include "coterie/shift.h"
#include "coterie/source.h"
#include "data/formats/picture.h"

namespace coterie {
namespace {

const std::vector<std::string> kTypes = {
    "gaussian_noise", "shot_noise", "impulse_noise",    "speckle_noise",    "gaussian_blur",
    "defocus_blur",   "glass_blur", "motion_blur",      "zoom_blur",        "snow",
    "frost",          "fog",        "spatter",          "brightness",       "contrast",
    "saturate",       "pixelate",   "jpeg_compression", "elastic_transform"};

template <class Plugin>
void configure(Plugin& plugin, const std::string& toml) {
  const Table table = parse_toml(toml, "contact_sheet");
  Problems problems;
  OptionParser parser(table, "", {"contact_sheet", 1}, problems);
  plugin.options(parser);
  parser.finish();
  problems.raise_if_any();
}

Samples corrupted(Samples image, const std::string& type, int severity, std::uint64_t seed) {
  const auto shift = Registry<Shift>::instance().make("cifar-c");
  configure(*shift, fmt::format("types = [\"{}\"]\nseverities = [{}]", type, severity));
  Stream stream(seed, {.purpose = Purpose::shift});
  shift->apply(0, image, stream);
  return image;
}

void draw(const Samples& image, std::size_t left, std::size_t top, std::size_t zoom, Picture& sheet) {
  const Shape& shape = image.shape;
  std::vector<double> row(shape.width);
  image.copy_row(0, row);
  for (std::size_t y = 0; y < shape.height * zoom; ++y) {
    for (std::size_t x = 0; x < shape.columns * zoom; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double value = row[(c * shape.height + y / zoom) * shape.columns + x / zoom];
        sheet.pixels[((top + y) * sheet.width + left + x) * 3 + c] =
            static_cast<std::uint8_t>(value * 255 + 0.5);
      }
    }
  }
}

int main_of(const std::vector<std::string>& words, std::map<std::string, std::size_t> numbers) {
  const auto source = Registry<Source>::instance().make("cifar");
  const auto population = source->open({.data_folder = words[1]});
  const std::uint32_t chosen[] = {static_cast<std::uint32_t>(numbers["--image"])};
  const Samples image = population->pool()->test.rows(chosen);
  const std::size_t zoom = numbers["--zoom"], draws = numbers["--draws"], cell = 32 * zoom + 4;
  Picture sheet{(1 + 5 * draws) * cell, kTypes.size() * cell, 3, {}};
  sheet.pixels.assign(sheet.width * sheet.height * 3, 255);
  for (std::size_t t = 0; t < kTypes.size(); ++t) {
    draw(image, 2, t * cell + 2, zoom, sheet);
    for (std::size_t column = 0; column < 5 * draws; ++column) {
      draw(corrupted(image, kTypes[t], static_cast<int>(column / draws) + 1, 1 + column % draws),
           (column + 1) * cell + 2, t * cell + 2, zoom, sheet);
    }
    fmt::print("row {}: {}\n", t + 1, kTypes[t]);
  }
  std::ofstream(words[0], std::ios::binary) << encode_png(sheet);
  return 0;
}

}  // namespace
}  // namespace coterie

int main(int count, char** given) {
  std::vector<std::string> words;
  std::map<std::string, std::size_t> numbers = {{"--image", 13}, {"--zoom", 2}, {"--draws", 1}};
  for (int i = 1; i < count; ++i) {
    if (numbers.count(given[i]) > 0 && i + 1 < count) {
      numbers[given[i]] = static_cast<std::size_t>(std::atoi(given[i + 1]));
      ++i;
    } else {
      words.push_back(given[i]);
    }
  }
  if (words.size() != 2) {
    fmt::print(stderr, "usage: contact_sheet FILE.png FOLDER [--image 13] [--zoom 2] [--draws 1]\n");
    return 2;
  }
  try {
    return coterie::main_of(words, numbers);
  } catch (const coterie::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
