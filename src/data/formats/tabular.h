// A sheet as samples: which column is what, and how text becomes numbers.
//
// Numbers become features as they are (or standardised over the whole sheet), other columns one feature for
// each of their values. Rows without a target are left out: nothing can be learned from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/source.h"
#include "data/formats/sheet.h"

namespace coterie {

// The options of the source "csv", where each is explained.
struct TabularSpec {
  std::optional<std::string> client;
  std::string target;
  std::string task = "auto";
  std::optional<double> threshold;
  std::vector<std::string> drop;
  std::vector<std::string> categorical;
  std::vector<std::string> missing = {"?", "NA", "NaN", "nan", ""};
  std::string impute = "mean";
  std::string standardise = "all";
  bool standardise_target = false;
};

// Owners are the clients, in numeric order when all are numbers, else in order of their text; so are classes.
// Features are kept at the precision of the run. Throws Error with file and line when a column is not what
// the spec says.
Pool make_pool(const TabularSpec& spec, const Sheet& sheet, Precision precision);

}  // namespace coterie
