// Data files: where they are looked for, and their content, gzipped or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "coterie/source.h"

namespace coterie {

// The path of a file or folder that a config names: as it stands when absolute, else inside the data folder,
// else in the current folder, else in the config's own folder. Throws Error with every path that was tried,
// and `how_to_get`.
std::filesystem::path find_data(const std::string& name, const SourceContext& context,
                                const std::string& how_to_get);
// The same for a folder.
std::filesystem::path find_data_folder(const std::string& name, const SourceContext& context,
                                       const std::string& how_to_get);

// A file read from start to end. Content that starts with gzip's mark is decompressed on the way.
class DataFile {
 public:
  explicit DataFile(std::filesystem::path path);
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // No more than this can be in it, told from its size on disk and the best that gzip can do: lengths that a
  // header claims are held against it before any memory is taken.
  std::uint64_t most_bytes() const;
  // Up to so many bytes; fewer only at the end. Throws Error when the file is damaged or cut short.
  std::size_t read_some(std::span<std::byte> out);
  // All that is left.
  std::string read_rest();

 private:
  struct Handle;
  std::filesystem::path path_;
  std::unique_ptr<Handle> handle_;
};

// The content of gzipped bytes that are part of the program.
std::string gunzip(std::span<const unsigned char> bytes);

}  // namespace coterie
