// A column to predict: classes or numbers.
#pragma once

#include <optional>
#include <string>

#include "coterie/source.h"
#include "data/formats/columns.h"
#include "data/formats/row_roles.h"

namespace coterie {

struct TargetSpec {
  std::string task = "auto";
  std::optional<double> threshold;
  bool standardise = true;  // for a regression
};

struct Target {
  Shape shape;  // task and classes
  std::vector<std::string> classes;
  Vec values;  // by row: a class, or a number; anything where it is missing
};

// `name` is the column's, for messages. Throws Error when it is not what the spec says. One class alone is
// taken: a client may have no other.
Target read_target(const TargetSpec& spec, NumberColumn numbers, const CategoryColumn& classes,
                   const std::string& name, const RowRoles::Fail& fail);

}  // namespace coterie
