#include "data/row_cut.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "coterie/error.h"
#include "coterie/random.h"
#include "data/whole_order.h"

namespace coterie {
namespace {

using Places = std::vector<std::uint32_t>;

constexpr std::uint16_t kFolds = 0;  // ask of Purpose::fit

// The fold of each row. The emptiest fold takes the next lot: from `first` on, so that clients of few rows do
// not all fill the same one.
Places fold_of_rows(const Places& order, const std::vector<std::size_t>& ends, std::size_t folds,
                    std::size_t first) {
  Places fold(order.size(), static_cast<std::uint32_t>(folds));
  std::vector<std::size_t> filled(folds, 0);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::size_t best = first % folds;
    for (std::size_t k = 1; k < folds; ++k) {
      const std::size_t one = (first + k) % folds;
      if (filled[one] < filled[best]) best = one;
    }
    for (std::size_t at = begin; at < end; ++at) fold[order[at]] = static_cast<std::uint32_t>(best);
    filled[best] += end - begin;
    begin = end;
  }
  return fold;
}

void cut_at_random(std::vector<FoldRows>& folds, const Places& order, const std::vector<std::size_t>& ends,
                   ClientId client) {
  const Places fold = fold_of_rows(order, ends, folds.size(), client);
  for (std::uint32_t row = 0; row < fold.size(); ++row) {
    for (std::size_t f = 0; f < folds.size(); ++f)
      (fold[row] == f ? folds[f].held_out : folds[f].train).push_back(row);
  }
}

void cut_in_time(std::vector<FoldRows>& folds, const Places& order, const std::vector<std::size_t>& ends) {
  // Borders between the stretches, each at the nearest place where rows may be cut.
  std::vector<std::size_t> borders;
  for (std::size_t k = 1; k <= folds.size() + 1; ++k) {
    const std::size_t wanted = order.size() * k / (folds.size() + 1);
    const auto at = std::lower_bound(ends.begin(), ends.end(), std::max<std::size_t>(1, wanted));
    borders.push_back(at == ends.end() ? order.size() : *at);
  }
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto first = order.begin(), cut = first + static_cast<std::ptrdiff_t>(borders[f]);
    folds[f].train.assign(first, cut);
    folds[f].held_out.assign(cut, first + static_cast<std::ptrdiff_t>(borders[f + 1]));
    std::sort(folds[f].train.begin(), folds[f].train.end());
    std::sort(folds[f].held_out.begin(), folds[f].held_out.end());
  }
}

}  // namespace

std::vector<FoldRows> cut_rows(const RowsToCut& rows, ClientId client, std::size_t folds,
                               std::uint64_t seed) {
  Places order(rows.count);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<FoldRows> cut(folds);
  for (FoldRows& fold : cut) fold.train = order;
  Stream stream(seed, {.purpose = Purpose::fit, .ask = kFolds, .client = client});
  stream.shuffle(std::span(order));
  // Rows of a class side by side: dealt one by one, they go to different folds.
  if (rows.kin.empty() && rows.times.empty() && !rows.classes.empty()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rows.classes[a] < rows.classes[b]; });
  }
  const std::vector<std::size_t> ends = whole_order(order, rows.kin, rows.times);
  if (ends.size() < 2) return cut;
  cut.assign(folds, {});
  if (rows.times.empty()) {
    cut_at_random(cut, order, ends, client);
  } else {
    cut_in_time(cut, order, ends);
  }
  return cut;
}

CutSamples cut_samples(const Samples& train, std::span<const std::uint32_t> times, ClientId client,
                       const RowCut& cut) {
  check(cut.fold < cut.folds, "there is no such fold");
  const bool classes = train.shape.task == Task::classification;
  const FoldRows rows = cut_rows(
      {train.size(), classes ? std::span(train.targets) : std::span<const double>(), train.kin, times},
      client, cut.folds, cut.seed)[cut.fold];
  CutSamples made{train.rows(rows.train), train.rows(rows.held_out)};
  if (cut.blank) {
    blank_out(made.train);
    blank_out(made.held_out);
  }
  return made;
}

void blank_out(Samples& samples) {
  std::visit([](auto& features) { std::fill(features.begin(), features.end(), 0); }, samples.features);
}

}  // namespace coterie
