#include "data/formats/detect.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <unordered_set>

namespace coterie {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Steps over `least` to `most` digits.
bool digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  while (n < text.size() && n < most && is_digit(text[n])) ++n;
  text.remove_prefix(n);
  return n >= least;
}
bool one_of(std::string_view& text, std::string_view marks) {
  if (text.empty() || marks.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool is_time(std::string_view text) {
  if (!digits(text, 1, 2) || !one_of(text, ":") || !digits(text, 2, 2)) return false;
  if (text.empty() || text == "Z") return true;
  return one_of(text, ":") && digits(text, 2, 2);  // what follows may be fractions or a zone
}

bool is_date(std::string_view text) {
  if (is_time(text)) return true;
  const std::string_view whole = text;
  const std::string_view marks = "-/.";
  // Year first, then day and month in either order first.
  if (!(digits(text, 4, 4) && one_of(text, marks) && digits(text, 1, 2) && one_of(text, marks) &&
        digits(text, 1, 2))) {
    text = whole;
    if (!(digits(text, 1, 2) && one_of(text, marks) && digits(text, 1, 2) && one_of(text, marks) &&
          digits(text, 2, 4)))
      return false;
  }
  if (text.empty()) return true;
  return one_of(text, " T") && is_time(text);
}

bool is_decimal_comma(std::string_view text) {
  one_of(text, "+-");
  return digits(text, 1, 30) && one_of(text, ",") && digits(text, 1, 30) && text.empty();
}

std::optional<std::string> nearly_all(const Sheet& sheet, std::size_t column, const MissingTokens& missing,
                                      const std::function<bool(std::string_view)>& is,
                                      const std::function<bool(std::string_view)>& passes) {
  std::size_t hits = 0, present = 0;
  std::optional<std::string> first;
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    const std::string_view text = sheet.cell(row, column);
    if (missing(text)) continue;
    ++present;
    if (is(text)) {
      ++hits;
      if (!first) first = std::string(text);
    } else if (passes(text)) {
      ++hits;
    }
  }
  return first && 10 * hits >= 9 * present ? first : std::nullopt;
}

}  // namespace

std::optional<std::string> looks_like_dates(const Sheet& sheet, std::size_t column,
                                            const MissingTokens& missing) {
  return nearly_all(sheet, column, missing, is_date, [](std::string_view) { return false; });
}

std::optional<std::string> looks_like_decimal_commas(const Sheet& sheet, std::size_t column,
                                                     const MissingTokens& missing) {
  return nearly_all(sheet, column, missing, is_decimal_comma,
                    [](std::string_view text) { return to_number(text).has_value(); });
}

bool looks_like_ids(const std::string& name, std::size_t distinct, std::size_t present, bool whole_numbers) {
  constexpr std::size_t kFew = 20;  // rows in which anything may differ
  if (present < kFew) return false;
  if (!whole_numbers) return 20 * distinct >= 19 * present;
  if (distinct != present) return false;
  std::string low;
  for (char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* one : {"", "id", "ids", "idx", "index", "rowid", "row", "no", "nr", "number", "key", "uid",
                          "uuid", "guid", "unnamed: 0"}) {
    if (low == one) return true;
  }
  // patient_id, "Record ID", patientId; not "humid".
  if (name.size() < 3 || !low.ends_with("id")) return false;
  const char before = name[name.size() - 3];
  const bool apart = !std::isalnum(static_cast<unsigned char>(before));
  const bool capital = std::isupper(static_cast<unsigned char>(name[name.size() - 2])) &&
                       std::islower(static_cast<unsigned char>(before));
  return apart || capital;
}

std::vector<std::string> possible_clients(const Sheet& sheet, const std::string& target,
                                          const MissingTokens& missing) {
  constexpr std::size_t kRowsEach = 3, kListed = 8;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < sheet.columns().size() && names.size() < kListed; ++c) {
    if (sheet.columns()[c] == target) continue;
    std::unordered_set<std::string_view> values;
    bool fits = true;
    for (std::size_t row = 0; row < sheet.rows() && fits; ++row) {
      const std::string_view text = sheet.cell(row, c);
      const auto number = to_number(text);
      // Every row must have one, and measured numbers are no names.
      fits = !missing(text) && (!number || *number == static_cast<double>(static_cast<long long>(*number)));
      values.insert(text);
      fits = fits && values.size() * kRowsEach <= sheet.rows();
    }
    if (fits && values.size() >= 2) names.push_back(sheet.columns()[c]);
  }
  return names;
}

}  // namespace coterie
