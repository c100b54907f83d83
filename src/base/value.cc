// Reading and writing TOML, and paths into it. toml11 stays inside this file.
#include "base/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <toml.hpp>
#include <tuple>

#include "base/text.h"
#include "base/toml_hints.h"

namespace coterie {

namespace {

// The characters of a number as they are in the file: toml11 gives the nearest limit for one that does not
// fit.
std::string number_text(const toml::source_location& place) {
  std::string text;
  for (std::size_t i = place.column() - 1; i < place.line_str().size(); ++i) {
    char c = place.line_str()[i];
    if (c == '_') continue;
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '+' && c != '-') break;
    text += c;
  }
  return text;
}

// Whether one of the two limits is what the file says.
bool fits_integer(std::int64_t value, const toml::source_location& place) {
  std::string digits = number_text(place);
  if (digits.starts_with('0')) return true;  // hexadecimal and the like
  digits.erase(0, digits.find_first_not_of("+-"));
  return digits == (value > 0 ? "9223372036854775807" : "9223372036854775808");
}

// Where a value begins; keys are put in this order, as toml11 does not keep that of the file.
using Position = std::pair<std::uint_least32_t, std::uint_least32_t>;
struct Placed {
  Value value;
  Position begins;
};

class Converter {
 public:
  Converter(std::string file, Problems& problems) : file_(std::move(file)), problems_(problems) {}

  Placed convert(const toml::value& from) {
    const toml::source_location place = from.location();
    Placed at;
    at.begins = {place.line(), place.column()};
    at.value.where = {file_, static_cast<int>(place.line())};
    return convert(from, std::move(at));
  }

 private:
  // A list with more items than this is a table's column rather than what somebody wrote: finding the place
  // of an item costs as much as the text before it is long, so its items are said to be where it begins.
  static constexpr std::size_t kPlacedItems = 200;

  // A value that is known to be there.
  Placed convert(const toml::value& from, Placed to) {
    if (from.is_boolean()) {
      to.value.data = from.as_boolean();
    } else if (from.is_integer()) {
      to.value.data = std::int64_t{from.as_integer()};
      const bool limit = from.as_integer() == std::numeric_limits<std::int64_t>::max() ||
                         from.as_integer() == std::numeric_limits<std::int64_t>::min();
      if (limit && !fits_integer(from.as_integer(), from.location())) {
        refuse(to, from.location(), "does not fit into 64 bits");
      }
    } else if (from.is_floating()) {
      to.value.data = from.as_floating();
      const bool limit = std::abs(from.as_floating()) == std::numeric_limits<double>::max();
      if (limit && std::isinf(std::strtod(number_text(from.location()).c_str(), nullptr))) {
        refuse(to, from.location(), "is too large for a number");
      }
    } else if (from.is_string()) {
      to.value.data = from.as_string().str;
    } else if (from.is_array()) {
      Array items;
      const bool many = from.as_array().size() > kPlacedItems;
      const Placed here = to;
      for (const toml::value& item : from.as_array()) {
        Placed placed = many ? convert(item, here) : convert(item);
        to.begins = std::min(to.begins, placed.begins);
        items.push_back(std::move(placed.value));
      }
      to.value.data = std::move(items);
    } else if (from.is_table()) {
      to.value.data = convert_table(from, to.begins);
    } else {
      problems_.add(to.value.where, "dates and times are not supported; write a string");
    }
    return to;
  }

  void refuse(const Placed& value, const toml::source_location& place, const char* why) {
    problems_.add(value.value.where, number_text(place) + " " + why);
  }

  Table convert_table(const toml::value& from, Position& begins) {
    std::vector<std::pair<std::string, Placed>> entries;
    for (const auto& [key, value] : from.as_table()) entries.emplace_back(key, convert(value));
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second.begins, a.first) < std::tie(b.second.begins, b.first);
    });
    Table table;
    for (auto& [key, placed] : entries) {
      begins = std::min(begins, placed.begins);
      table.entries.emplace_back(key, std::move(placed.value));
    }
    return table;
  }

  std::string file_;
  Problems& problems_;
};

std::string string_text(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\r':
        result += "\\r";
        break;
      default: {
        auto code = static_cast<unsigned char>(c);
        result += code < 0x20 || code == 0x7F ? fmt::format("\\u{:04X}", code) : std::string(1, c);
      }
    }
  }
  return result + '"';
}

std::string key_text(std::string_view key) {
  bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c)) || c == '_' || c == '-';
  });
  return bare ? std::string(key) : string_text(key);
}

std::string number_text(double number) {
  std::string text = fmt::format("{}", number);
  bool already_a_double = !std::isfinite(number) || text.find_first_of(".e") != std::string::npos;
  return already_a_double ? text : text + ".0";
}

// Arrays of tables become [[name]]; tables inside other arrays are written inline.
bool is_array_of_tables(const Value& value) {
  const Array* items = std::get_if<Array>(&value.data);
  return items != nullptr && !items->empty() &&
         std::all_of(items->begin(), items->end(), [](const Value& item) { return item.is_table(); });
}

// A long list has a line for each item: a person can read it, and toml11 looks at the whole line of an item,
// so that a list on one line would take it quadratic time.
std::string entry_text(const Value& value) {
  constexpr std::size_t kLongList = 50;
  const Array* items = std::get_if<Array>(&value.data);
  if (items == nullptr || items->size() <= kLongList) return value.text();
  std::string text = "[\n";
  for (const Value& item : *items) text += "  " + item.text() + ",\n";
  return text + "]";
}

void write_table(const Table& table, const std::string& prefix, std::string& out) {
  for (const auto& [key, value] : table.entries) {
    if (!value.is_table() && !is_array_of_tables(value)) {
      out += key_text(key) + " = " + entry_text(value) + "\n";
    }
  }
  for (const auto& [key, value] : table.entries) {
    std::string name = prefix + key_text(key);
    auto open = [&](std::string_view before, std::string_view after) {
      if (!out.empty()) out += '\n';
      out += fmt::format("{}{}{}\n", before, name, after);
    };
    if (value.is_table()) {
      open("[", "]");
      write_table(std::get<Table>(value.data), name + ".", out);
    } else if (is_array_of_tables(value)) {
      for (const Value& item : std::get<Array>(value.data)) {
        open("[[", "]]");
        write_table(std::get<Table>(item.data), name + ".", out);
      }
    }
  }
}

}  // namespace

const Value* Table::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

Value* Table::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

void Table::set(std::string_view key, Value value) {
  if (Value* present = find(key)) {
    *present = std::move(value);
  } else {
    entries.emplace_back(std::string(key), std::move(value));
  }
}

void Table::erase(std::string_view key) {
  std::erase_if(entries, [&](const auto& entry) { return entry.first == key; });
}

std::string Value::kind() const {
  static constexpr const char* kKinds[] = {"true or false", "an integer", "a number",
                                           "a string",      "a list",     "a table"};
  return kKinds[data.index()];
}

std::string Value::text() const {
  if (const bool* flag = std::get_if<bool>(&data)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&data)) return fmt::format("{}", *integer);
  if (const double* number = std::get_if<double>(&data)) return number_text(*number);
  if (const std::string* string = std::get_if<std::string>(&data)) return string_text(*string);
  std::vector<std::string> parts;
  if (const Array* items = std::get_if<Array>(&data)) {
    for (const Value& item : *items) parts.push_back(item.text());
    return "[" + join(parts, ", ") + "]";
  }
  for (const auto& [key, value] : std::get<Table>(data).entries) {
    parts.push_back(key_text(key) + " = " + value.text());
  }
  return parts.empty() ? "{}" : "{ " + join(parts, ", ") + " }";
}

Table parse_toml(const std::string& text, const std::string& file) {
  Problems problems;
  Table table;
  if (int line = first_line_not_utf8(text); line > 0) {
    problems.add({file, line}, "holds a character that is not UTF-8; save the file as UTF-8");
    problems.raise_if_any();
  }
  if (int line = first_line_too_deep(text); line > 0) {
    problems.add({file, line},
                 fmt::format("lists or tables lie more than {} deep inside each other; no option "
                             "needs that",
                             kDeepestToml));
    problems.raise_if_any();
  }
  try {
    std::istringstream stream(text);
    toml::value root = toml::parse(stream, file);
    Placed placed = Converter(file, problems).convert(root);
    table = std::move(std::get<Table>(placed.value.data));
  } catch (const toml::exception& failure) {
    int line = static_cast<int>(failure.location().line());
    std::vector<std::string> lines = split(text, '\n');
    bool known = line > 0 && static_cast<std::size_t>(line) <= lines.size();
    std::string hint = known ? unquoted_text_hint(lines[static_cast<std::size_t>(line) - 1]) : "";
    problems.add({file, line}, hint.empty() ? explain_parser(failure.what()) : hint);
  } catch (const std::runtime_error& failure) {
    problems.add({file, 0}, explain_parser(failure.what()));
  }
  problems.raise_if_any();
  return table;
}

Table read_toml(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) {
    Problems problems;
    problems.add({path, 0}, "cannot be read; is the path right?");
    problems.raise_if_any();
  }
  return parse_toml(text, path);
}

std::string write_toml(const Table& table) {
  std::string out;
  write_table(table, "", out);
  return out;
}

}  // namespace coterie
