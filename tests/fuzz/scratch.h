// A folder for files that a target reads: one for the process, which each input writes anew.
#pragma once

#include <fstream>
#include <string>

#include "fuzz/targets.h"
#include "support/temp_folder.h"

namespace coterie::fuzz {

class Scratch {
 public:
  const std::string& path() const { return folder_.path(); }
  std::string write(const std::string& name, Input bytes) const {
    std::ofstream file(folder_.file(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return folder_.file(name);
  }
  void remove(const std::string& name) const { std::filesystem::remove(folder_.file(name)); }

 private:
  TempFolder folder_;
};

}  // namespace coterie::fuzz
