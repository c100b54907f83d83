#include "data/formats/npz.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "data/error_text.h"
#include "data/npz_bytes.h"

namespace coterie::npz_test {
namespace {

NpyArray array_of(const std::string& type, const std::string& shape, const std::string& bytes,
                  int version = 1, bool fortran = false) {
  return parse_npy(npy_bytes(type, shape, bytes, version, fortran), "a");
}

TEST(Npy, ReadsNumbersOfEveryType) {
  // As struct.pack writes them: little-endian unless told otherwise.
  const std::pair<std::pair<const char*, std::string>, double> cases[] = {
      {{"<f8", std::string("\x00\x00\x00\x00\x00\x00\xf8\xbf", 8)}, -1.5},
      {{"<f4", std::string("\x00\x00\xc0\xbf", 4)}, -1.5},
      {{"<f2", std::string("\x00\xbe", 2)}, -1.5},
      {{">f8", std::string("\xbf\xf8\x00\x00\x00\x00\x00\x00", 8)}, -1.5},
      {{"<i8", "\xfe\xff\xff\xff\xff\xff\xff\xff"}, -2},
      {{"<i4", "\xfe\xff\xff\xff"}, -2},
      {{">i2", "\xff\xfe"}, -2},
      {{"|i1", "\xfe"}, -2},
      {{"|u1", "\xfe"}, 254},
      {{"<u2", "\x01\x02"}, 513},
      {{"|b1", "\x01"}, 1},
  };
  for (const auto& [stored, expected] : cases) {
    for (const int version : {1, 2, 3}) {
      const NpyArray array = array_of(stored.first, "(1,)", stored.second, version);
      EXPECT_EQ(array.number(0), expected) << stored.first;
      EXPECT_FALSE(array.is_text());
    }
  }
  EXPECT_EQ(array_of("<i8", "()", std::string("\x07\0\0\0\0\0\0\0", 8)).size(), 1u);
  EXPECT_TRUE(std::isnan(array_of("<f2", "(1,)", std::string("\x01\x7e", 2)).number(0)));
  EXPECT_EQ(array_of("<f2", "(1,)", std::string("\x01\x00", 2)).number(0), std::ldexp(1, -24));
}

TEST(Npy, ReadsText) {
  const NpyArray words = array_of("<U2", "(2,)", std::string("a\0\0\0\xe9\0\0\0\x11\xf6\x01\0\0\0\0\0", 16));
  EXPECT_TRUE(words.is_text());
  EXPECT_EQ(words.text(0), "a\xc3\xa9");
  EXPECT_EQ(words.text(1), "\xf0\x9f\x98\x91");
  EXPECT_EQ(array_of("|S3", "(2,)", std::string("ab\0xyz", 6)).text(0), "ab");
  EXPECT_EQ(array_of("<i8", "(1,)", "\xfe\xff\xff\xff\xff\xff\xff\xff").text(0), "-2");
  EXPECT_EQ(array_of("<f4", "(1,)", std::string("\x00\x00\x40\x40", 4)).text(0), "3");
  EXPECT_EQ(array_of("<f4", "(1,)", std::string("\x00\x00\xc0\xbf", 4)).text(0), "-1.5");
}

// Fortran's order has the first index fastest: bytes 1 2 3 4 5 6 are the columns of ((1 3 5) (2 4 6)).
TEST(Npy, PutsFortranOrderInOrder) {
  const NpyArray array = array_of("|u1", "(2, 3)", "\x01\x02\x03\x04\x05\x06", 1, true);
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(array.bytes, "\x01\x03\x05\x02\x04\x06");
}

TEST(Npy, RefusesWhatItCannotRead) {
  const auto refusal = [](const std::string& bytes) {
    return error_text<Error>([&] { parse_npy(bytes, "a"); });
  };
  EXPECT_NE(refusal("nothing").find("is no numpy array"), std::string::npos);
  EXPECT_NE(refusal(npy_bytes("|O", "(1,)", "")).find("astype(str)"), std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<M8[D]", "(1,)", "12345678")).find("numbers"), std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<c16", "(1,)", std::string(16, 'x'))).find("can be read"), std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<f8", "(2,)", "12345678")).find("more items than follow"), std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<f8", "(4294967296, 4294967296)", "12345678")).find("more items"),
            std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<f8", "(99999999999999999,)", "12345678")).find("impossible"),
            std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<f8", "(1,)", "12345678", 9)).find("format 9"), std::string::npos);
  EXPECT_NE(refusal(npy_bytes("<f8", "(1,)", "12345678").substr(0, 30)).find("cut short"), std::string::npos);
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  const std::string one = npy_bytes("|u1", "(3,)", "abc"), two = npy_bytes("<f8", "(0,)", "");
  for (const bool deflate : {false, true}) {
    const auto arrays =
        parse_npz(zip_bytes({{"X.npy", one}, {"readme.txt", "hello"}, {"y.npy", two}}, deflate), "f.npz");
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays.at("X").bytes, "abc");
    EXPECT_EQ(arrays.at("y").size(), 0u);
  }
}

TEST(Npz, RefusesDamage) {
  const auto refusal = [](const std::string& bytes) {
    return error_text<Error>([&] { parse_npz(bytes, "f.npz"); });
  };
  const std::string whole = zip_bytes({{"X.npy", npy_bytes("|u1", "(300,)", std::string(300, 'a'))}}, true);
  EXPECT_EQ(refusal(whole), "");
  EXPECT_NE(refusal("PK"), "");
  EXPECT_NE(refusal(npy_bytes("|u1", "(1,)", "a")).find("numpy.savez"), std::string::npos);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
  std::string wrong = whole;
  wrong[wrong.find("PK\x01\x02") + 24] = '\x7f';  // its size, by the directory
  EXPECT_NE(refusal(wrong), "");
}

}  // namespace
}  // namespace coterie::npz_test
