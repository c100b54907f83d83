#include "coterie/fold.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace coterie {
namespace {

// The largest s with limit * 2^s < 2^62.
int grid_shift(double limit) {
  return 62 - static_cast<int>(std::clamp(std::ceil(std::log2(limit)), 0.0, 62.0));
}

// Adds round(w * x * 2^s) to integers. Both ways round to nearest even and give the same integers: below 2^51
// a double's own mantissa does the rounding, which vectorises.
void add_on_grid(std::span<const double> x, double w, double scale, std::span<std::int64_t> sums) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52
  constexpr double kFast = 2251799813685248.0;   // 2^51
  constexpr std::size_t kChunk = 512;
  for (std::size_t begin = 0; begin < x.size(); begin += kChunk) {
    std::size_t end = std::min(x.size(), begin + kChunk);
    bool fast = true;
    for (std::size_t j = begin; j < end; ++j) fast &= std::abs((w * x[j]) * scale) < kFast;
    if (fast) {
      for (std::size_t j = begin; j < end; ++j) {
        sums[j] +=
            std::bit_cast<std::int64_t>((w * x[j]) * scale + kMagic) - std::bit_cast<std::int64_t>(kMagic);
      }
    } else {
      for (std::size_t j = begin; j < end; ++j) sums[j] += std::llrint((w * x[j]) * scale);
    }
  }
}

}  // namespace

std::string Slots::refuse(std::size_t slot, double weight, std::span<const double> values) const {
  if (slot >= widths_.size()) {
    return "it names cluster " + std::to_string(slot) + " of " + std::to_string(widths_.size());
  }
  if (!(weight >= 0) || !std::isfinite(weight)) return "its weight is " + std::to_string(weight);
  if (values.size() != widths_[slot]) {
    return "its vector has " + std::to_string(values.size()) + " values, not " +
           std::to_string(widths_[slot]);
  }
  std::size_t not_finite = 0;
  double largest = 0;
  for (double v : values) {
    if (!std::isfinite(v)) ++not_finite;
    largest = std::max(largest, std::abs(v));
  }
  if (not_finite > 0) return "its vector has " + std::to_string(not_finite) + " values that are not finite";
  if (largest > limit_) {
    return fmt::format("its vector has a value of {:g}, beyond aggregate.limit = {:g}", largest, limit_);
  }
  return "";
}

Sums::Sums(std::vector<std::size_t> widths, double total_weight, double limit)
    : Slots(std::move(widths), limit),
      total_weight_(total_weight),
      shift_(grid_shift(std::max(1.0, limit * total_weight))),
      weight_shift_(grid_shift(std::max(1.0, total_weight))) {
  check(std::isfinite(total_weight) && total_weight >= 0, "Sums needs the total weight of the cohort");
  if (shift_ < 20) {
    throw Error("aggregate.limit = " + std::to_string(limit) + " with a total weight of " +
                std::to_string(total_weight) + " leaves too few digits for exact sums; lower the limit");
  }
}

void Sums::open(unsigned workers) { cells_.assign(workers, std::vector<Cell>(count())); }

void Sums::add(unsigned worker, ClientId, std::size_t slot, double weight, std::span<const double> values) {
  Cell& cell = cells_[worker][slot];
  if (cell.values.empty()) cell.values.assign(width(slot), 0);
  add_on_grid(values, weight, std::ldexp(1.0, shift_), cell.values);
  cell.weight += std::llrint(std::ldexp(weight, weight_shift_));
  ++cell.members;
}

void Sums::close() {
  std::vector<Cell> total(count());
  double weight_sum = 0;
  for (std::size_t k = 0; k < count(); ++k) {
    total[k].values.assign(width(k), 0);
    for (auto& cells : cells_) {
      for (std::size_t j = 0; j < cells[k].values.size(); ++j) total[k].values[j] += cells[k].values[j];
      total[k].weight += cells[k].weight;
      total[k].members += cells[k].members;
    }
    weight_sum = std::max(weight_sum, std::ldexp(static_cast<double>(total[k].weight), -weight_shift_));
  }
  check(weight_sum <= total_weight_ * (1 + 1e-9) + 1e-9,
        "a slot's weights exceed the total weight its sums were set up for");
  cells_.assign(1, std::move(total));
}

std::optional<Vec> Sums::mean(std::size_t slot) const {
  double total = weight(slot);
  if (total <= 0) return std::nullopt;
  Vec out = sum(slot);
  for (double& v : out) v /= total;
  return out;
}

double Sums::weight(std::size_t slot) const {
  return std::ldexp(static_cast<double>(cells_[0][slot].weight), -weight_shift_);
}

std::size_t Sums::members(std::size_t slot) const { return cells_[0][slot].members; }

Vec Sums::sum(std::size_t slot) const {
  const auto& integers = cells_[0][slot].values;
  double unit = std::ldexp(1.0, -shift_);
  Vec out(integers.size());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<double>(integers[j]) * unit;
  return out;
}

Robust::Robust(std::vector<std::size_t> widths, const Aggregator& aggregator, double limit)
    : Slots(std::move(widths), limit), aggregator_(aggregator) {}

std::uint64_t Robust::bytes_each() const {
  std::size_t widest = widths_.empty() ? 0 : *std::max_element(widths_.begin(), widths_.end());
  return sizeof(Contribution) + widest * sizeof(double);
}

void Robust::open(unsigned workers) {
  cells_.assign(workers, std::vector<std::vector<Contribution>>(count()));
}

void Robust::add(unsigned worker, ClientId client, std::size_t slot, double weight,
                 std::span<const double> values) {
  cells_[worker][slot].push_back({client, weight, Vec(values.begin(), values.end())});
}

void Robust::close() {
  auto& all = cells_[0];
  for (std::size_t k = 0; k < count(); ++k) {
    for (std::size_t worker = 1; worker < cells_.size(); ++worker) {
      auto& part = cells_[worker][k];
      std::move(part.begin(), part.end(), std::back_inserter(all[k]));
    }
    std::sort(all[k].begin(), all[k].end(), [](const auto& a, const auto& b) { return a.client < b.client; });
  }
  cells_.resize(1);
}

std::optional<Vec> Robust::mean(std::size_t slot) const {
  if (weight(slot) <= 0) return std::nullopt;
  return aggregator_.combine(cells_[0][slot]);
}

double Robust::weight(std::size_t slot) const {
  double total = 0;
  for (const auto& one : cells_[0][slot]) total += one.weight;
  return total;
}

std::size_t Robust::members(std::size_t slot) const { return cells_[0][slot].size(); }

void AggregateOptions::options(Options& o) {
  o.choice("weights", weights, {"samples", "uniform"}, "a client counts by its training samples, or as 1");
  o("limit", &limit, "largest coordinate that a reply may have; a reply beyond it is left out",
    between(1e-6, 1e9));
}

std::unique_ptr<Slots> AggregateOptions::slots(std::size_t count, std::size_t width,
                                               double total_weight) const {
  if (kind == "mean") return std::make_unique<Sums>(count, width, total_weight, limit);
  return std::make_unique<Robust>(std::vector<std::size_t>(count, width), *aggregator, limit);
}

}  // namespace coterie
