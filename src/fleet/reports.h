// What clients can tell of scored rows: how it is told, and what a server makes sure of.
#pragma once

#include <span>
#include <string>

#include "coterie/algorithm.h"

namespace coterie {

struct Report {
  const char* name;
  std::optional<Task> task;  // that it is for; none: any
  std::size_t (*most)(const Shape& shape, std::size_t rows);
  // None: the score job itself knows how.
  Vec (*tell)(const Predictions& predictions, const Samples& samples);
  // Why these numbers cannot be true of so many samples; "" when they can. Their number may be wrong too.
  std::string (*refuse)(std::span<const double> values, double samples, const Shape& shape);
};

// nullptr when there is none of this name.
const Report* find_report(const std::string& name);

}  // namespace coterie
