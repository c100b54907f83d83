// The rows of a run's CSV files, by the names of their columns.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace coterie {

// A figure that does not apply.
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

class CsvRow {
 public:
  CsvRow(const std::vector<std::string>& header, std::vector<std::string> fields, std::string where);
  const std::vector<std::string>& header() const { return header_; }
  // Empty where there is no such column.
  std::string text(const std::string& name) const;
  // NaN where it is empty; throws Error when it is no number.
  double number(const std::string& name) const;
  std::optional<std::uint32_t> index(const std::string& name) const;

 private:
  const std::vector<std::string>& header_;
  std::vector<std::string> fields_;
  std::string where_;
};

// Calls `use` for each row below the header; none when there is no such file. Names in quotes may have line
// breaks. Throws Error, with the file and line, where a row does not fit the header.
void for_each_row(const std::string& path, const std::function<void(const CsvRow&)>& use);

}  // namespace coterie
