// Arrays as numpy.load reads them: a zip archive of .npy files, stored.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "coterie/data.h"

namespace coterie {

// One array as an .npy file.
std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<double>& numbers);
std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<float>& numbers);
std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<std::uint8_t>& numbers);
std::string npy_of(const std::vector<std::string>& texts);

void write_npz(const std::string& path, const std::vector<std::pair<std::string, std::string>>& arrays);

}  // namespace coterie
