// Text to numbers, and text to categories.
#include "data/formats/columns.h"

#include <algorithm>
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
  return categories_of(sheet.rows(), [&](std::size_t row) -> std::optional<std::string_view> {
    const std::string_view text = sheet.cell(row, column);
    if (missing(text)) return std::nullopt;
    return text;
  });
}

CategoryColumn categories_of(std::size_t rows, const TextOfRow& text_of) {
  struct Category {
    std::string_view text;
    std::optional<double> number;
  };
  // In order of appearance first.
  std::vector<Category> found;
  std::unordered_map<std::string_view, std::uint32_t> place;
  CategoryColumn read;
  read.codes.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::optional<std::string_view> text = text_of(row);
    if (!text) {
      read.codes.push_back(CategoryColumn::kMissing);
      continue;
    }
    const auto [at, is_new] = place.emplace(*text, static_cast<std::uint32_t>(found.size()));
    if (is_new) found.push_back({*text, to_number(*text)});
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

}  // namespace coterie
