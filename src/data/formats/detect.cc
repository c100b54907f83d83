#include "data/formats/detect.h"

#include <algorithm>
#include <cctype>
#include <cmath>
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

// "12 %" is 12 with the unit " %", "$1,200.50" is 1,200.50 with "$". A letter before the number makes it a
// name.
std::optional<std::string> unit_of(std::string_view text) {
  std::size_t from = 0;
  while (from < text.size() && !is_digit(text[from])) ++from;
  std::size_t to = text.size();
  while (to > from && !is_digit(text[to - 1])) --to;
  if (from == to) return std::nullopt;
  std::string unit;
  for (char c : text.substr(0, from)) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#' || c == '/') return std::nullopt;
    if (c != '+' && c != '-') unit += c;
  }
  unit += text.substr(to);
  std::string_view number = text.substr(from, to - from);
  if (to_number(number) || is_decimal_comma(number)) return unit;
  // Groups of three, with one mark between them, and a fraction after another mark.
  const std::string_view marks = ",.' ";
  if (!digits(number, 1, 3) || number.empty()) return std::nullopt;
  const char mark = number[0];
  if (marks.find(mark) == std::string_view::npos) return std::nullopt;
  while (one_of(number, {&mark, 1})) {
    if (!digits(number, 3, 3)) return std::nullopt;
  }
  if (!number.empty() && !(one_of(number, ".,") && digits(number, 1, 30) && number.empty()))
    return std::nullopt;
  return unit;
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

bool begins_with_year(std::string_view text) { return digits(text, 4, 4) && one_of(text, "-/."); }

bool written_alike(std::string_view text, std::string_view longest) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_digit(text[at]) != is_digit(longest[at])) return false;
    if (!is_digit(text[at]) && text[at] != longest[at]) return false;
  }
  return text.size() == longest.size() || !is_digit(longest[text.size()]);
}

std::optional<std::string> looks_like_decimal_commas(const Sheet& sheet, std::size_t column,
                                                     const MissingTokens& missing) {
  return nearly_all(sheet, column, missing, is_decimal_comma,
                    [](std::string_view text) { return to_number(text).has_value(); });
}

std::optional<std::string> looks_like_measures(const Sheet& sheet, std::size_t column,
                                               const MissingTokens& missing) {
  constexpr std::size_t kFew = 10;  // values that may as well be categories: 36 months, 60 months
  std::optional<std::string> unit;
  std::unordered_set<std::string_view> values;
  const auto first = nearly_all(
      sheet, column, missing,
      [&](std::string_view text) {
        const auto its = unit_of(text);
        if (!its || (unit && *its != *unit)) return false;
        unit = its;
        values.insert(text);
        return !to_number(text);
      },
      [](std::string_view text) { return to_number(text).has_value(); });
  return values.size() > kFew ? first : std::nullopt;
}

bool looks_like_ids(const std::string& name, std::size_t distinct, std::size_t present, bool whole_numbers) {
  constexpr std::size_t kFew = 20;  // rows in which anything may differ
  if (present < kFew) return false;
  if (!whole_numbers) return 20 * distinct >= 19 * present;
  std::string low;
  for (char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* one : {"", "idx", "index", "row", "no", "nr", "number", "key", "unnamed: 0"}) {
    if (low == one) return distinct == present;  // might be a count, where some are equal
  }
  if (4 * distinct < 3 * present) return false;
  for (const char* one : {"id", "ids", "rowid", "uid", "uuid", "guid"}) {
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
      fits = !missing(text) && (!number || *number == std::floor(*number));
      values.insert(text);
      fits = fits && values.size() * kRowsEach <= sheet.rows();
    }
    if (fits && values.size() >= 2) names.push_back(sheet.columns()[c]);
  }
  return names;
}

}  // namespace coterie
