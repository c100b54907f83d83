// The content of an idx file, right or wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coterie {

inline std::string idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& sizes,
                             const std::string& values) {
  std::string bytes;
  auto put = [&](std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  };
  put(magic);
  for (std::uint32_t size : sizes) put(size);
  return bytes + values;
}

inline std::string big_endian_values(const std::vector<std::int32_t>& numbers) {
  std::string bytes;
  for (std::int32_t number : numbers) bytes += idx_bytes(static_cast<std::uint32_t>(number), {}, "");
  return bytes;
}

}  // namespace coterie
