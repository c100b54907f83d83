// Text to numbers, and text to categories.
#include "data/formats/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "coterie/error.h"

namespace coterie {

bool MissingTokens::operator()(std::string_view text) const {
  return std::find(tokens_.begin(), tokens_.end(), text) != tokens_.end();
}

NumberColumn read_numbers(const Sheet& sheet, std::size_t column, const MissingTokens& missing) {
  NumberColumn read;
  read.values.assign(sheet.rows(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    const std::string_view text = sheet.cell(row, column);
    if (missing(text)) {
      ++read.missing;
    } else if (auto number = to_number(text)) {
      read.values[row] = *number;
      ++read.numbers;
    } else if (!read.first_other) {
      read.first_other = row;
    }
  }
  return read;
}

CategoryColumn read_categories(const Sheet& sheet, std::size_t column, const MissingTokens& missing) {
  struct Category {
    std::string_view text;
    std::optional<double> number;
  };
  // In order of appearance first.
  std::vector<Category> found;
  std::unordered_map<std::string_view, std::uint32_t> place;
  CategoryColumn read;
  read.codes.reserve(sheet.rows());
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    const std::string_view text = sheet.cell(row, column);
    if (missing(text)) {
      read.codes.push_back(CategoryColumn::kMissing);
      continue;
    }
    const auto [at, is_new] = place.emplace(text, static_cast<std::uint32_t>(found.size()));
    if (is_new) found.push_back({text, to_number(text)});
    read.codes.push_back(at->second);
  }

  const bool numeric =
      std::all_of(found.begin(), found.end(), [](const Category& c) { return c.number.has_value(); });
  std::vector<std::uint32_t> order(found.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return numeric ? *found[a].number < *found[b].number : found[a].text < found[b].text;
  });
  std::vector<std::uint32_t> code(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Category& category = found[order[i]];
    const bool repeats = numeric && i > 0 && *category.number == *found[order[i - 1]].number;
    if (!repeats) read.names.emplace_back(category.text);
    code[order[i]] = static_cast<std::uint32_t>(read.names.size() - 1);
  }
  for (std::uint32_t& c : read.codes) {
    if (c != CategoryColumn::kMissing) c = code[c];
  }
  return read;
}

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const double count = static_cast<double>(values.size());
  double sum = 0;
  for (double x : values) sum += x;
  if (std::isfinite(sum)) return sum / count;
  double mean = 0;
  for (double x : values) mean += x / count;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::clamp(mean, *low, *high);
}

ColumnScaling standardise(std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double low = *lowest, high = *highest;
  if (low == high) {
    std::fill(values.begin(), values.end(), 0.0);
    return {low, 1};
  }
  // Squares of numbers beyond 2^400 may overflow, and those of numbers below 2^-400 vanish. Such a column is
  // worked on in units of a power of two.
  int unit = 0;
  std::frexp(std::max(std::abs(low), std::abs(high)), &unit);
  if (std::abs(unit) <= 400) unit = 0;
  if (unit != 0) {
    for (double& x : values) x = std::ldexp(x, -unit);
  }
  const double count = static_cast<double>(values.size());
  double mean = 0, variance = 0;
  for (double x : values) mean += x / count;
  for (double x : values) variance += (x - mean) * (x - mean) / count;
  double deviation = std::sqrt(variance);
  ColumnScaling scaling{mean, deviation};
  if (unit != 0) {
    // What is told of the column is what is done to it, also where the units round it.
    using Limits = std::numeric_limits<double>;
    scaling.mean = std::clamp(std::ldexp(mean, unit), low, high);
    scaling.deviation = std::clamp(std::ldexp(deviation, unit), Limits::denorm_min(), Limits::max());
    mean = std::ldexp(scaling.mean, -unit);
    deviation = std::ldexp(scaling.deviation, -unit);
  }
  for (double& x : values) x = (x - mean) / deviation;
  return scaling;
}

}  // namespace coterie
