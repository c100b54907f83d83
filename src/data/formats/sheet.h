// A table of text with named columns, read from comma-separated values (RFC 4180: quotes, doubled quotes,
// line ends of either kind, separators and line ends inside quotes).
//
// More lenient than the standard in three ways that files in the wild need: a mark of UTF-8 at the start and
// blank lines are skipped, and spaces around a field that is not quoted do not belong to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coterie/error.h"

namespace coterie {

class Sheet {
 public:
  // The first line names the columns. Throws Error with file and line when the text is not well formed.
  Sheet(std::string text, std::string file, char separator);
  static Sheet read(const std::filesystem::path& path, char separator);

  Sheet(Sheet&&) = default;
  Sheet& operator=(Sheet&&) = default;
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  const std::string& file() const { return file_; }
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return lines_.size(); }
  std::string_view cell(std::size_t row, std::size_t column) const {
    return cells_[row * columns_.size() + column];
  }
  Where where(std::size_t row) const { return {file_, static_cast<int>(lines_[row])}; }
  // From now on, numbers with a comma before their fraction ("3,5") have a point there.
  void read_decimal_commas();
  // The place of a column; throws Error with the nearest name when there is none.
  std::size_t column(const std::string& name) const;

 private:
  std::string file_;
  std::unique_ptr<std::string> text_;  // what the cells point into; quoted fields are unquoted in place
  std::vector<std::string> columns_;
  std::unordered_map<std::string_view, std::size_t> place_;  // of each column
  std::vector<std::string_view> cells_;
  std::vector<std::uint32_t> lines_;  // where each row starts
};

// The whole text as a finite number: "3", "-1.5e3", "+2"; nothing else.
std::optional<double> to_number(std::string_view text);

}  // namespace coterie
