// Pictures in PNG files, as far as data sets use them: 8 bits a channel, RGB or RGBA, not interlaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coterie {

struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 0;          // 3 or 4
  std::vector<std::uint8_t> pixels;  // rows from the top, channels together
};

// Throws Error, with the name of the file, when it is damaged or of another kind.
Picture decode_png(const std::string& bytes, const std::string& file);

}  // namespace coterie
