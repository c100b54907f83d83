// CRC-32, which tells damage; it is no protection against somebody who makes collisions.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace coterie {

// Of these bytes; or of more that follow those whose checksum is `before`.
inline std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace coterie
