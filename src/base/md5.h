// MD5 (RFC 1321), by which data sets publish their files. It tells a damaged or exchanged file; it is no
// protection against somebody who makes collisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coterie {

class Md5 {
 public:
  void add(std::span<const std::byte> bytes);
  // 32 hexadecimal digits. Nothing can be added after it.
  std::string hex();

 private:
  void block(const std::byte* bytes);

  std::array<std::uint32_t, 4> state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<std::byte, 64> rest_{};  // of the last block that is not full
  std::uint64_t length_ = 0;          // bytes so far
};

std::string md5_of(std::string_view text);

}  // namespace coterie
