// A plain-text table: columns aligned by what a terminal shows, numbers to the right, a rule under the
// header.
//
//   algorithm  accuracy %
//   ─────────  ──────────
//   ifca            95.31*
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coterie {

enum class Align { left, right };

// Marks strong cells and headers in bold (a terminal), or strong cells by a star (files, pipes).
enum class Marks { star, bold };

struct Cell {
  std::string text;
  bool strong = false;
  std::string link;  // where the text leads to, on a page

  Cell() = default;
  Cell(std::string text, bool strong = false) : text(std::move(text)), strong(strong) {}
  Cell(const char* text) : text(text) {}
};

struct TextTable {
  struct Column {
    std::string header;
    Align align = Align::left;
  };
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

  void column(std::string header, Align align = Align::left) {
    columns.push_back({std::move(header), align});
  }
  // One cell for each column.
  void row(std::vector<Cell> cells) { rows.push_back(std::move(cells)); }
  // Lines end with a newline and have no blanks at their end. No header lines when all headers are empty.
  // What a terminal would act on is shown as "?".
  std::string text(Marks marks = Marks::star) const;
};

// Columns that a terminal needs for a UTF-8 text: wide (East Asian) characters take two, combining marks
// none.
std::size_t display_width(std::string_view text);

// At most `width` columns, cut with an ellipsis.
std::string shortened(std::string_view text, std::size_t width);
// The same, cut in the middle: names often differ at their ends.
std::string shortened_name(std::string_view name, std::size_t width);

}  // namespace coterie
