#include "base/toml_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace coterie {
namespace {

// Bytes of the character that starts with this one; 0 when none does. Forms that encode the same twice are
// not told apart: the parser's own check is for those.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

}  // namespace

int first_line_not_utf8(std::string_view text) {
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = length_of(static_cast<unsigned char>(text[i]));
    if (length == 0 || i + length > text.size()) return line;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) return line;
    }
    if (text[i] == '\n') ++line;
    i += length;
  }
  return 0;
}

namespace {

// Where a string that starts here ends: behind its closing quotes, or at the end of its line or of the text.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool long_one = text.substr(at).starts_with(std::string(3, quote));
  const std::string close(long_one ? 3 : 1, quote);
  for (at += close.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(close)) return at + close.size();
    if (text[at] == '\n' && !long_one) return at;
    if (text[at] == '\\' && quote == '"') ++at;
  }
  return text.size();
}

}  // namespace

int first_line_too_deep(std::string_view text) {
  int brackets = 0, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '[' || c == '{') ++brackets;
    if (c == ']' || c == '}') brackets = std::max(0, brackets - 1);
    if (c == '.') ++dots;
    if (std::string_view("[]{}=,\n").find(c) != std::string_view::npos) dots = 0;
    if (brackets > kDeepestToml || dots >= kDeepestToml) {
      return 1 +
             static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
    }
    ++i;
  }
  return 0;
}

std::string unquoted_text_hint(std::string_view line) {
  std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return "";
  std::string key = trim(line.substr(0, equals));
  std::string value = trim(line.substr(equals + 1, line.find('#', equals) - equals - 1));
  if (key.empty() || value.empty() || value == "true" || value == "false") return "";
  if (!std::isalpha(static_cast<unsigned char>(value[0])) && value[0] != '/' && value[0] != '_') return "";
  if (value.find_first_of("\"'[]{}=") != std::string::npos) return "";
  return fmt::format("text needs quotes: {} = \"{}\"", key, value);
}

std::string explain_parser(const std::string& what) {
  std::string headline, line_number;
  std::vector<std::string> notes;
  for (const std::string& line : split(what, '\n')) {
    std::size_t bar = line.find('|');
    std::size_t note = std::min(line.find("^--- "), line.find("~~~ "));
    if (headline.empty()) {
      headline = line.substr(line.starts_with("[error] ") ? 8 : 0);
      if (headline.starts_with("toml::")) headline.erase(0, headline.find(' ') + 1);
      while (!headline.empty() && std::string_view(". ").find(headline.back()) != std::string_view::npos) {
        headline.pop_back();
      }
      if (headline.empty()) headline = "not understood";
    } else if (line.starts_with("Hint: ")) {
      notes.push_back(line.substr(6));
    } else if (bar != std::string::npos && !trim(line.substr(0, bar)).empty()) {
      line_number = trim(line.substr(0, bar));
    } else if (bar != std::string::npos && note != std::string::npos) {
      std::string text = line.substr(line.find(' ', note) + 1);
      notes.push_back(fmt::format("line {}: {}", line_number, text));
    }
  }
  std::erase_if(notes, [](const std::string& note) { return note.ends_with(": here"); });
  return notes.empty() ? headline : headline + " (" + join(notes, "; ") + ")";
}

}  // namespace coterie
