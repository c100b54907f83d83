// What every aggregator promises, tested for whatever is registered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "coterie/fold.h"
#include "coterie/methods/slots.h"
#include "coterie/random.h"

namespace coterie::contract_test {
namespace {

class AggregatorContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Aggregator> aggregator = Registry<Aggregator>::instance().make(GetParam());
  bool robust = GetParam() != "mean";
};
// What holds for all but the mean, which listens to everybody, and which folds keep from what is not finite.
class RobustContract : public AggregatorContract {};

// Honest vectors of five values around 0, by client from `first`.
std::vector<Contribution> honest(std::size_t count, ClientId first) {
  std::vector<Contribution> all;
  Stream stream(5, {Purpose::test, 0, 0, 0});
  for (std::size_t i = 0; i < count; ++i) {
    Vec values(5);
    stream.normals(values);
    all.push_back({first + static_cast<ClientId>(i), 1, std::move(values)});
  }
  return all;
}

TEST_P(AggregatorContract, EqualVectorsGiveThatVector) {
  std::vector<Contribution> equal;
  for (ClientId i = 0; i < 7; ++i) equal.push_back({i, 1.0 + i, {0.1, -3, 8}});
  const Vec combined = aggregator->combine(equal);
  ASSERT_EQ(combined.size(), 3u);
  if (robust) {
    EXPECT_EQ(combined, (Vec{0.1, -3, 8})) << "to the bit";
  }
  EXPECT_NEAR(combined[0], 0.1, 1e-12);
  EXPECT_NEAR(combined[1], -3, 1e-12);
  EXPECT_NEAR(combined[2], 8, 1e-12);
}

TEST_P(AggregatorContract, OneVectorIsItself) {
  std::vector<Contribution> one = {{3, 2.0, {1, 2}}};
  EXPECT_EQ(aggregator->combine(one), (Vec{1, 2}));
}

TEST_P(AggregatorContract, OfTwoAlikeItIsTheMiddleOrTheFirst) {
  const Vec combined = aggregator->combine(std::vector<Contribution>{{3, 2.0, {1, 2}}, {8, 2.0, {4, -2}}});
  const Vec expected = GetParam() == "krum" ? Vec{1, 2} : Vec{2.5, 0};
  EXPECT_NEAR(combined[0], expected[0], 1e-12);
  EXPECT_NEAR(combined[1], expected[1], 1e-12);
}

TEST_P(AggregatorContract, StaysWithinTheRangeOfItsInputs) {
  std::vector<Contribution> some = {{0, 1, {1, 5}}, {1, 2, {2, -4}}, {2, 1, {9, 0}}, {3, 1, {3, 1}}};
  Vec combined = aggregator->combine(some);
  EXPECT_GE(combined[0], 1);
  EXPECT_LE(combined[0], 9);
  EXPECT_GE(combined[1], -4);
  EXPECT_LE(combined[1], 5);
}

// Whatever is far from everybody, of whichever size.
TEST_P(RobustContract, AllButOneEqualGiveTheirVector) {
  for (const double far : {1.0, 1e6, -1e9, 1e100}) {
    for (ClientId liar = 0; liar < 7; ++liar) {
      std::vector<Contribution> all;
      for (ClientId i = 0; i < 7; ++i) all.push_back({i, 2, {0.1, -3, 8}});
      all[liar].values = {far, far, -far};
      EXPECT_EQ(aggregator->combine(all), (Vec{0.1, -3, 8})) << far << " from client " << liar;
    }
  }
}

// A fifth of the clients, all alike, each in a direction of its own, or just one huge coordinate.
TEST_P(AggregatorContract, LiarsDoNotMoveItOutOfTheHonestRange) {
  const std::vector<Contribution> good = honest(16, 2);
  Vec low(5, HUGE_VAL), high(5, -HUGE_VAL);
  for (const Contribution& one : good) {
    for (std::size_t j = 0; j < 5; ++j) {
      low[j] = std::min(low[j], one.values[j]);
      high[j] = std::max(high[j], one.values[j]);
    }
  }
  const std::vector<std::vector<Vec>> lies = {
      std::vector<Vec>(4, Vec(5, 1e6)),
      {Vec(5, 1e6), Vec(5, -1e6), {1e6, -1e6, 1e6, -1e6, 1e6}, {0, 0, 0, 0, 1e6}},
      std::vector<Vec>(4, Vec{0, 0, -1e6, 0, 0}),
  };
  for (std::size_t kind = 0; kind < lies.size(); ++kind) {
    std::vector<Contribution> all = good;
    for (std::size_t i = 0; i < 4; ++i) {
      const ClientId id = static_cast<ClientId>(i < 2 ? i : 100 + i);
      all.push_back({id, 1, lies[kind][i]});
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.client < b.client; });
    const Vec combined = aggregator->combine(all);
    bool within = true;
    for (std::size_t j = 0; j < 5; ++j) within = within && combined[j] >= low[j] && combined[j] <= high[j];
    EXPECT_EQ(within, robust) << "lies " << kind;
  }
}

TEST_P(AggregatorContract, OrderOfArrivalDoesNotMatter) {
  const std::vector<Contribution> all = honest(12, 0);
  std::vector<std::optional<Vec>> results;
  for (const std::size_t step : {1, 5, 7, 11}) {  // prime to 12: each visits all
    Robust slots({5, 0}, *aggregator);
    slots.open(3);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Contribution& one = all[k * step % all.size()];
      slots.add(static_cast<unsigned>(k * step % 3), one.client, 0, 1.5 + one.client % 3, one.values);
      slots.add(0, one.client, 1, 1, Vec());
    }
    slots.close();
    results.push_back(slots.mean(0));
    EXPECT_EQ(slots.mean(1), Vec()) << "a slot without width";
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST_P(AggregatorContract, AVectorWithoutWeightDoesNotCount) {
  Robust slots({1}, *aggregator);
  slots.open(1);
  for (const ClientId i : {0, 1, 2}) slots.add(0, i, 0, 0, Vec{900});
  slots.add(0, 3, 0, 2, Vec{7});
  slots.close();
  EXPECT_EQ(slots.mean(0), Vec{7});
}

TEST_P(RobustContract, RefusesWhatIsNotFinite) {
  for (const double bad : {std::nan(""), HUGE_VAL, 1e200}) {
    const std::vector<Contribution> all = {{0, 1, {1, 2}}, {1, 1, {1, bad}}, {2, 1, {0, 0}}};
    EXPECT_THROW(aggregator->combine(all), Error) << bad;
  }
}

std::vector<std::string> robust_names() {
  std::vector<std::string> names = Registry<Aggregator>::instance().names();
  std::erase(names, "mean");
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, AggregatorContract, testing::ValuesIn(Registry<Aggregator>::instance().names()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(All, RobustContract, testing::ValuesIn(robust_names()), test_name);

TEST(Mean, IsWeighted) {
  auto mean = Registry<Aggregator>::instance().make("mean");
  std::vector<Contribution> two = {{0, 1, {1, 2}}, {1, 3, {5, -2}}};
  EXPECT_EQ(mean->combine(two), (Vec{4, -1}));
}

}  // namespace
}  // namespace coterie::contract_test
