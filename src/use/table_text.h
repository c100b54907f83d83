// A table as comma-separated values.
#pragma once

#include <fmt/format.h>

#include <string>

namespace coterie {

class TableText {
 public:
  TableText& add(const std::string& field) {
    if (!first_) text_ += ',';
    first_ = false;
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      text_ += field;
      return *this;
    }
    text_ += '"';
    for (const char c : field) text_ += c == '"' ? std::string("\"\"") : std::string(1, c);
    text_ += '"';
    return *this;
  }
  TableText& add(double number) { return add(fmt::format("{}", number)); }
  TableText& add(std::size_t number) { return add(std::to_string(number)); }
  void end_row() {
    text_ += '\n';
    first_ = true;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace coterie
