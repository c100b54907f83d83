// Dotted paths into a config: "algorithm.kind", "shift.0.angles".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "base/toml_hints.h"
#include "base/value.h"

namespace coterie {

namespace {

std::optional<std::size_t> as_index(std::string_view part) {
  std::size_t index = 0;
  auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (failure != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return index;
}

[[noreturn]] void refuse(const Where& where, std::string what) {
  Problems problems;
  problems.add(where, std::move(what));
  problems.raise_if_any();
  throw Bug("unreachable");
}

}  // namespace

const Value* find_path(const Table& table, std::string_view path) {
  std::vector<std::string> parts = split(path, '.');
  const Value* at = table.find(parts.front());
  for (std::size_t i = 1; i < parts.size() && at != nullptr; ++i) {
    if (const Table* inner = std::get_if<Table>(&at->data)) {
      at = inner->find(parts[i]);
    } else if (const Array* items = std::get_if<Array>(&at->data)) {
      std::optional<std::size_t> index = as_index(parts[i]);
      at = index && *index < items->size() ? &(*items)[*index] : nullptr;
    } else {
      at = nullptr;
    }
  }
  return at;
}

void set_path(Table& table, std::string_view path, Value value) {
  std::vector<std::string> parts = split(path, '.');
  if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); })) {
    refuse(value.where, fmt::format("\"{}\" is not a path; write names with dots between them", path));
  }
  if (parts.size() > kDeepestToml) {
    refuse(value.where, fmt::format("{} is not a path: it has {} parts; no option lies that deep",
                                    in_quotes(path), parts.size()));
  }
  auto missing = [&](std::size_t next) {
    // A number asks for a list.
    bool list = next < parts.size() && as_index(parts[next]);
    return Value{list ? decltype(Value::data)(Array()) : decltype(Value::data)(Table()), value.where};
  };

  if (table.find(parts.front()) == nullptr) table.set(parts.front(), missing(1));
  Value* at = table.find(parts.front());
  std::string walked = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (Table* inner = std::get_if<Table>(&at->data)) {
      if (inner->find(parts[i]) == nullptr) inner->set(parts[i], missing(i + 1));
      at = inner->find(parts[i]);
    } else if (Array* items = std::get_if<Array>(&at->data)) {
      std::optional<std::size_t> index = as_index(parts[i]);
      if (!index || *index > items->size()) {
        refuse(value.where, fmt::format("{}.{}: {} is a list of {}; write a position from 0 to {}", walked,
                                        parts[i], walked, items->size(), items->size()));
      }
      if (*index == items->size()) items->push_back(missing(i + 1));
      at = &(*items)[*index];
    } else {
      refuse(value.where, fmt::format("{}.{}: {} = {} is not a table", walked, parts[i], walked, at->text()));
    }
    walked += "." + parts[i];
  }
  *at = std::move(value);
}

}  // namespace coterie
