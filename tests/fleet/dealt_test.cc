#include "fleet/dealt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace coterie::dealt_test {
namespace {

// Training clients of these sizes, then judges with as many samples to be scored on.
class Sizes : public Roster {
 public:
  Sizes(std::vector<std::uint32_t> train, std::vector<std::uint32_t> test)
      : train_(std::move(train)), test_(std::move(test)) {}
  const Shape& shape() const override { return shape_; }
  std::size_t size() const override { return train_.size() + test_.size(); }
  std::size_t training() const override { return train_.size(); }
  ClientInfo info(ClientId client) const override {
    if (client < train_.size()) return {.train = train_[client], .role = Role::train};
    return {.test = test_[client - train_.size()], .role = Role::test};
  }
  const Truth& truth() const override { return truth_; }

 private:
  Shape shape_;
  Truth truth_;
  std::vector<std::uint32_t> train_, test_;
};

std::vector<std::uint64_t> loads(const Roster& roster, const Dealt& dealt, unsigned ranks, ClientId begin,
                                 ClientId end) {
  std::vector<std::uint64_t> samples(ranks, 0);
  for (ClientId i = begin; i < end; ++i)
    samples.at(dealt.rank_of(i)) += roster.info(i).train + roster.info(i).test;
  return samples;
}

TEST(Dealt, OneRankHasAll) {
  const Sizes roster({3, 4, 5}, {7});
  const Dealt dealt(roster, 2, 1);
  for (ClientId i = 0; i < 4; ++i) EXPECT_EQ(dealt.rank_of(i), 0u);
}

TEST(Dealt, BlocksStayTogether) {
  const Sizes roster(std::vector<std::uint32_t>(40, 10), {});
  const Dealt dealt(roster, 8, 3);
  for (ClientId i = 0; i < 40; ++i) EXPECT_EQ(dealt.rank_of(i), dealt.rank_of(i - i % 8)) << i;
}

TEST(Dealt, TheLargestGoFirst) {
  // 10 + 2 against 6 + 5: dealt in the order of ids it would be 2 + 6 against 5 + 10.
  const Sizes roster({2, 5, 6, 10}, {});
  const Dealt dealt(roster, 1, 2);
  EXPECT_EQ(dealt.rank_of(0), dealt.rank_of(3));
  EXPECT_EQ(dealt.rank_of(1), dealt.rank_of(2));
  EXPECT_NE(dealt.rank_of(0), dealt.rank_of(1));
}

TEST(Dealt, PowerLawSizesAreShared) {
  std::vector<std::uint32_t> sizes;
  for (int i = 1; i <= 4000; ++i) sizes.push_back(static_cast<std::uint32_t>(2 + 2000 / std::sqrt(i)));
  const Sizes roster(sizes, {});
  for (const unsigned ranks : {2u, 5u, 16u}) {
    const auto shares = loads(roster, Dealt(roster, 8, ranks), ranks, 0, 4000);
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    EXPECT_LT(static_cast<double>(*most), 1.02 * static_cast<double>(*least)) << ranks;
  }
}

TEST(Dealt, JudgesAreSharedApartFromThoseWhoTrain) {
  // All of the training load would otherwise be weighed against the two large test sets.
  const Sizes roster({100, 1, 1, 1}, {50, 50});
  const Dealt dealt(roster, 1, 2);
  EXPECT_NE(dealt.rank_of(4), dealt.rank_of(5));
}

}  // namespace
}  // namespace coterie::dealt_test
