// Pictures in folders: a folder for each class, as torchvision's ImageFolder and Tiny-ImageNet have them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/picture.h"

namespace coterie {

struct LabelledPicture {
  std::filesystem::path file;
  std::uint32_t label = 0;
  std::uint32_t owner = 0;  // where folders of owners hold those of classes
};

struct ImageTree {
  std::vector<std::string> classes;  // in order of their names
  std::vector<std::string> owners;   // the same; empty where there are none
  std::vector<LabelledPicture> train;
  std::vector<LabelledPicture> test;
};

// Looks for CLASS/*.png (or .jpg, .jpeg, also deeper) in the folder, or in its subfolder train; the test part
// is then in test, val, valid or validation: by class, too, or as Tiny-ImageNet's val_annotations.txt says
// (file, tab, class). With `by_owner`, for OWNER/CLASS/*.png. Files of one class come in order of their
// paths. Throws Error when there is no picture, or a test picture of a class without training pictures.
ImageTree find_pictures(const std::filesystem::path& folder, bool by_owner);

// The picture with so many channels (1 or 3), of another size: as much of its middle as has the shape, each
// pixel a mean over what it covers, or between four pixels where it covers less than one.
Picture fitted(const Picture& picture, std::size_t height, std::size_t width, std::size_t channels);

}  // namespace coterie
