#include "library/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "coterie/error.h"

namespace coterie::png_test {
namespace {

std::string number(std::uint32_t n) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out;
}

std::string chunk(const std::string& kind, const std::string& body) {
  return number(static_cast<std::uint32_t>(body.size())) + kind + body + number(0);
}

// 2 x rows pixels of RGB; each row starts with its filter.
std::string picture(std::uint32_t rows, const std::string& raw) {
  std::string packed(compressBound(raw.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  packed.resize(size);
  std::string header = number(2) + number(rows) + std::string("\x08\x02\x00\x00\x00", 5);
  // In two pieces, as writers do.
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed.substr(0, 3)) +
         chunk("IDAT", packed.substr(3)) + chunk("IEND", "");
}

TEST(Png, UndoesEveryFilter) {
  // Rows with the filters none, left, above, mean and Paeth; the values were worked out by hand.
  std::string raw;
  for (std::initializer_list<int> row : {std::initializer_list<int>{0, 10, 20, 30, 40, 50, 60},
                                         {1, 1, 2, 3, 4, 5, 6},
                                         {2, 1, 1, 1, 1, 1, 255},
                                         {3, 1, 1, 1, 1, 1, 1},
                                         {4, 1, 1, 1, 1, 1, 1}}) {
    for (int value : row) raw += static_cast<char>(value);
  }
  Picture decoded = decode_png(picture(5, raw), "x.png");
  EXPECT_EQ(decoded.width, 2u);
  EXPECT_EQ(decoded.channels, 3u);
  std::vector<std::uint8_t> expected = {10, 20, 30, 40, 50, 60,  //
                                        1,  2,  3,  5,  7,  9,   //
                                        2,  3,  4,  6,  8,  8,   //
                                        2,  2,  3,  5,  6,  6,   //
                                        3,  3,  4,  6,  7,  7};
  EXPECT_EQ(decoded.pixels, expected);
}

TEST(Png, RefusesWhatIsDamagedOrOfAnotherKind) {
  std::string good = picture(1, std::string(7, '\0'));
  EXPECT_THROW(decode_png("GIF89a", "x"), Error);
  EXPECT_THROW(decode_png(good.substr(0, 50), "x"), Error);
  EXPECT_THROW(decode_png(picture(2, std::string(7, '\0')), "x"), Error);
  EXPECT_THROW(decode_png(picture(1, "\x07" + std::string(6, '\0')), "x"), Error);
  std::string grey = good;
  grey[25] = 0;
  EXPECT_THROW(decode_png(grey, "x"), Error);
}

}  // namespace
}  // namespace coterie::png_test
