// An open file: reads and writes at places, on the layer of base/disk.h. What fails is a FileError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace coterie {

class OpenFile {
 public:
  enum class Mode {
    read,     // must be there
    change,   // made when it is not there
    replace,  // made, or emptied
  };

  OpenFile() = default;
  OpenFile(std::string path, Mode mode);
  // A file without a name, in memory that can be swapped; `name` is for messages.
  static OpenFile in_memory(std::string name);
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;

  bool is_open() const { return file_ >= 0; }
  const std::string& path() const { return path_; }
  // For locks.
  int descriptor() const { return file_; }

  std::uint64_t size() const;
  // Cut or filled with zeros to this length. Zeros take no room on the disk until they are overwritten.
  void resize(std::uint64_t length);
  void write(std::span<const std::byte> bytes, std::uint64_t at);
  // Fewer only at the end of the file.
  std::size_t read_some(std::span<std::byte> bytes, std::uint64_t at) const;
  // All of them, or a FileError that says that the file is too short.
  void read(std::span<std::byte> bytes, std::uint64_t at) const;
  // Waits until its content is on the disk.
  void sync();
  void close();

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace coterie
