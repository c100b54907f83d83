#include "data/formats/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "coterie/error.h"

namespace coterie {
namespace {

// A target of at most so many different whole numbers is taken for a class.
constexpr std::size_t kMostNumericClasses = 20;

}  // namespace

Target read_target(const TargetSpec& spec, NumberColumn numbers, const CategoryColumn& classes,
                   const std::string& name, const RowRoles::Fail& fail) {
  const bool regression = spec.task == "regression";
  if ((regression || spec.threshold) && numbers.first_other) {
    const std::size_t row = *numbers.first_other;
    fail(row, name,
         in_quotes(classes.names[classes.codes[row]]) +
             " is not a number; list it in missing, or use task = \"classification\" without threshold");
  }
  const bool whole =
      !numbers.first_other && std::all_of(numbers.values.begin(), numbers.values.end(),
                                          [](double x) { return std::isnan(x) || x == std::floor(x); });
  const bool looks_like_classes =
      numbers.first_other || (whole && classes.names.size() <= kMostNumericClasses);
  Target target;
  if (regression || (spec.task == "auto" && !spec.threshold && !looks_like_classes)) {
    target.shape.task = Task::regression;
    target.values = std::move(numbers.values);
    return target;
  }
  target.shape.task = Task::classification;
  target.shape.classes = spec.threshold ? 2 : classes.names.size();
  target.classes = classes.names;
  if (spec.threshold) {
    target.classes = {fmt::format("at most {}", *spec.threshold), fmt::format("above {}", *spec.threshold)};
  }
  target.values.resize(classes.codes.size());
  for (std::size_t row = 0; row < target.values.size(); ++row) {
    target.values[row] = spec.threshold ? (numbers.values[row] > *spec.threshold) : classes.codes[row];
  }
  return target;
}

}  // namespace coterie
