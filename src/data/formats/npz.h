// numpy's files: arrays as .npy (format 1, 2 or 3), several of them in a zip archive as .npz, stored or
// deflated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace coterie {

struct NpyArray {
  std::vector<std::size_t> shape;  // empty for a single value
  char kind = 'f';                 // f, i, u, b (bool), U or S (text), as in numpy's dtype.kind
  std::size_t item = 8;            // bytes of an item
  bool big_endian = false;
  std::string bytes;  // in C order

  std::size_t size() const;
  bool is_text() const { return kind == 'U' || kind == 'S'; }
  double number(std::size_t i) const;     // of all kinds but text
  std::string text(std::size_t i) const;  // UTF-8; numbers are written as whole numbers where they are
};

// Throws Error with `where` in front when the bytes are no such array, are of a kind that holds no data
// (objects, dates, records), or claim more than there is.
NpyArray parse_npy(std::string bytes, const std::string& where);
// The arrays of an archive by name. Throws Error likewise; nothing is taken on a header's word alone.
std::map<std::string, NpyArray> parse_npz(const std::string& bytes, const std::string& file);
std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path);

}  // namespace coterie
