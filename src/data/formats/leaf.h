// LEAF's json files: {"users": [...], "num_samples": [...], "user_data": {user: {"x": [[...]], "y": [...]}}}.
#pragma once

#include <filesystem>
#include <string>

#include "data/formats/array_pool.h"

namespace coterie {

// Appends the rows of one file. `part` is "train", "test" or "": where files do not say. Throws Error when
// the text is not such a file, or has features that are no numbers.
void parse_leaf(const std::string& text, const std::string& file, const std::string& part, ArrayRows& rows);
// A file, or a folder of files; the folders train and test in it are parts.
ArrayRows read_leaf(const std::filesystem::path& path);

}  // namespace coterie
