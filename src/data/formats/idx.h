// IDX files, the format of the MNIST family: a magic number, big-endian sizes, then the values.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace coterie {

enum class IdxType : std::uint8_t { byte = 0x08, int32 = 0x0C };

struct IdxArray {
  std::vector<std::size_t> sizes;
  std::vector<std::uint8_t> bytes;  // as in the file: values of int32 are big-endian

  std::int32_t int32(std::size_t i) const;
};

// Reads an array of this type and with so many sizes, gzipped or not. Throws Error when the header says
// otherwise, claims more than the file can hold, or does not match the length; no memory is taken on a
// header's word alone.
IdxArray read_idx(const std::filesystem::path& path, IdxType type, std::size_t dimensions);

}  // namespace coterie
