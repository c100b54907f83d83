// A folder of images in IDX files: <name>images-idx3-ubyte and <name>labels-idx1-ubyte, gzipped or not, or
// such files of another type of numbers. Where <name> ends in "t10k-" or "test-" they are the test part.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "coterie/source.h"

namespace coterie {

struct ImageFiles {
  std::filesystem::path images;
  std::filesystem::path labels;
};

struct IdxFiles {
  ImageFiles train;
  std::optional<ImageFiles> test;
};

// Throws Error, with how to get the data, when there are no images to train on.
IdxFiles find_idx(const std::filesystem::path& folder, const std::string& how_to_get);
// The images of a folder; `floats`: numbers that are no bytes become floats.
Pool read_idx_images(const IdxFiles& files, bool floats);

}  // namespace coterie
