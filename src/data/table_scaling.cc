#include "data/table_scaling.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.h"
#include "coterie/error.h"

namespace coterie {
namespace {

const std::vector<double>& raw_features(const Samples& samples) {
  const auto* values = std::get_if<std::vector<double>>(&samples.features);
  check(values != nullptr, "the rows of a draft are doubles");
  return *values;
}

void settle_feature(const TableSchema& schema, const ColumnMoments& m, double rows,
                    TableSchema::Feature& feature) {
  feature.fill = schema.impute == "mean" ? m.middle() : 0;
  feature.mean = 0;
  feature.deviation = 1;
  if (schema.scaling == "none") return;
  feature.mean = m.middle();
  feature.deviation = m.deviation(rows);
}

template <class Real>
std::vector<Real> apply_to(const TableSchema& schema, const std::vector<double>& raw) {
  const std::size_t width = schema.features.size();
  std::vector<Real> all(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const TableSchema::Feature& feature = schema.features[i % width];
    double x = raw[i];
    if (!feature.value) x = scaled(std::isnan(x) ? feature.fill : x, feature.mean, feature.deviation);
    if (std::abs(x) > static_cast<double>(std::numeric_limits<Real>::max())) {
      throw Error(
          fmt::format("column {}: has numbers that are too large for float, such as {}; use standardise = "
                      "\"clients\" or precision = \"double\"",
                      in_quotes(feature.column), x));
    }
    all[i] = static_cast<Real>(x);
  }
  return all;
}

}  // namespace

double scaled(double x, double mean, double deviation) {
  const double gap = x - mean;
  return std::isfinite(gap) ? gap / deviation : (x / 4 - mean / 4) / (deviation / 4);
}

std::size_t moment_count(const TableSchema& schema, Task task) {
  std::size_t count = task == Task::regression ? 1 : 0;
  for (const TableSchema::Feature& feature : schema.features) count += feature.value ? 0 : 1;
  return count;
}

std::vector<ColumnMoments> table_moments(const TableSchema& schema, const Samples& raw) {
  const std::size_t width = schema.features.size();
  const std::vector<double>& values = raw_features(raw);
  std::vector<ColumnMoments> all;
  Vec column;
  for (std::size_t j = 0; j < width; ++j) {
    if (schema.features[j].value) continue;
    column.clear();
    for (std::size_t i = j; i < values.size(); i += width) {
      if (!std::isnan(values[i])) {
        column.push_back(values[i]);
      } else if (schema.impute == "zero") {
        column.push_back(0);
      }
    }
    all.push_back(moments_of(column));
  }
  if (raw.shape.task == Task::regression) all.push_back(moments_of(raw.targets));
  return all;
}

void settle_schema(TableSchema& draft, const std::vector<ColumnMoments>& all, double rows) {
  std::size_t next = 0;
  for (TableSchema::Feature& feature : draft.features) {
    if (!feature.value) settle_feature(draft, all.at(next++), rows, feature);
  }
  draft.target_mean = 0;
  draft.target_deviation = 1;
  if (draft.scales_target && next < all.size()) {
    draft.target_mean = all[next].middle();
    draft.target_deviation = all[next].deviation(rows);
  }
  draft.draft = false;
}

TableSchema own_schema(const TableSchema& agreed, const Samples& raw_train) {
  TableSchema own = agreed;
  if (raw_train.size() == 0) return own;
  settle_schema(own, table_moments(agreed, raw_train), static_cast<double>(raw_train.size()));
  own.target_mean = agreed.target_mean;
  own.target_deviation = agreed.target_deviation;
  return own;
}

void apply_schema(const TableSchema& schema, Samples& rows, bool floats) {
  const std::vector<double>& raw = raw_features(rows);
  if (floats) {
    rows.features = apply_to<float>(schema, raw);
  } else {
    rows.features = apply_to<double>(schema, raw);
  }
  if (rows.shape.task != Task::regression) return;
  for (double& y : rows.targets) y = scaled(y, schema.target_mean, schema.target_deviation);
}

void settle_alone(Pool& pool, bool floats) {
  settle_schema(*pool.table, table_moments(*pool.table, pool.train), static_cast<double>(pool.train.size()));
  apply_schema(*pool.table, pool.train, floats);
  apply_schema(*pool.table, pool.test, floats);
}

}  // namespace coterie
