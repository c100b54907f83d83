#include "fit/folds.h"

#include <algorithm>
#include <numeric>

#include "data/whole_order.h"

namespace coterie {
namespace {

using Places = std::vector<std::uint32_t>;

constexpr std::uint16_t kFolds = 0;  // ask of Purpose::fit

// The fold of each row, or of no fold: `folds`.
Places fold_of_rows(Places order, const std::vector<std::size_t>& ends, std::size_t folds,
                    std::size_t first) {
  Places fold(order.size(), static_cast<std::uint32_t>(folds));
  std::vector<std::size_t> filled(folds, 0);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    // The emptiest fold, from `first` on, so that clients of few rows do not all fill the same one.
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

class Planner {
 public:
  Planner(const Federation& base, std::size_t count, std::uint64_t seed)
      : base_(base), count_(count), seed_(seed) {}

  FoldPlan plan() {
    FoldPlan plan;
    plan.folds.assign(count_, std::vector<FoldRows>(base_.training()));
    for (ClientId client = 0; client < base_.training(); ++client) {
      const Federation::RowBonds bonds = base_.bonds(client);
      plan.in_time = plan.in_time || !bonds.times.empty();
      const std::size_t rows = base_.info(client).train;
      Places order(rows);
      std::iota(order.begin(), order.end(), 0u);
      Stream stream(seed_, {.purpose = Purpose::fit, .ask = kFolds, .client = client});
      stream.shuffle(std::span(order));
      if (bonds.kin.empty() && bonds.times.empty()) spread_classes(client, order);
      const std::vector<std::size_t> ends = whole_order(order, bonds.kin, bonds.times);
      if (ends.size() < 2) {
        for (auto& fold : plan.folds) fold[client].train = all(rows);
        plan.unjudged += 1;
      } else if (!bonds.times.empty()) {
        cut_in_time(plan, client, order, ends);
      } else {
        cut_at_random(plan, client, order, ends);
      }
    }
    return plan;
  }

 private:
  static Places all(std::size_t rows) {
    Places places(rows);
    std::iota(places.begin(), places.end(), 0u);
    return places;
  }

  // Rows of a class side by side: dealt one by one, they go to different folds.
  void spread_classes(ClientId client, Places& order) const {
    if (base_.shape().task != Task::classification) return;
    const std::shared_ptr<const Samples> own = base_.samples(client, Part::train, 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return own->label(a) < own->label(b); });
  }

  void cut_at_random(FoldPlan& plan, ClientId client, const Places& order,
                     const std::vector<std::size_t>& ends) const {
    const Places fold = fold_of_rows(order, ends, count_, client);
    for (std::uint32_t row = 0; row < fold.size(); ++row) {
      for (std::size_t f = 0; f < count_; ++f) {
        FoldRows& own = plan.folds[f][client];
        (fold[row] == f ? own.held_out : own.train).push_back(row);
      }
    }
  }

  void cut_in_time(FoldPlan& plan, ClientId client, const Places& order,
                   const std::vector<std::size_t>& ends) const {
    // Borders between count + 1 stretches, each at the nearest place where rows may be cut.
    std::vector<std::size_t> borders;
    for (std::size_t k = 1; k <= count_ + 1; ++k) {
      const std::size_t wanted = order.size() * k / (count_ + 1);
      const auto at = std::lower_bound(ends.begin(), ends.end(), std::max<std::size_t>(1, wanted));
      borders.push_back(at == ends.end() ? order.size() : *at);
    }
    for (std::size_t f = 0; f < count_; ++f) {
      FoldRows& own = plan.folds[f][client];
      const auto first = order.begin(), cut = first + static_cast<std::ptrdiff_t>(borders[f]);
      own.train.assign(first, cut);
      own.held_out.assign(cut, first + static_cast<std::ptrdiff_t>(borders[f + 1]));
      std::sort(own.train.begin(), own.train.end());
      std::sort(own.held_out.begin(), own.held_out.end());
    }
  }

  const Federation& base_;
  std::size_t count_;
  std::uint64_t seed_;
};

void blank_out(Samples& samples) {
  std::visit([](auto& features) { std::fill(features.begin(), features.end(), 0); }, samples.features);
}

}  // namespace

std::size_t FoldPlan::judged_rows() const {
  std::size_t rows = 0;
  for (const auto& fold : folds) {
    for (const FoldRows& own : fold) rows += own.held_out.size();
  }
  return rows;
}

FoldPlan make_folds(const Federation& base, std::size_t count, std::uint64_t seed) {
  return Planner(base, count, seed).plan();
}

std::size_t fold_count(std::size_t rows, std::size_t parameters) {
  if (rows > 200'000) return 2;
  return rows > 50'000 || parameters > 150 ? 3 : 5;
}

FoldedFederation::FoldedFederation(std::shared_ptr<const Federation> base,
                                   std::shared_ptr<const FoldPlan> plan, std::size_t fold, double gigabytes,
                                   bool blank)
    : base_(std::move(base)), plan_(std::move(plan)), fold_(fold), blank_(blank), cache_(gigabytes) {}

ClientInfo FoldedFederation::info(ClientId client) const {
  ClientInfo info = base_->info(client);
  info.train = static_cast<std::uint32_t>(rows_of(client).train.size());
  info.validation = 0;
  info.test = static_cast<std::uint32_t>(rows_of(client).held_out.size());
  return info;
}

std::shared_ptr<const Samples> FoldedFederation::samples(ClientId client, Part part, std::uint32_t) const {
  if (client >= size()) return base_->samples(client, part, 0);  // refuses
  return cache_.get(static_cast<std::uint64_t>(client) * 4 + static_cast<std::uint64_t>(part), 0, [&] {
    const std::shared_ptr<const Samples> own = base_->samples(client, Part::train, 0);
    if (part == Part::validation) return own->empty_like();
    Samples made = own->rows(part == Part::train ? rows_of(client).train : rows_of(client).held_out);
    if (blank_) blank_out(made);
    return made;
  });
}

}  // namespace coterie
