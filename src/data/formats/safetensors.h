// Models as .safetensors files: a JSON header with names, types and offsets, then the numbers.
#pragma once

#include <string>
#include <vector>

#include "coterie/model.h"

namespace coterie {

struct NamedTensor {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  Vec values;
};

// One tensor for each layer, in the run's precision; `about` goes into the file's metadata.
void write_safetensors(const std::string& path, const std::vector<Layer>& layers, const Vec& parameters,
                       Precision precision, const std::vector<std::pair<std::string, std::string>>& about);
// Throws Error when the file is not a whole safetensors file of F32 or F64 matrices.
std::vector<NamedTensor> read_safetensors(const std::string& path);

}  // namespace coterie
