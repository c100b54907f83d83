// Whether a data set's files are whole: there, of the published content, with the headers they should have.
#pragma once

#include <string>
#include <vector>

#include "library/library.h"

namespace coterie {

struct FileReport {
  std::string file;   // its name, or its path when it is there
  std::string found;  // size, shape, checksum; or what is wrong
  bool good = false;
};

FileReport check_file(const KnownFile& file, const std::string& folder);
// One for each file of the set, in a folder of its own.
std::vector<FileReport> check_set(const KnownSet& set, const std::string& folder);

}  // namespace coterie
