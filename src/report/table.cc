#include "report/table.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/excerpt.h"
#include "coterie/error.h"

namespace coterie {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Combining marks, joiners and variation selectors of the scripts that names are likely to use.
constexpr std::array<Range, 7> kNoWidth = {{{0x0300, 0x036F},
                                            {0x0591, 0x05BD},
                                            {0x0610, 0x061A},
                                            {0x064B, 0x065F},
                                            {0x200B, 0x200F},
                                            {0x20D0, 0x20FF},
                                            {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 8> kWide = {{{0x1100, 0x115F},
                                         {0x2E80, 0x303E},
                                         {0x3041, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0x1F300, 0x1FAFF}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

// One character: its bytes and its columns. A byte that starts nothing valid is a character of its own.
struct Glyph {
  std::size_t bytes;
  std::size_t columns;
};

Glyph glyph_at(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::uint32_t code = byte(at);
  std::size_t bytes = code < 0xC0 ? 1 : code < 0xE0 ? 2 : code < 0xF0 ? 3 : 4;
  if (bytes > 1) {
    code &= 0x7Fu >> bytes;
    for (std::size_t i = 1; i < bytes; ++i) {
      if (at + i >= text.size() || (byte(at + i) & 0xC0) != 0x80) return {1, 1};
      code = code << 6 | (byte(at + i) & 0x3Fu);
    }
  }
  return {bytes, within(kNoWidth, code) ? std::size_t{0}
                 : within(kWide, code)  ? std::size_t{2}
                                        : std::size_t{1}};
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

constexpr const char* kBoldOn = "\033[1m";
constexpr const char* kBoldOff = "\033[0m";
constexpr const char* kGap = "  ";

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    Glyph glyph = glyph_at(text, i);
    width += glyph.columns;
    i += glyph.bytes;
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    Glyph glyph = glyph_at(text, i);
    if (used + glyph.columns + 1 > width) break;
    used += glyph.columns;
    i += glyph.bytes;
  }
  return std::string(text.substr(0, i)) + "…";
}

std::string shortened_name(std::string_view name, std::size_t width) {
  std::size_t left = display_width(name);
  if (left <= width || width < 6) return shortened(name, width);
  const std::size_t tail = (width - 1) / 3, head = width - 1 - tail;
  std::size_t used = 0, begin = 0, i = 0;  // of the head; `begin` is its end
  while (left > tail) {
    const Glyph glyph = glyph_at(name, i);
    used += glyph.columns;
    left -= glyph.columns;
    i += glyph.bytes;
    if (used <= head) begin = i;
  }
  return std::string(name.substr(0, begin)) + "…" + std::string(name.substr(i));
}

std::string TextTable::text(Marks marks) const {
  // A cell may quote what a terminal would act on.
  auto shown = [](const Cell& cell) { return excerpt(cell.text, cell.text.size()); };
  std::vector<std::size_t> widths;
  std::vector<char> starred(columns.size(), 0);
  bool headed = false;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t width = display_width(columns[c].header);
    headed = headed || width > 0;
    for (const auto& row : rows) {
      check(row.size() == columns.size(), "a table's row must have a cell for each column");
      width = std::max(width, display_width(shown(row[c])));
      if (row[c].strong && marks == Marks::star) starred[c] = 1;
    }
    widths.push_back(width);
  }

  auto padded = [&](std::size_t c, const std::string& text, bool bold, const char* after) {
    std::string blanks(widths[c] - display_width(text), ' ');
    std::string body = bold ? kBoldOn + text + kBoldOff : text;
    return (columns[c].align == Align::left ? body + after + blanks : blanks + body + after);
  };
  std::string out;
  auto add_line = [&](auto cell) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) line += (c > 0 ? kGap : "") + cell(c);
    out += without_blanks_at_end(line) + "\n";
  };
  auto blank_star = [&](std::size_t c) { return starred[c] ? " " : ""; };
  if (headed) {
    add_line(
        [&](std::size_t c) { return padded(c, columns[c].header, marks == Marks::bold, blank_star(c)); });
    add_line([&](std::size_t c) { return repeated("─", widths[c]) + blank_star(c); });
  }
  for (const auto& row : rows) {
    add_line([&](std::size_t c) {
      bool star = row[c].strong && marks == Marks::star;
      return padded(c, shown(row[c]), row[c].strong && marks == Marks::bold, star ? "*" : blank_star(c));
    });
  }
  return out;
}

}  // namespace coterie
