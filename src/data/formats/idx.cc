// Reads IDX files and believes nothing that their header says.
#include "data/formats/idx.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>

#include "coterie/error.h"
#include "data/files.h"

namespace coterie {
namespace {

std::uint32_t big_endian(std::span<const std::uint8_t> four) {
  return std::uint32_t{four[0]} << 24 | std::uint32_t{four[1]} << 16 | std::uint32_t{four[2]} << 8 | four[3];
}

std::size_t item_size(IdxType type) {
  switch (type) {
    case IdxType::int16:
      return 2;
    case IdxType::int32:
    case IdxType::float32:
      return 4;
    case IdxType::float64:
      return 8;
    default:
      return 1;
  }
}

bool is_known(std::uint32_t type) { return type == 8 || type == 9 || (type >= 0xB && type <= 0xE); }

IdxArray read_any(const std::filesystem::path& path, std::optional<IdxType> wanted_type,
                  std::size_t dimensions) {
  DataFile file(path);
  auto fail = [&](const std::string& what) { throw Error(path.string() + ": " + what); };
  auto take = [&](std::span<std::uint8_t> out) { return file.read_some(std::as_writable_bytes(out)); };

  std::vector<std::uint8_t> header(4 + 4 * dimensions);
  if (take(header) != header.size()) {
    fail("is too short for an idx file with " + std::to_string(dimensions) + " dimensions");
  }
  const std::uint32_t magic = big_endian(header);
  const std::uint32_t told = magic >> 8;
  if (!wanted_type && (magic % 256 != dimensions || !is_known(told))) {
    fail("is not an idx file with " + std::to_string(dimensions) + " dimensions: its first number is " +
         std::to_string(magic));
  }
  const IdxType type = wanted_type.value_or(static_cast<IdxType>(told));
  const std::uint32_t wanted = static_cast<std::uint32_t>(type) << 8 | static_cast<std::uint32_t>(dimensions);
  if (magic != wanted) {
    fail("is not an idx file of " + std::string(type == IdxType::byte ? "bytes" : "32-bit integers") +
         " with " + std::to_string(dimensions) + " dimensions: its first number is " + std::to_string(magic) +
         ", not " + std::to_string(wanted));
  }

  IdxArray array;
  array.type = type;
  std::uint64_t total = item_size(type);
  const std::uint64_t most = file.most_bytes();
  std::string claim;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::uint32_t size = big_endian(std::span(header).subspan(4 + 4 * i, 4));
    claim += (i > 0 ? " x " : "") + std::to_string(size);
    if (size == 0) fail("its header claims a size of 0");
    array.sizes.push_back(size);
    if (size > most / total)
      fail("its header claims " + claim + " values, more than a file of this size can hold");
    total *= size;
  }

  std::size_t have = 0;
  while (have < total) {
    array.bytes.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(total, std::max<std::uint64_t>(std::uint64_t{1} << 20, 2 * have))));
    const std::size_t got = take(std::span(array.bytes).subspan(have));
    have += got;
    if (have < array.bytes.size()) {
      fail("is cut short: its header claims " + claim + " values, " + std::to_string(total) +
           " bytes, but only " + std::to_string(have) + " follow");
    }
  }
  std::uint8_t extra = 0;
  if (take({&extra, 1}) != 0) fail("goes on after the " + claim + " values that its header claims");
  return array;
}

}  // namespace

std::size_t IdxArray::size() const { return bytes.size() / item_size(type); }

double IdxArray::number(std::size_t i) const {
  const std::size_t item = item_size(type);
  std::uint64_t bits = 0;
  for (const std::uint8_t byte : std::span(bytes).subspan(i * item, item)) bits = bits << 8 | byte;
  switch (type) {
    case IdxType::byte:
      return static_cast<double>(bits);
    case IdxType::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case IdxType::float64:
      return std::bit_cast<double>(bits);
    default: {
      const int unused = 64 - 8 * static_cast<int>(item);
      return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
  }
}

std::int32_t IdxArray::int32(std::size_t i) const {
  return static_cast<std::int32_t>(big_endian(std::span(bytes).subspan(4 * i, 4)));
}

IdxArray read_idx(const std::filesystem::path& path, IdxType type, std::size_t dimensions) {
  return read_any(path, type, dimensions);
}
IdxArray read_idx(const std::filesystem::path& path, std::size_t dimensions) {
  return read_any(path, std::nullopt, dimensions);
}

}  // namespace coterie
