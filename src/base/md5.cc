#include "base/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace coterie {
namespace {

constexpr std::array<int, 16> kTurns = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

// floor(2^32 |sin(i + 1)|), written out: sines are not the same everywhere.
constexpr std::array<std::uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

}  // namespace

void Md5::block(const std::byte* bytes) {
  std::array<std::uint32_t, 16> words;
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = 0;
    for (std::size_t b = 0; b < 4; ++b) words[i] |= static_cast<std::uint32_t>(bytes[4 * i + b]) << (8 * b);
  }
  auto [a, b, c, d] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t mixed = 0;
    std::size_t word = 0;
    if (i < 16) {
      mixed = (b & c) | (~b & d);
      word = i;
    } else if (i < 32) {
      mixed = (d & b) | (~d & c);
      word = (5 * i + 1) % 16;
    } else if (i < 48) {
      mixed = b ^ c ^ d;
      word = (3 * i + 5) % 16;
    } else {
      mixed = c ^ (b | ~d);
      word = (7 * i) % 16;
    }
    mixed += a + kSines[i] + words[word];
    a = d;
    d = c;
    c = b;
    b += std::rotl(mixed, kTurns[i / 16 * 4 + i % 4]);
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

void Md5::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t have = length_ % 64;
    if (have == 0 && bytes.size() >= 64) {
      block(bytes.data());
      length_ += 64;
      bytes = bytes.subspan(64);
      continue;
    }
    const std::size_t taken = std::min(64 - have, bytes.size());
    std::memcpy(rest_.data() + have, bytes.data(), taken);
    length_ += taken;
    bytes = bytes.subspan(taken);
    if (length_ % 64 == 0) block(rest_.data());
  }
}

std::string Md5::hex() {
  const std::uint64_t bits = 8 * length_;
  const std::byte one{0x80}, zero{0};
  add({&one, 1});
  while (length_ % 64 != 56) add({&zero, 1});
  std::array<std::byte, 8> tail;
  for (std::size_t i = 0; i < 8; ++i) tail[i] = static_cast<std::byte>(bits >> (8 * i));
  add(tail);
  std::string text;
  for (std::uint32_t word : state_) {
    for (int b = 0; b < 4; ++b) {
      text += "0123456789abcdef"[word >> (8 * b + 4) & 15];
      text += "0123456789abcdef"[word >> (8 * b) & 15];
    }
  }
  return text;
}

std::string md5_of(std::string_view text) {
  Md5 sum;
  sum.add(std::as_bytes(std::span(text.data(), text.size())));
  return sum.hex();
}

}  // namespace coterie
