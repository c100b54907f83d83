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
