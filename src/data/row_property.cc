#include "data/row_property.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "coterie/error.h"

namespace coterie {
namespace {

// The place of a feature; throws Error when there is none of the name.
std::size_t place_of(const Pool& pool, const std::string& name) {
  std::vector<std::string> known = {"target", "mean", "deviation"};
  if (pool.table) {
    for (std::size_t j = 0; j < pool.table->features.size(); ++j) {
      const TableSchema::Feature& feature = pool.table->features[j];
      if (feature.value) continue;
      if (feature.column == name) return j;
      known.push_back(feature.column);
    }
  }
  std::size_t place = 0;
  const auto [end, why] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (why == std::errc() && end == name.data() + name.size() && place < pool.train.shape.width) return place;
  throw Error(fmt::format("partition \"continuous\": by = {}, or the number of a feature, from 0 to {}",
                          unknown_name(name, known), pool.train.shape.width - 1));
}

}  // namespace

Vec row_property(const Pool& pool, std::span<const std::uint32_t> rows, const std::string& name) {
  const bool target = name == "target", mean = name == "mean", deviation = name == "deviation";
  const std::size_t place = target || mean || deviation ? 0 : place_of(pool, name);
  Vec values, features(pool.train.shape.width);
  for (std::uint32_t row : rows) {
    if (target) {
      values.push_back(pool.train.targets[row]);
      continue;
    }
    pool.train.copy_row(row, features);
    if (!mean && !deviation) {
      values.push_back(features[place]);
      continue;
    }
    double sum = 0, squares = 0;
    for (double value : features) sum += value;
    const double centre = sum / static_cast<double>(features.size());
    for (double value : features) squares += (value - centre) * (value - centre);
    values.push_back(mean ? centre : std::sqrt(squares / static_cast<double>(features.size())));
  }
  return values;
}

}  // namespace coterie
