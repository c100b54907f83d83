#include "base/md5.h"

#include <gtest/gtest.h>

namespace coterie::md5_test {
namespace {

// The test suite of RFC 1321, A.5.
TEST(Md5, AgreesWithTheStandard) {
  EXPECT_EQ(md5_of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_of("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(md5_of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5_of("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, DoesNotDependOnThePiecesItIsGiven) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  for (std::size_t piece : {1u, 63u, 64u, 65u, 200u}) {
    Md5 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      std::string part = text.substr(at, piece);
      sum.add(std::as_bytes(std::span(part.data(), part.size())));
    }
    EXPECT_EQ(sum.hex(), md5_of(text)) << piece;
  }
}

}  // namespace
}  // namespace coterie::md5_test
