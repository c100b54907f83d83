// Columns of a sheet as numbers or as categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coterie/data.h"
#include "data/formats/sheet.h"

namespace coterie {

// Texts that stand for a missing value.
class MissingTokens {
 public:
  explicit MissingTokens(const std::vector<std::string>& tokens) : tokens_(tokens) {}
  bool operator()(std::string_view text) const;

 private:
  const std::vector<std::string>& tokens_;
};

// A column read as numbers. What is missing or no number is NaN.
struct NumberColumn {
  Vec values;
  std::size_t numbers = 0;
  std::size_t missing = 0;
  std::optional<std::size_t> first_other;  // the first row that is neither
};
NumberColumn read_numbers(const Sheet& sheet, std::size_t column, const MissingTokens& missing);

// A column read as categories: numbered in numeric order when all are numbers (then 1 and 1.0 are the same),
// else in order of their text.
struct CategoryColumn {
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};
  std::vector<std::uint32_t> codes;  // by row
  std::vector<std::string> names;    // by code
};
CategoryColumn read_categories(const Sheet& sheet, std::size_t column, const MissingTokens& missing);
// The same of texts from elsewhere: nothing where a row's is missing. The texts must live as long as the
// call.
using TextOfRow = std::function<std::optional<std::string_view>(std::size_t row)>;
CategoryColumn categories_of(std::size_t rows, const TextOfRow& text_of);

}  // namespace coterie
