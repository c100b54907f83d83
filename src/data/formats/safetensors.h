// Models as .safetensors files: a JSON header with names, types and offsets, then the numbers.
//
// Names and matrices are those of PyTorch, so that load_state_dict takes what is written here: a layer's key,
// and outputs first. The metadata says  format = "2",  and has a checksum of the numbers (crc32).  Files
// without a format are older ones of Coterie: layers have their own names there, every tensor is a matrix,
// and weights are inputs x outputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coterie/model.h"

namespace coterie {

inline constexpr const char* kModelFormat = "2";

// One tensor for each layer, in the order of the layers and at the run's precision; `about` goes into the
// file's metadata.
void write_safetensors(const std::string& path, const std::vector<Layer>& layers, const Vec& parameters,
                       Precision precision, const std::vector<std::pair<std::string, std::string>>& about);

// What becomes of tensors that are no layer's, and need not be numbers with fractions.
enum class Others : std::uint8_t { refused, ignored };

// The flat vector of a model with these layers. Throws Error when the file is not a whole safetensors file of
// F32 or F64 tensors, or is of another model.
Vec read_safetensors(const std::string& path, const std::vector<Layer>& layers,
                     Others others = Others::refused);

}  // namespace coterie
