// A config file as a tree of values that remember where they came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "coterie/error.h"

namespace coterie {

struct Value;

// Keys in the order of the file.
struct Table {
  std::vector<std::pair<std::string, Value>> entries;

  // Defined below, where a Value is complete: Clang 14 wants that before it copies or destroys the entries.
  Table();
  Table(const Table&);
  Table(Table&&) noexcept;
  Table& operator=(const Table&);
  Table& operator=(Table&&) noexcept;
  ~Table();

  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // Replaces or appends.
  void set(std::string_view key, Value value);
  void erase(std::string_view key);
};

using Array = std::vector<Value>;

struct Value {
  std::variant<bool, std::int64_t, double, std::string, Array, Table> data;
  Where where;

  bool is_table() const { return std::holds_alternative<Table>(data); }
  bool is_array() const { return std::holds_alternative<Array>(data); }
  // "a string", "an integer", ... for error texts.
  std::string kind() const;
  // As TOML would write it on one line.
  std::string text() const;
};

inline Table::Table() = default;
inline Table::Table(const Table&) = default;
inline Table::Table(Table&&) noexcept = default;
inline Table& Table::operator=(const Table&) = default;
inline Table& Table::operator=(Table&&) noexcept = default;
inline Table::~Table() = default;

// Parses TOML; throws BadConfig with file and line when it is not well formed.
Table parse_toml(const std::string& text, const std::string& file);
Table read_toml(const std::string& path);
// Writes a table as TOML that parse_toml reads back to the same values, doubles included.
std::string write_toml(const Table& table);

// The value at a dotted path such as "algorithm.kind", or nullptr.
const Value* find_path(const Table& table, std::string_view path);
// Sets the value at a dotted path, making the tables on the way. "shift.0.angles" goes into an array of
// tables.
void set_path(Table& table, std::string_view path, Value value);

}  // namespace coterie
