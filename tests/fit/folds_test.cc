#include "fit/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/given_federation.h"

namespace coterie::folds_test {
namespace {

// Clients with so many rows, whose feature is the row's number; with kins or times where these are given.
class BondedFederation : public GivenFederation {
 public:
  BondedFederation(std::vector<std::size_t> counts, std::vector<RowBonds> bonds, std::size_t classes = 0)
      : GivenFederation(clients(counts, classes)), bonds_(std::move(bonds)) {}
  RowBonds bonds(ClientId client) const override { return bonds_.empty() ? RowBonds{} : bonds_[client]; }

 private:
  static std::vector<Samples> clients(const std::vector<std::size_t>& counts, std::size_t classes) {
    std::vector<Samples> all;
    for (const std::size_t count : counts) {
      Samples samples;
      samples.shape = {classes > 0 ? Task::classification : Task::regression, 1, classes};
      std::vector<double> numbers(count);
      std::iota(numbers.begin(), numbers.end(), 0.0);
      samples.features = numbers;
      for (std::size_t i = 0; i < count; ++i)
        samples.targets.push_back(classes > 0 ? static_cast<double>(i % classes) : 0.5);
      all.push_back(std::move(samples));
    }
    return all;
  }
  std::vector<RowBonds> bonds_;
};

std::vector<std::uint32_t> together(const FoldRows& rows) {
  std::vector<std::uint32_t> all = rows.train;
  all.insert(all.end(), rows.held_out.begin(), rows.held_out.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Folds, AreDisjointAndComplete) {
  const BondedFederation base({23, 5, 2, 100}, {});
  const FoldPlan plan = make_folds(base, 5, 1);
  ASSERT_EQ(plan.size(), 5u);
  for (ClientId client = 0; client < 4; ++client) {
    std::vector<std::uint32_t> judged;
    for (const auto& fold : plan.folds) {
      const std::vector<std::uint32_t> all = together(fold[client]);
      ASSERT_EQ(all.size(), base.info(client).train);
      for (std::uint32_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
      EXPECT_FALSE(fold[client].train.empty());
      judged.insert(judged.end(), fold[client].held_out.begin(), fold[client].held_out.end());
    }
    std::sort(judged.begin(), judged.end());
    EXPECT_EQ(judged.size(), base.info(client).train);
    EXPECT_EQ(std::adjacent_find(judged.begin(), judged.end()), judged.end());
  }
  EXPECT_EQ(plan.judged_rows(), 130u);
  EXPECT_EQ(plan.unjudged, 0u);
}

TEST(Folds, OfOneClientAreAlikeInSizeAndClasses) {
  const FoldPlan plan = make_folds(BondedFederation({40}, {}, 4), 5, 1);
  for (const auto& fold : plan.folds) {
    ASSERT_EQ(fold[0].held_out.size(), 8u);
    std::vector<int> counts(4, 0);
    for (const std::uint32_t row : fold[0].held_out) ++counts[row % 4];
    EXPECT_EQ(counts, std::vector<int>(4, 2));
  }
}

TEST(Folds, ClientsOfOneRowTrainOnly) {
  const FoldPlan plan = make_folds(BondedFederation({1, 10}, {}), 2, 1);
  EXPECT_EQ(plan.unjudged, 1u);
  EXPECT_EQ(plan.folds[0][0].train.size(), 1u);
  EXPECT_TRUE(plan.folds[0][0].held_out.empty());
}

TEST(Folds, KeepAKinTogether) {
  Federation::RowBonds bonds;
  for (std::uint32_t row = 0; row < 30; ++row) bonds.kin.push_back(row / 4);
  const FoldPlan plan = make_folds(BondedFederation({30}, {bonds}), 3, 1);
  for (const auto& fold : plan.folds) {
    std::set<std::uint32_t> held;
    for (const std::uint32_t row : fold[0].held_out) held.insert(bonds.kin[row]);
    EXPECT_FALSE(held.empty());
    for (const std::uint32_t row : fold[0].train) EXPECT_FALSE(held.contains(bonds.kin[row]));
  }
}

TEST(Folds, OfTimeTrainOnEarlierRowsOnly) {
  Federation::RowBonds bonds;
  for (std::uint32_t row = 0; row < 50; ++row) bonds.times.push_back((row * 7) % 50);
  const FoldPlan plan = make_folds(BondedFederation({50}, {bonds}), 4, 1);
  EXPECT_TRUE(plan.in_time);
  std::size_t judged = 0;
  for (const auto& fold : plan.folds) {
    std::uint32_t latest = 0, earliest = 50;
    for (const std::uint32_t row : fold[0].train) latest = std::max(latest, bonds.times[row]);
    for (const std::uint32_t row : fold[0].held_out) earliest = std::min(earliest, bonds.times[row]);
    EXPECT_LT(latest, earliest);
    judged += fold[0].held_out.size();
  }
  EXPECT_EQ(judged, 40u);  // all but the first of five stretches
}

TEST(Folds, AFederationShowsWhatItsFoldLeaves) {
  const auto base = std::make_shared<BondedFederation>(std::vector<std::size_t>{10, 6},
                                                       std::vector<Federation::RowBonds>{});
  const auto plan = std::make_shared<const FoldPlan>(make_folds(*base, 2, 3));
  const FoldedFederation folded(base, plan, 1, 0.1);
  const FoldedFederation blank(base, plan, 1, 0, true);
  EXPECT_EQ(folded.info(0).train, plan->folds[1][0].train.size());
  EXPECT_EQ(folded.info(0).test, plan->folds[1][0].held_out.size());
  const auto held = folded.samples(0, Part::test, 0);
  ASSERT_EQ(held->size(), plan->folds[1][0].held_out.size());
  for (std::size_t i = 0; i < held->size(); ++i) {
    double row = 0;
    held->copy_row(i, std::span(&row, 1));
    EXPECT_EQ(row, plan->folds[1][0].held_out[i]);
    blank.samples(0, Part::test, 0)->copy_row(i, std::span(&row, 1));
    EXPECT_EQ(row, 0);
  }
}

TEST(Folds, DependOnTheSeedAlone) {
  const BondedFederation base({40}, {});
  EXPECT_EQ(make_folds(base, 5, 1).folds[0][0].held_out, make_folds(base, 5, 1).folds[0][0].held_out);
  EXPECT_NE(make_folds(base, 5, 1).folds[0][0].held_out, make_folds(base, 5, 2).folds[0][0].held_out);
}

}  // namespace
}  // namespace coterie::folds_test
