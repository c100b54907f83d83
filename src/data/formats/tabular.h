// A sheet as samples: which column is what, and how text becomes numbers.
//
// Numbers become features as they are, other columns one feature for each of their values. Rows without a
// target are left out: nothing can be learned from them. How gaps are filled and columns scaled is agreed on
// later, by what clients tell of their training rows (data/table_scaling.h): the pool's schema is a draft.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/source.h"
#include "data/formats/pixels.h"
#include "data/formats/sheet.h"
#include "data/formats/target.h"

namespace coterie {

// The options of the source "csv", where each is explained.
struct TabularSpec {
  std::optional<std::string> client;
  std::optional<std::string> truth;
  std::optional<std::string> split;
  std::optional<std::string> weight;
  std::optional<std::string> group;
  std::optional<std::string> time;
  std::string target;
  TargetSpec goal;
  std::vector<std::string> drop;
  std::vector<std::string> keep;
  std::vector<std::string> categorical;
  std::vector<std::string> missing = {"?", "NA", "NaN", "nan", ""};
  std::string impute = "mean";
  std::string standardise = "clients";
  PixelSpec pixels;
};

// Owners are the clients, in numeric order when all are numbers, else in order of their text; so are classes.
// Features are doubles, NaN where a number is missing, and the schema is a draft; images (spec.pixels) have
// neither. Throws Error with file and line when a column is not what the spec says.
Pool make_pool(const TabularSpec& spec, const Sheet& sheet, bool floats);

// What a pool's scaling is called, of what [data] standardise says: "all" is an old name for "clients".
std::string scaling_of(const std::string& standardise);

}  // namespace coterie
