// Reading through zlib, which passes files that are not gzipped on as they are.
#include "data/files.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "coterie/error.h"

namespace coterie {
namespace fs = std::filesystem;

fs::path find_data(const std::string& name, const SourceContext& context, const std::string& how_to_get) {
  const fs::path given(name);
  std::vector<fs::path> tried;
  if (given.is_relative() && !context.data_folder.empty()) {
    tried.push_back((fs::path(context.data_folder) / given).lexically_normal());
  }
  tried.push_back(given.is_relative() ? (fs::current_path() / given).lexically_normal() : given);
  if (given.is_relative() && !context.config_folder.empty()) {
    const fs::path beside = (fs::absolute(context.config_folder) / given).lexically_normal();
    if (beside != tried.back()) tried.push_back(beside);
  }
  for (const fs::path& path : tried) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  std::string text = tried[0].string() + ": no such file or folder";
  for (std::size_t i = 1; i < tried.size(); ++i) text += ", nor " + tried[i].string();
  text += context.data_folder.empty() ? "; say where your data is with --data or the variable COTERIE_DATA"
                                      : "; the data folder is that of --data or of the variable COTERIE_DATA";
  throw Error(text + (how_to_get.empty() ? "" : "; " + how_to_get));
}

fs::path find_data_folder(const std::string& name, const SourceContext& context,
                          const std::string& how_to_get) {
  fs::path folder = find_data(name, context, how_to_get);
  if (!fs::is_directory(folder)) throw Error(folder.string() + ": is a file, but must be a folder");
  return folder;
}

struct DataFile::Handle {
  gzFile file = nullptr;
  ~Handle() {
    if (file != nullptr) gzclose(file);
  }
};

DataFile::DataFile(fs::path path) : path_(std::move(path)), handle_(std::make_unique<Handle>()) {
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) throw Error(path_.string() + ": is a folder, not a file");
  errno = 0;
  handle_->file = gzopen(path_.c_str(), "rb");
  if (handle_->file == nullptr) {
    throw Error(path_.string() + ": cannot be opened: " + std::strerror(errno != 0 ? errno : ENOMEM));
  }
  gzbuffer(handle_->file, 1 << 17);
}

DataFile::~DataFile() = default;

std::uint64_t DataFile::most_bytes() const {
  constexpr std::uint64_t kBestRatio = 1032;  // of deflate, by its format
  std::error_code why;
  const std::uint64_t size = fs::file_size(path_, why);
  if (why) throw Error(path_.string() + ": is not a plain file: " + why.message());
  return gzdirect(handle_->file) ? size : size * kBestRatio;
}

std::size_t DataFile::read_some(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    auto piece = static_cast<unsigned>(std::min<std::size_t>(out.size() - done, 1u << 30));
    int got = gzread(handle_->file, out.data() + done, piece);
    int code = Z_OK;
    const char* why = gzerror(handle_->file, &code);
    if (code != Z_OK && code != Z_STREAM_END) {
      throw Error(path_.string() + ": is damaged or cut short (" +
                  (code == Z_ERRNO ? std::strerror(errno) : why) + "); get it again");
    }
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string DataFile::read_rest() {
  std::string text;
  std::size_t have = 0;
  while (true) {
    text.resize(std::max<std::size_t>(std::size_t{1} << 16, 2 * have));
    std::size_t got = read_some(std::as_writable_bytes(std::span(text).subspan(have)));
    have += got;
    if (have < text.size()) break;
  }
  text.resize(have);
  return text;
}

std::string gunzip(std::span<const unsigned char> bytes) {
  z_stream stream{};
  check(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK, "zlib does not start");
  stream.next_in = const_cast<unsigned char*>(bytes.data());
  stream.avail_in = static_cast<unsigned>(bytes.size());
  std::string text;
  int code = Z_OK;
  while (code == Z_OK) {
    std::size_t have = text.size();
    text.resize(have + (std::size_t{1} << 16));
    stream.next_out = reinterpret_cast<unsigned char*>(text.data() + have);
    stream.avail_out = 1u << 16;
    code = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  check(code == Z_STREAM_END, "embedded data does not decompress");
  return text;
}

}  // namespace coterie
