#include "data/formats/idx.h"

#include <gtest/gtest.h>

#include "coterie/error.h"
#include "data/error_text.h"
#include "data/idx_bytes.h"
#include "data/temp_folder.h"

namespace coterie::idx_test {
namespace {

TEST(ReadIdx, ReadsBytesAndIntegers) {
  TempFolder folder;
  const std::string images = idx_bytes(0x803, {2, 1, 3}, std::string("\x01\x02\x03\xff\x00\x05", 6));
  for (const auto& path : {folder.write("a", images), folder.write_gzip("a.gz", images)}) {
    IdxArray read = read_idx(path, IdxType::byte, 3);
    EXPECT_EQ(read.sizes, (std::vector<std::size_t>{2, 1, 3}));
    EXPECT_EQ(read.bytes, (std::vector<std::uint8_t>{1, 2, 3, 255, 0, 5}));
  }
  IdxArray numbers = read_idx(
      folder.write("b", idx_bytes(0xC02, {1, 2}, std::string("\x00\x00\x01\x02\xff\xff\xff\xfe", 8))),
      IdxType::int32, 2);
  EXPECT_EQ(numbers.int32(0), 258);
  EXPECT_EQ(numbers.int32(1), -2);
}

TEST(ReadIdx, ReadsEveryType) {
  TempFolder folder;
  const std::pair<std::uint32_t, std::string> cases[] = {
      {0x901, "\xfe"},
      {0xB01, "\xff\xfe"},
      {0xC01, "\xff\xff\xff\xfe"},
      {0xD01, std::string("\xc0\x00\x00\x00", 4)},
      {0xE01, std::string("\xc0\x00\x00\x00\x00\x00\x00\x00", 8)},
  };
  for (const auto& [magic, value] : cases) {
    const IdxArray read = read_idx(folder.write("a", idx_bytes(magic, {1}, value)), 1);
    EXPECT_EQ(read.size(), 1u);
    EXPECT_EQ(read.number(0), -2) << magic;
  }
  EXPECT_EQ(read_idx(folder.write("a", idx_bytes(0x801, {1}, "\xfe")), 1).number(0), 254);
  const auto refused = [&](std::uint32_t magic) {
    return error_text<Error>([&] { read_idx(folder.write("a", idx_bytes(magic, {1}, "x")), 1); });
  };
  EXPECT_NE(refused(0xA01).find("not an idx file"), std::string::npos);
  EXPECT_NE(refused(0x802).find("not an idx file"), std::string::npos);
  EXPECT_NE(refused(0xE01).find("cut short"), std::string::npos);
}

std::string refusal(const std::string& content, bool gzip) {
  TempFolder folder;
  auto path = gzip ? folder.write_gzip("a.gz", content) : folder.write("a", content);
  return error_text<Error>([&] { read_idx(path, IdxType::byte, 3); });
}

TEST(ReadIdx, RefusesHeadersThatLie) {
  for (bool gzip : {false, true}) {
    EXPECT_NE(refusal(idx_bytes(0x801, {2, 1, 3}, "123456"), gzip).find("not an idx file"),
              std::string::npos);
    EXPECT_NE(refusal("short", gzip).find("too short"), std::string::npos);
    EXPECT_NE(refusal("", gzip).find("too short"), std::string::npos);
    EXPECT_NE(refusal(idx_bytes(0x803, {2, 0, 3}, ""), gzip).find("size of 0"), std::string::npos);
    EXPECT_NE(refusal(idx_bytes(0x803, {2, 1, 3}, "1234567"), gzip).find("goes on after"), std::string::npos);
    // 2^96 values, and a product that would wrap around to something small.
    EXPECT_NE(refusal(idx_bytes(0x803, {0xffffffff, 0xffffffff, 0xffffffff}, "123456"), gzip)
                  .find("more than a file"),
              std::string::npos);
    EXPECT_NE(
        refusal(idx_bytes(0x803, {0x10000, 0x10000, 0x100000}, "123456"), gzip).find("more than a file"),
        std::string::npos);
  }
  EXPECT_NE(refusal(idx_bytes(0x803, {2, 1, 3}, "12345"), true).find("cut short"), std::string::npos);
  EXPECT_NE(refusal(idx_bytes(0x803, {2, 2, 30}, "12345"), false).find("more than a file"),
            std::string::npos);
}

}  // namespace
}  // namespace coterie::idx_test
