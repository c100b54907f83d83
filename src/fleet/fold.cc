#include "coterie/fold.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "coterie/methods/slots.h"
#include "math/lanes.h"

namespace coterie {
namespace {

// The largest s with limit * 2^s < 2^62.
int grid_shift(double limit) {
  return 62 - static_cast<int>(std::clamp(std::ceil(std::log2(limit)), 0.0, 62.0));
}

// Adds round(w * x * 2^s) to integers, `factor` being w * 2^s; at most |x| <= largest. Both ways round to
// nearest even and give the same integers: below 2^51 a double's own mantissa does the rounding, four lanes
// at a time.
template <class Real>
void add_on_grid(std::span<const Real> x, double factor, double largest, std::span<std::int64_t> sums) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52
  constexpr double kFast = 2251799813685248.0;   // 2^51
  if (!(std::fabs(factor) * largest < kFast)) {
    for (std::size_t j = 0; j < x.size(); ++j) sums[j] += std::llrint(factor * static_cast<double>(x[j]));
    return;
  }
  std::size_t j = 0;
  for (; j + 4 <= x.size(); j += 4) {
    typedef std::int64_t Integers __attribute__((vector_size(32)));
    Lanes<double> scaled = {static_cast<double>(x[j]), static_cast<double>(x[j + 1]),
                            static_cast<double>(x[j + 2]), static_cast<double>(x[j + 3])};
    scaled = scaled * factor + kMagic;
    Integers sum;
    std::memcpy(&sum, sums.data() + j, sizeof sum);
    sum += std::bit_cast<Integers>(scaled) - std::bit_cast<std::int64_t>(kMagic);
    std::memcpy(sums.data() + j, &sum, sizeof sum);
  }
  for (; j < x.size(); ++j) {
    const double scaled = static_cast<double>(x[j]) * factor + kMagic;
    sums[j] += std::bit_cast<std::int64_t>(scaled) - std::bit_cast<std::int64_t>(kMagic);
  }
}

std::string refuse_values(std::size_t width, double limit, const Numbers& values) {
  if (values.size() != width) {
    return "its vector has " + std::to_string(values.size()) + " values, not " + std::to_string(width);
  }
  const double largest = values.largest(limit);
  if (std::isnan(largest)) return "its vector has values that are not finite";
  if (largest > limit) {
    return fmt::format("its vector has a value of {:g}, beyond aggregate.limit = {:g}", largest, limit);
  }
  return "";
}

std::string refuse_share(std::size_t slots, std::size_t slot, double weight) {
  if (slot >= slots) return "it names cluster " + std::to_string(slot) + " of " + std::to_string(slots);
  if (!(weight >= 0) || !std::isfinite(weight)) return "its weight is " + std::to_string(weight);
  return "";
}

}  // namespace

std::string Slots::refuse(std::size_t slot, double weight, const Numbers& values) const {
  std::string reason = refuse_share(count(), slot, weight);
  return reason.empty() ? refuse_values(width(slot), limit_, values) : reason;
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

void Sums::enter(unsigned worker, std::size_t slot, double weight) {
  Cell& cell = cells_[worker][slot];
  if (cell.values.empty()) cell.values.assign(width(slot), 0);
  cell.weight += std::llrint(std::ldexp(weight, weight_shift_));
  ++cell.members;
}

void Sums::add(unsigned worker, ClientId client, std::size_t slot, double weight, const Numbers& values) {
  const Piece one{client, slot, weight, &values};
  add_block(worker, {&one, 1});
}

void Sums::add_block(unsigned worker, std::span<const Piece> pieces) {
  constexpr std::size_t kStretch = 9600;  // of a vector: it and its sums stay in cache
  const double scale = std::ldexp(1.0, shift_);
  std::vector<bool> done(count(), false);
  for (const Piece& first : pieces) {
    if (done[first.slot]) continue;
    done[first.slot] = true;
    std::size_t step = 1;  // suits them all
    for (const Piece& one : pieces) {
      if (one.slot != first.slot) continue;
      enter(worker, one.slot, one.weight);
      step = std::lcm(step, one.values->step());
    }
    std::span<std::int64_t> sums = cells_[worker][first.slot].values;
    const std::size_t stretch = step * std::max<std::size_t>(1, kStretch / step);
    for (std::size_t begin = 0; begin < sums.size(); begin += stretch) {
      const std::size_t length = std::min(stretch, sums.size() - begin);
      for (const Piece& one : pieces) {
        if (one.slot != first.slot) continue;
        one.values->piece(begin, length, [&](auto values) {
          add_on_grid(values, one.weight * scale, one.values->largest(limit_), sums.subspan(begin, length));
        });
      }
    }
  }
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

void Sums::merge(Peers& peers) {
  close();
  std::vector<std::int64_t> numbers;
  for (const Cell& cell : cells_[0]) {
    numbers.insert(numbers.end(), cell.values.begin(), cell.values.end());
    numbers.push_back(cell.weight);
    numbers.push_back(static_cast<std::int64_t>(cell.members));
  }
  peers.sum(numbers);
  auto next = numbers.begin();
  for (Cell& cell : cells_[0]) {
    for (std::int64_t& value : cell.values) value = *next++;
    cell.weight = *next++;
    cell.members = static_cast<std::uint64_t>(*next++);
  }
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
  return sizeof(Contribution) + (1 + aggregator_.copies()) * widest * sizeof(double);
}

void Robust::open(unsigned workers) {
  cells_.assign(workers, std::vector<std::vector<Contribution>>(count()));
}

void Robust::add(unsigned worker, ClientId client, std::size_t slot, double weight, const Numbers& values) {
  cells_[worker][slot].push_back({client, weight, values});
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

void Robust::merge(Peers& peers) {
  close();
  std::vector<std::vector<Contribution>> all(count());
  for (const Bytes& one : peers.gather(encode(cells_[0], Precision::f64))) {
    auto theirs = decode<std::vector<std::vector<Contribution>>>(one, Precision::f64);
    check(theirs.size() == count(), "processes fold into the same slots");
    for (std::size_t k = 0; k < count(); ++k) {
      std::move(theirs[k].begin(), theirs[k].end(), std::back_inserter(all[k]));
    }
  }
  cells_.assign(1, std::move(all));
}

std::optional<Vec> Robust::mean(std::size_t slot) const {
  if (weight(slot) <= 0) return std::nullopt;
  if (width(slot) == 0) return Vec();
  const std::vector<Contribution>& all = cells_[0][slot];
  auto counts = [](const Contribution& one) { return one.weight > 0; };
  if (std::all_of(all.begin(), all.end(), counts)) return aggregator_.combine(all);
  std::vector<Contribution> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), counts);
  return aggregator_.combine(some);
}

double Robust::weight(std::size_t slot) const {
  double total = 0;
  for (const auto& one : cells_[0][slot]) total += one.weight;
  return total;
}

std::size_t Robust::members(std::size_t slot) const { return cells_[0][slot].size(); }

void AggregateOptions::options(Options& o) {
  o.choice("weights", weights, {"samples", "uniform"},
           "a client counts by its training samples, or as 1; odcl, naive-average and oracle-average "
           "ignore this option");
  o("limit", &limit, "largest coordinate that a reply may have; a reply beyond it is left out",
    between(1e-6, 1e9));
}

std::unique_ptr<Slots> AggregateOptions::slots(std::size_t count, std::size_t width,
                                               double total_weight) const {
  if (kind == "mean") return std::make_unique<Sums>(count, width, total_weight, limit);
  return std::make_unique<Robust>(std::vector<std::size_t>(count, width), *aggregator, limit);
}

}  // namespace coterie
