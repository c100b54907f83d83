// One pass over the text; fields are cut where they lie.
#include "data/formats/sheet.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "base/toml_hints.h"
#include "data/files.h"

namespace coterie {
namespace {

class Reader {
 public:
  Reader(std::string& text, const std::string& file, char separator)
      : at_(text.data()), end_(text.data() + text.size()), file_(file), separator_(separator) {
    if (text.size() >= 3 && std::memcmp(at_, "\xEF\xBB\xBF", 3) == 0) at_ += 3;
  }

  std::uint32_t line() const { return line_; }
  [[noreturn]] void fail(std::uint32_t line, const std::string& what) const {
    throw Error(Where{file_, static_cast<int>(line)}.text() + ": " + what);
  }

  // Steps over blank lines; false at the end of the text.
  bool next_row() {
    while (at_ != end_) {
      char* ahead = at_;
      while (ahead != end_ && is_space(*ahead)) ++ahead;
      if (ahead != end_ && !is_line_end(*ahead)) return true;
      at_ = ahead;
      if (at_ != end_) end_line();
    }
    return false;
  }

  // Appends the fields of one row.
  void row(std::vector<std::string_view>& fields) {
    while (true) {
      char* start = at_;
      while (at_ != end_ && is_space(*at_)) ++at_;
      if (at_ != end_ && *at_ == '"') {
        fields.push_back(unquoted());
      } else {
        while (at_ != end_ && *at_ != separator_ && !is_line_end(*at_)) ++at_;
        fields.push_back(trimmed(start, at_));
      }
      if (at_ == end_) return;
      if (*at_ == separator_) {
        ++at_;
        continue;
      }
      end_line();
      return;
    }
  }

 private:
  bool is_space(char c) const { return (c == ' ' || c == '\t') && c != separator_; }
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

  void end_line() {
    if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  std::string_view trimmed(char* from, char* to) const {
    while (from != to && is_space(*from)) ++from;
    while (from != to && is_space(to[-1])) --to;
    return {from, static_cast<std::size_t>(to - from)};
  }

  std::string_view unquoted() {
    const std::uint32_t opened = line_;
    char* start = ++at_;
    char* write = start;
    while (true) {
      if (at_ == end_) fail(opened, "a quoted field is never closed");
      if (*at_ == '"') {
        ++at_;
        if (at_ == end_ || *at_ != '"') break;
      } else if (*at_ == '\n' || (*at_ == '\r' && !(at_ + 1 != end_ && at_[1] == '\n'))) {
        ++line_;
      }
      *write++ = *at_++;
    }
    while (at_ != end_ && is_space(*at_)) ++at_;
    if (at_ != end_ && *at_ != separator_ && !is_line_end(*at_)) {
      fail(line_, "a quoted field is followed by " + in_quotes({at_, 1}) + " instead of a separator");
    }
    return {start, static_cast<std::size_t>(write - start)};
  }

  char* at_;
  char* end_;
  const std::string& file_;
  char separator_;
  std::uint32_t line_ = 1;
};

}  // namespace

Sheet::Sheet(std::string text, std::string file, char separator)
    : file_(std::move(file)), text_(std::make_unique<std::string>(std::move(text))) {
  if (const int line = first_line_not_utf8(*text_); line > 0) {
    throw Error(Where{file_, line}.text() +
                ": holds a character that is not UTF-8; save the file as UTF-8 (iconv -f latin1 -t utf-8)");
  }
  Reader reader(*text_, file_, separator);
  if (!reader.next_row()) throw Error(file_ + ": is empty; its first line must name the columns");
  std::uint32_t line = reader.line();
  std::vector<std::string_view> names;
  reader.row(names);
  for (std::string_view name : names) {
    if (!place_.emplace(name, columns_.size()).second) {
      reader.fail(line, "two columns are called " + in_quotes(name));
    }
    columns_.emplace_back(name);
  }
  if (columns_.size() == 1) {
    for (const char other : {';', '\t', '|', ','}) {
      if (other == separator || columns_[0].find(other) == std::string::npos) continue;
      reader.fail(line, "names one column, " + in_quotes(columns_[0]) + "; are its fields separated by " +
                            (other == '\t' ? "tabs? Set data.separator = \"\\t\""
                                           : fmt::format("\"{0}\"? Set data.separator = \"{0}\"", other)));
    }
  }
  while (reader.next_row()) {
    line = reader.line();
    const std::size_t before = cells_.size();
    reader.row(cells_);
    if (std::size_t fields = cells_.size() - before; fields != columns_.size()) {
      reader.fail(line, "has " + std::to_string(fields) + " fields, but the first line names " +
                            std::to_string(columns_.size()) + " columns");
    }
    lines_.push_back(line);
  }
  if (lines_.empty()) throw Error(file_ + ": has no rows below the line that names the columns");
}

Sheet Sheet::read(const std::filesystem::path& path, char separator) {
  return Sheet(DataFile(path).read_rest(), path.string(), separator);
}

void Sheet::read_decimal_commas() {
  std::string point;
  for (const std::string_view cell : cells_) {
    const std::size_t comma = cell.find(',');
    if (comma == std::string_view::npos || cell.find('.') != std::string_view::npos) continue;
    point.assign(cell);
    point[comma] = '.';
    // Cells point into the text, which is this sheet's own.
    if (to_number(point)) (*text_)[static_cast<std::size_t>(cell.data() - text_->data()) + comma] = '.';
  }
}

std::size_t Sheet::column(const std::string& name) const {
  auto found = place_.find(name);
  if (found == place_.end()) throw Error(file_ + ": column " + unknown_name(name, columns_));
  return found->second;
}

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

}  // namespace coterie
