#include "data/formats/picture.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "coterie/error.h"
#include "data/error_text.h"

namespace coterie::picture_test {
namespace {

std::string number(std::uint32_t n) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out;
}

std::string chunk(const std::string& kind, const std::string& body) {
  const std::string all = kind + body;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size()));
  return number(static_cast<std::uint32_t>(body.size())) + all + number(static_cast<std::uint32_t>(sum));
}

// A picture of two rows; `kind` is the colour type, and each row of `raw` starts with its filter.
std::string png(std::uint32_t width, char kind, const std::string& raw, const std::string& more = "") {
  std::string packed(compressBound(raw.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  packed.resize(size);
  const std::string header = number(width) + number(2) + std::string{8, kind, 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + more + chunk("IDAT", packed) + chunk("IEND", "");
}

Picture gradient(std::size_t channels) {
  Picture picture{16, 8, channels, {}};
  for (std::size_t p = 0; p < 16 * 8; ++p) {
    for (std::size_t c = 0; c < channels; ++c)
      picture.pixels.push_back(static_cast<std::uint8_t>(8 * (p % 16) + 40 * c));
  }
  return picture;
}

TEST(Picture, ReadsGreyColourPalettesAndTransparency) {
  const Picture grey = decode_picture(png(2, 0, std::string("\0\x0a\x14\0\x1e\x28", 6)), "x");
  EXPECT_EQ(grey.channels, 1u);
  EXPECT_EQ(grey.pixels, (std::vector<std::uint8_t>{10, 20, 30, 40}));
  const Picture colour = decode_picture(png(1, 2, std::string("\0\1\2\3\0\4\5\6", 8)), "x");
  EXPECT_EQ(colour.channels, 3u);
  EXPECT_EQ(colour.pixels, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  const std::string two_colours = chunk("PLTE", "\x09\x08\x07\x06\x05\x04");
  const Picture indexed = decode_picture(png(1, 3, std::string("\0\1\0\0", 4), two_colours), "x");
  EXPECT_EQ(indexed.pixels, (std::vector<std::uint8_t>{6, 5, 4, 9, 8, 7}));
  const Picture clear = decode_picture(png(1, 6, std::string("\0\1\2\3\xff\0\1\2\3\0", 10)), "x");
  EXPECT_EQ(clear.pixels, (std::vector<std::uint8_t>{1, 2, 3, 255, 255, 255})) << "over white";
}

TEST(Picture, WritesPngThatReadsBackAsItWas) {
  for (const std::size_t channels : {1, 3}) {
    const Picture before = gradient(channels), after = decode_picture(encode_png(before), "x");
    EXPECT_EQ(after.width, 16u);
    EXPECT_EQ(after.height, 8u);
    EXPECT_EQ(after.channels, channels);
    EXPECT_EQ(after.pixels, before.pixels);
  }
}

TEST(Picture, WritesJpegThatReadsBackNearly) {
  for (const std::size_t channels : {1, 3}) {
    const Picture before = gradient(channels), after = decode_picture(encode_jpeg(before, 95), "x");
    ASSERT_EQ(after.pixels.size(), before.pixels.size());
    EXPECT_EQ(after.channels, channels);
    for (std::size_t i = 0; i < before.pixels.size(); ++i)
      EXPECT_LE(std::abs(int{after.pixels[i]} - int{before.pixels[i]}), 8) << i;
    EXPECT_LT(encode_jpeg(before, 20).size(), encode_jpeg(before, 95).size());
  }
}

TEST(Picture, RefusesWhatIsDamagedOrOfAnotherKind) {
  const auto refusal = [](const std::string& bytes) {
    return error_text<Error>([&] { decode_picture(bytes, "x"); });
  };
  EXPECT_EQ(refusal("GIF89a"), "x: is no PNG or JPEG picture");
  EXPECT_EQ(refusal(""), "x: is no PNG or JPEG picture");
  const std::string good_png = encode_png(gradient(3)), good_jpeg = encode_jpeg(gradient(3), 80);
  for (std::size_t size : {std::size_t{8}, std::size_t{20}, good_png.size() / 2})
    EXPECT_EQ(refusal(good_png.substr(0, size)), "x: is a damaged PNG picture");
  for (std::size_t size : {std::size_t{3}, std::size_t{40}, good_jpeg.size() / 2, good_jpeg.size() - 10})
    EXPECT_EQ(refusal(good_jpeg.substr(0, size)), "x: is a damaged JPEG picture") << size;
  EXPECT_NE(refusal(png(1 << 20, 2, "")).find("damaged"), std::string::npos);
  std::string huge = good_jpeg;  // the frame header says 65,500 x 65,500
  const std::size_t frame = huge.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  huge.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_NE(refusal(huge).find("too large"), std::string::npos) << refusal(huge);
}

}  // namespace
}  // namespace coterie::picture_test
