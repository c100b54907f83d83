// Pictures in PNG and JPEG files, by libpng and libjpeg.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coterie {

struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 0;          // 1 (grey) or 3 (red, green, blue)
  std::vector<std::uint8_t> pixels;  // rows from the top, the channels of a pixel side by side
};

// Which of the two it is, the bytes tell. Palettes become colours, 16 bits become 8, what is transparent is
// seen over white. Throws Error, with the name of the file, when it is damaged, of another kind or too large.
Picture decode_picture(const std::string& bytes, const std::string& file);

std::string encode_png(const Picture& picture);
// With the colours of 2 x 2 pixels in one, as programs do by default; quality from 1 to 100.
std::string encode_jpeg(const Picture& picture, int quality);

}  // namespace coterie
