// A table of numbers whose colour tells how large they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace coterie {

struct HeatCell {
  std::string text;
  double share = 0;  // of the full colour, -1 to 1; below 0 in another colour
  std::string title = {};
  bool faint = false;  // its text: nothing to see here
};

struct HeatTable {
  struct Name {
    std::string text;
    std::optional<std::size_t> cluster = {};  // whose colour stands before it
  };
  std::string corner;  // above the names of the rows
  std::vector<Name> columns;
  std::vector<Name> rows;
  std::vector<std::vector<HeatCell>> cells;  // by row
  bool small = false;                        // for many rows
};

// Empty when it has no rows or no columns.
std::string html_heat(const HeatTable& table);

// The same as small squares without texts, the numbers under the pointer: for large square matrices, whose
// columns are in the order of the rows.
std::string heat_squares(const HeatTable& table);

// A dot in the colour of a cluster or curve.
std::string colour_key(std::size_t cluster);

}  // namespace coterie
