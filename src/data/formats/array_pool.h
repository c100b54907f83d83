// Rows that come as arrays rather than as text: a matrix of numbers, and what is said of each row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/source.h"
#include "data/formats/pixels.h"
#include "data/formats/target.h"

namespace coterie {

struct ArrayRows {
  std::string file;
  std::string x_name = "X";
  std::size_t width = 0;
  Vec x;                             // rows x width; NaN where missing
  std::vector<std::string> targets;  // one text for each row, "" where missing
  std::vector<std::string> clients;  // these may be empty
  std::vector<std::string> truth;
  std::vector<std::string> split;
  std::vector<std::string> weights;
};

struct ArraySpec {
  TargetSpec goal;
  std::string impute = "mean";
  std::string standardise = "clients";
  PixelSpec pixels;

  void options(Options& o);
};

// The same rules as for tables (tabular.h): rows without a target are left out, and the schema is a draft.
Pool make_array_pool(const ArraySpec& spec, ArrayRows rows, bool floats);

}  // namespace coterie
