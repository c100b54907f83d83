#include "data/formats/array_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "coterie/error.h"
#include "data/formats/row_roles.h"
#include "data/formats/tabular.h"

namespace coterie {
namespace {

bool absent(const std::string& text) { return text.empty() || text == "nan" || text == "NaN"; }

CategoryColumn categories(const std::vector<std::string>& texts) {
  return categories_of(texts.size(), [&](std::size_t row) -> std::optional<std::string_view> {
    if (absent(texts[row])) return std::nullopt;
    return texts[row];
  });
}

NumberColumn numbers(const std::vector<std::string>& texts) {
  NumberColumn read;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const auto number = to_number(texts[row]);
    read.values.push_back(number.value_or(std::numeric_limits<double>::quiet_NaN()));
    if (number) {
      ++read.numbers;
    } else if (absent(texts[row])) {
      ++read.missing;
    } else if (!read.first_other) {
      read.first_other = row;
    }
  }
  return read;
}

}  // namespace

void ArraySpec::options(Options& o) {
  o.choice("task", goal.task, {"auto", "classification", "regression"},
           "auto: classes when the target is text or at most 20 different whole numbers");
  o("threshold", &goal.threshold, "makes two classes of a target of numbers: above it (1), or not (0)");
  o.choice("impute", impute, {"mean", "zero", "drop-row"},
           "what a missing number (NaN) becomes: its column's mean, 0, or a reason to leave the row out");
  o.choice("standardise", standardise, {"clients", "each", "none"},
           "bring columns to mean 0 and deviation 1: over the training rows of all training clients, of each "
           "client "
           "alone, or not at all; images are left as they are");
  o("standardise_target", &goal.standardise,
    "the same for the target of a regression, over all training clients");
  pixels.options(o);
  o.require(!goal.threshold || goal.task != "regression", "threshold",
            "makes classes, so task cannot be \"regression\"");
}

Pool make_array_pool(const ArraySpec& spec, ArrayRows rows, bool floats) {
  const std::size_t count = rows.targets.size();
  check(rows.x.size() == count * rows.width, "an array of another shape");
  if (rows.width == 0) throw Error(rows.file + ": " + rows.x_name + " has no features");
  const RowRoles::Fail fail = [&](std::size_t row, const std::string& column, const std::string& what) {
    throw Error(fmt::format("{}: row {}: {}: {}", rows.file, row + 1, column, what));
  };
  Target target = read_target(spec.goal, numbers(rows.targets), categories(rows.targets), "y", fail);
  std::vector<std::uint8_t> keep(count, 1);
  for (std::size_t row = 0; row < count; ++row) {
    if (absent(rows.targets[row])) keep[row] = 0;
    for (std::size_t j = 0; j < rows.width; ++j) {
      const double x = rows.x[row * rows.width + j];
      if (std::isinf(x)) fail(row, rows.x_name, "has a number that is not finite");
      if (std::isnan(x) && spec.impute == "drop-row") keep[row] = 0;
    }
  }
  if (std::count(keep.begin(), keep.end(), 1) == 0)
    throw Error(rows.file +
                ": no row is left: each lacks its target or, with impute = \"drop-row\", a feature");

  Pool pool;
  const RowRoles roles(rows.file, keep, fail);
  if (!rows.clients.empty()) roles.set_owners(pool, categories(rows.clients), "client");
  if (!rows.truth.empty()) roles.set_truth(pool, categories(rows.truth), "truth");
  if (!rows.split.empty()) roles.set_parts(pool, categories(rows.split), "split");
  if (!rows.weights.empty()) roles.set_weights(pool, numbers(rows.weights), "weight");
  roles.set_numbers(pool);

  Samples& all = pool.train;
  all.shape = target.shape;
  all.shape.width = rows.width;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < count; ++row) {
    if (!keep[row]) continue;
    const auto from = rows.x.begin() + static_cast<std::ptrdiff_t>(row * rows.width);
    std::copy_n(from, rows.width, rows.x.begin() + static_cast<std::ptrdiff_t>(kept * rows.width));
    all.targets.push_back(target.values[row]);
    ++kept;
  }
  rows.x.resize(kept * rows.width);
  all.features = std::move(rows.x);
  if (spec.pixels.any()) {
    make_images(spec.pixels, rows.file, all, floats);
    pool.classes = std::move(target.classes);
  } else {
    TableSchema& schema = pool.table.emplace();
    for (std::size_t j = 0; j < rows.width; ++j)
      schema.features.push_back({.column = fmt::format("{}[{}]", rows.x_name, j), .value = std::nullopt});
    schema.target = "y";
    schema.classes = std::move(target.classes);
    schema.scaling = scaling_of(spec.standardise);
    schema.impute = spec.impute;
    schema.scales_target = all.shape.task == Task::regression && spec.goal.standardise;
    schema.draft = true;
  }
  pool.test = all.empty_like();
  return pool;
}

}  // namespace coterie
