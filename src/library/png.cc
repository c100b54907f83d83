#include "library/png.h"

#include <zlib.h>

#include <cstdlib>

#include "coterie/error.h"

namespace coterie {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a picture

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

// Rows are stored as differences from their neighbours: a to the left, b above, c above to the left.
int prediction(int filter, int a, int b, int c) {
  switch (filter) {
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return (a + b) / 2;
    case 4: {
      int p = a + b - c;
      int to_a = std::abs(p - a), to_b = std::abs(p - b), to_c = std::abs(p - c);
      return to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c;
    }
    default:
      return 0;
  }
}

}  // namespace

Picture decode_png(const std::string& bytes, const std::string& file) {
  auto require = [&](bool holds, const char* what) {
    if (!holds) throw Error(file + ": " + what);
  };
  require(bytes.starts_with("\x89PNG\r\n\x1a\n"), "is no PNG picture");
  Picture picture;
  std::string packed;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    std::size_t length = big_endian(bytes, at);
    std::string kind = bytes.substr(at + 4, 4);
    require(length <= bytes.size() - at - 12, "is cut short");
    if (kind == "IHDR") {
      require(length == 13, "has a damaged header");
      picture.width = big_endian(bytes, at + 8);
      picture.height = big_endian(bytes, at + 12);
      char colours = bytes[at + 17];
      require(
          bytes[at + 16] == 8 && (colours == 2 || colours == 6) && bytes[at + 20] == 0,
          "is a picture of a kind that is not read here: it must have 8 bits, RGB or RGBA, not interlaced");
      picture.channels = colours == 2 ? 3 : 4;
    } else if (kind == "IDAT") {
      packed.append(bytes, at + 8, length);
    }
    at += length + 12;
  }
  require(picture.width > 0 && picture.height > 0, "has no header");
  std::size_t stride = picture.width * picture.channels;
  require(stride < kMostBytes && picture.height < kMostBytes / (stride + 1), "is too large a picture");
  std::vector<std::uint8_t> raw((stride + 1) * picture.height);
  uLongf size = raw.size();
  int code = uncompress(raw.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  require(code == Z_OK && size == raw.size(), "is damaged");

  picture.pixels.resize(stride * picture.height);
  const std::size_t back = picture.channels;
  for (std::size_t y = 0; y < picture.height; ++y) {
    int filter = raw[y * (stride + 1)];
    require(filter <= 4, "is damaged");
    const std::uint8_t* in = &raw[y * (stride + 1) + 1];
    std::uint8_t* out = &picture.pixels[y * stride];
    const std::uint8_t* above = y > 0 ? out - stride : nullptr;
    for (std::size_t i = 0; i < stride; ++i) {
      int a = i >= back ? out[i - back] : 0;
      int b = above != nullptr ? above[i] : 0;
      int c = above != nullptr && i >= back ? above[i - back] : 0;
      out[i] = static_cast<std::uint8_t>(in[i] + prediction(filter, a, b, c));
    }
  }
  return picture;
}

}  // namespace coterie
