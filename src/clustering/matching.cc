#include "clustering/matching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "coterie/error.h"

namespace coterie {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A cost matrix seen with its shorter side as rows.
class Costs {
 public:
  Costs(std::span<const double> values, std::size_t rows, std::size_t columns)
      : values_(values), turned_(rows > columns), stride_(columns), rows_(rows), columns_(columns) {
    check(values.size() == rows * columns, "a cost matrix must have rows x columns values");
    if (turned_) std::swap(rows_, columns_);
  }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double operator()(std::size_t row, std::size_t column) const {
    return turned_ ? values_[column * stride_ + row] : values_[row * stride_ + column];
  }
  // Back from the turned view; row_of[column] is kUnmatched for free columns.
  std::vector<std::size_t> column_of_given_rows(const std::vector<std::size_t>& row_of) const {
    if (turned_) return row_of;
    std::vector<std::size_t> column_of(rows_, kUnmatched);
    for (std::size_t c = 0; c < row_of.size(); ++c) {
      if (row_of[c] != kUnmatched) column_of[row_of[c]] = c;
    }
    return column_of;
  }

 private:
  std::span<const double> values_;
  bool turned_;
  std::size_t stride_;
  std::size_t rows_;
  std::size_t columns_;
};

// Matches one more row: a shortest path in reduced costs from `row` to a free column, by Dijkstra's
// algorithm, then a switch of all matches along it. The potentials stay feasible: costs(r, c) >= row_price[r]
// + column_price[c].
struct Hungarian {
  explicit Hungarian(const Costs& costs)
      : costs(costs),
        row_price(costs.rows(), 0),
        column_price(costs.columns(), 0),
        row_of(costs.columns(), kUnmatched) {}

  void match(std::size_t row) {
    std::vector<double> distance(costs.columns(), kInfinity);
    std::vector<std::size_t> before(costs.columns(), kUnmatched);  // the column before this one on its path
    std::vector<char> done(costs.columns(), 0);
    std::vector<std::size_t> visited;  // columns whose distance is final
    double reached = 0;
    std::size_t r = row;
    std::size_t last = kUnmatched;
    while (true) {
      std::size_t nearest = kUnmatched;
      for (std::size_t c = 0; c < costs.columns(); ++c) {
        if (done[c]) continue;
        double through = reached + costs(r, c) - row_price[r] - column_price[c];
        if (through < distance[c]) {
          distance[c] = through;
          before[c] = last;
        }
        if (nearest == kUnmatched || distance[c] < distance[nearest]) nearest = c;
      }
      reached = distance[nearest];
      last = nearest;
      if (row_of[nearest] == kUnmatched) break;
      done[nearest] = 1;
      visited.push_back(nearest);
      r = row_of[nearest];
    }
    row_price[row] += reached;
    for (std::size_t c : visited) {
      row_price[row_of[c]] += reached - distance[c];
      column_price[c] -= reached - distance[c];
    }
    for (std::size_t c = last; c != kUnmatched; c = before[c]) {
      row_of[c] = before[c] == kUnmatched ? row : row_of[before[c]];
    }
  }

  const Costs& costs;
  std::vector<double> row_price;
  std::vector<double> column_price;
  std::vector<std::size_t> row_of;
};

// Whether all rows can be matched by costs of at most `limit`; fills row_of when they can.
class Threshold {
 public:
  Threshold(const Costs& costs, double limit)
      : costs_(costs), limit_(limit), row_of_(costs.columns(), kUnmatched) {}

  bool match_all() {
    for (std::size_t row = 0; row < costs_.rows(); ++row) {
      seen_.assign(costs_.columns(), 0);
      if (!augment(row)) return false;
    }
    return true;
  }
  const std::vector<std::size_t>& row_of() const { return row_of_; }

 private:
  bool augment(std::size_t row) {
    for (std::size_t c = 0; c < costs_.columns(); ++c) {
      if (seen_[c] || !(costs_(row, c) <= limit_)) continue;
      seen_[c] = 1;
      if (row_of_[c] == kUnmatched || augment(row_of_[c])) {
        row_of_[c] = row;
        return true;
      }
    }
    return false;
  }

  const Costs& costs_;
  double limit_;
  std::vector<std::size_t> row_of_;
  std::vector<char> seen_;
};

}  // namespace

Assignment assign_least_sum(std::span<const double> values, std::size_t rows, std::size_t columns) {
  Costs costs(values, rows, columns);
  check(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }),
        "costs of a least sum must be finite");
  Hungarian hungarian(costs);
  for (std::size_t row = 0; row < costs.rows(); ++row) hungarian.match(row);
  Assignment best{costs.column_of_given_rows(hungarian.row_of), 0};
  for (std::size_t r = 0; r < rows; ++r) {
    if (best.column[r] != kUnmatched) best.value += values[r * columns + best.column[r]];
  }
  return best;
}

Assignment assign_least_max(std::span<const double> values, std::size_t rows, std::size_t columns) {
  Costs costs(values, rows, columns);
  check(std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }),
        "costs of a least maximum must not be NaN");
  if (values.empty()) return {std::vector<std::size_t>(rows, kUnmatched), 0};
  std::vector<double> limits(values.begin(), values.end());
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  auto limit = std::partition_point(limits.begin(), limits.end(),
                                    [&](double l) { return !Threshold(costs, l).match_all(); });
  Threshold best(costs, *limit);
  check(best.match_all(), "the largest cost is always a wide enough threshold");
  return {costs.column_of_given_rows(best.row_of()), *limit};
}

}  // namespace coterie
