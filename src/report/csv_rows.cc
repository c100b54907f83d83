#include "report/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/disk.h"
#include "base/text.h"
#include "coterie/error.h"

namespace coterie {
namespace {

// The fields of one CSV line; quotes are doubled inside quotes.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

CsvRow::CsvRow(const std::vector<std::string>& header, std::vector<std::string> fields, std::string where)
    : header_(header), fields_(std::move(fields)), where_(std::move(where)) {
  if (fields_.size() != header_.size()) {
    throw Error(fmt::format("{}: has {} fields, the header has {}", where_, fields_.size(), header_.size()));
  }
}

std::string CsvRow::text(const std::string& name) const {
  auto it = std::find(header_.begin(), header_.end(), name);
  return it == header_.end() ? "" : fields_[static_cast<std::size_t>(it - header_.begin())];
}

double CsvRow::number(const std::string& name) const {
  std::string field = text(name);
  if (field.empty() || field == "nan" || field == "-nan") return kAbsent;
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(field, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != field.size()) throw Error(fmt::format("{}: {} = \"{}\" is not a number", where_, name, field));
  return value;
}

std::optional<std::uint32_t> CsvRow::index(const std::string& name) const {
  double value = number(name);
  if (!(value >= 0) || value > 4294967295.0) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

void for_each_row(const std::string& path, const std::function<void(const CsvRow&)>& use) {
  if (!is_file(path)) return;
  std::vector<std::string> header;
  std::string row;
  int number = 0;
  int first = 0;
  for (const std::string& line : split(read_file(path), '\n')) {
    ++number;
    if (row.empty()) first = number;
    row += row.empty() ? line : "\n" + line;
    if (std::count(row.begin(), row.end(), '"') % 2 != 0) continue;
    const std::string whole = std::exchange(row, "");
    if (trim(whole).empty()) continue;
    if (header.empty()) {
      header = csv_fields(whole);
    } else {
      use(CsvRow(header, csv_fields(whole), fmt::format("{}:{}", path, first)));
    }
  }
  if (!row.empty()) throw Error(fmt::format("{}:{}: a quote is not closed; was the file cut?", path, first));
}

}  // namespace coterie
