// numpy's files, byte by byte.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coterie {

inline std::string little_endian(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += i < 8 ? static_cast<char>(number >> (8 * i) & 255) : '\0';
  return out;
}

inline std::string npy_bytes(const std::string& type, const std::string& shape, const std::string& bytes,
                             int version = 1, bool fortran = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + bytes;
}

// Numbers as numpy keeps float64.
inline std::string doubles(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& files,
                             bool deflate_them) {
  std::string all, directory;
  for (const auto& [name, content] : files) {
    const std::string packed = deflate_them ? deflated(content) : content;
    // Method, time, date, checksum (which is not looked at), sizes, lengths of the name and of what follows
    // it.
    const std::string common = little_endian(deflate_them ? 8 : 0, 2) + little_endian(0, 8) +
                               little_endian(packed.size(), 4) + little_endian(content.size(), 4) +
                               little_endian(name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + little_endian(0, 2) + common +
                 little_endian(0, 10) + little_endian(all.size(), 4) + name;
    all += "PK\x03\x04" + little_endian(20, 2) + little_endian(0, 2) + common + name + packed;
  }
  return all + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(files.size(), 2) +
         little_endian(files.size(), 2) + little_endian(directory.size(), 4) + little_endian(all.size(), 4) +
         little_endian(0, 2);
}

}  // namespace coterie
