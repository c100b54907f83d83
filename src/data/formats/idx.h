// IDX files, the format of the MNIST family: a magic number, big-endian sizes, then the values.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace coterie {

enum class IdxType : std::uint8_t {
  byte = 0x08,
  int8 = 0x09,
  int16 = 0x0B,
  int32 = 0x0C,
  float32 = 0x0D,
  float64 = 0x0E
};

struct IdxArray {
  std::vector<std::size_t> sizes;
  IdxType type = IdxType::byte;
  std::vector<std::uint8_t> bytes;  // as in the file: big-endian

  std::size_t size() const;
  std::int32_t int32(std::size_t i) const;
  double number(std::size_t i) const;  // of any type
};

// Reads an array of this type and with so many sizes, gzipped or not. Throws Error when the header says
// otherwise, claims more than the file can hold, or does not match the length; no memory is taken on a
// header's word alone.
IdxArray read_idx(const std::filesystem::path& path, IdxType type, std::size_t dimensions);
// The same of whichever type the header names.
IdxArray read_idx(const std::filesystem::path& path, std::size_t dimensions);

}  // namespace coterie
