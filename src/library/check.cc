#include "library/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/md5.h"
#include "base/text.h"
#include "coterie/error.h"
#include "data/files.h"
#include "data/formats/idx.h"

namespace coterie {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = 1 << 16;

std::string md5_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Md5 sum;
  std::array<char, kPiece> piece;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    sum.add(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(in.gcount()))));
  }
  if (in.bad() || !in.eof()) throw Error(path + ": cannot be read");
  return sum.hex();
}

struct Content {
  std::string md5;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
};

// What is in a file once it is decompressed.
Content content_of(const std::string& path) {
  DataFile file(path);
  Content content;
  Md5 sum;
  std::vector<std::byte> piece(kPiece);
  std::byte last{'\n'};
  while (std::size_t got = file.read_some(piece)) {
    std::span<const std::byte> read(piece.data(), got);
    sum.add(read);
    content.bytes += got;
    content.lines += static_cast<std::uint64_t>(std::count(read.begin(), read.end(), std::byte{'\n'}));
    last = read.back();
  }
  if (last != std::byte{'\n'}) ++content.lines;
  content.md5 = sum.hex();
  return content;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

// What the file's header says its content is.
std::vector<std::uint64_t> shape_of(const KnownFile& file, const std::string& path, const Content& content) {
  if (file.kind == FileKind::bytes) return {content.bytes};
  if (file.kind == FileKind::csv) return {content.lines == 0 ? 0 : content.lines - 1};
  IdxType type = file.kind == FileKind::idx_bytes ? IdxType::byte : IdxType::int32;
  std::vector<std::size_t> sizes = read_idx(path, type, file.shape.size()).sizes;
  return {sizes.begin(), sizes.end()};
}

}  // namespace

FileReport check_file(const KnownFile& file, const std::string& folder) {
  FileReport report;
  report.file = find_file(file, folder);
  if (report.file.empty()) {
    report.file = file.name;
    report.found = "missing";
    return report;
  }
  try {
    Content content = content_of(report.file);
    std::vector<std::uint64_t> shape = shape_of(file, report.file, content);
    const char* unit = file.kind == FileKind::csv ? " rows" : file.kind == FileKind::bytes ? " bytes" : "";
    report.found = human_bytes(fs::file_size(report.file)) + ", " + shape_text(shape) + unit;
    report.good = shape == file.shape;
    if (!report.good) report.found += ", but should be " + shape_text(file.shape) + unit;
    if (file.md5.empty() && file.content_md5.empty()) {
      report.found += ", no published checksum";
    } else if (md5_of_file(report.file) == file.md5) {
      report.found += ", md5 as published";
    } else if (content.md5 == file.content_md5) {
      report.found += ", content as published";
    } else {
      report.found += ", md5 differs from the published " + (file.md5.empty() ? file.content_md5 : file.md5);
      report.good = false;
    }
  } catch (const Error& e) {
    report.found = e.what();
    report.good = false;
  }
  return report;
}

std::vector<FileReport> check_set(const KnownSet& set, const std::string& folder) {
  std::vector<FileReport> reports;
  for (const KnownFile& file : set.files) reports.push_back(check_file(file, folder));
  return reports;
}

}  // namespace coterie
