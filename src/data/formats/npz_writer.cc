#include "data/formats/npz_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>

#include "base/disk.h"

namespace coterie {
namespace {

std::string npy(const std::string& type, const std::vector<std::size_t>& shape, std::string_view bytes) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kBefore = 10;  // magic, version and the length of the header
  constexpr std::size_t kAlign = 64;
  const std::size_t whole = (kBefore + header.size() + 1 + kAlign - 1) / kAlign * kAlign;
  header.resize(whole - kBefore - 1, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(bytes);
}

template <class T>
std::string_view raw(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

void put(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((number >> (8 * i)) & 0xff);
}

}  // namespace

std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<double>& numbers) {
  return npy("<f8", shape, raw(numbers));
}
std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<float>& numbers) {
  return npy("<f4", shape, raw(numbers));
}
std::string npy_of(const std::vector<std::size_t>& shape, const std::vector<std::uint8_t>& numbers) {
  return npy("|u1", shape, raw(numbers));
}

std::string npy_of(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string bytes;
  for (std::string text : texts) {
    text.resize(longest, '\0');
    bytes += text;
  }
  return npy(fmt::format("|S{}", longest), {texts.size()}, bytes);
}

void write_npz(const std::string& path, const std::vector<std::pair<std::string, std::string>>& arrays) {
  std::string out, directory;
  for (const auto& [name, content] : arrays) {
    const std::string file = name + ".npy";
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const std::size_t at = out.size();
    std::string common;
    put(common, 20, 2);  // version needed
    put(common, 0, 2);   // flags
    put(common, 0, 2);   // stored
    put(common, 0, 2);   // time
    put(common, 33, 2);  // date: the first of 1980
    put(common, sum, 4);
    put(common, content.size(), 4);
    put(common, content.size(), 4);
    put(common, file.size(), 2);
    put(common, 0, 2);  // no extra field
    put(out, 0x04034b50, 4);
    out += common + file + content;
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);  // made by
    directory += common;
    put(directory, 0, 2);  // no comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);  // attributes
    put(directory, 0, 4);
    put(directory, at, 4);
    directory += file;
  }
  const std::size_t at = out.size();
  out += directory;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, arrays.size(), 2);
  put(out, arrays.size(), 2);
  put(out, directory.size(), 4);
  put(out, at, 4);
  put(out, 0, 2);
  write_atomically(path, out);
}

}  // namespace coterie
