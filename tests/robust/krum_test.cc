#include "robust/krum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coterie/error.h"
#include "coterie/random.h"

namespace coterie::krum_test {
namespace {

using Order = std::vector<std::size_t>;

Points on_a_line(const Vec& values) { return {values, values.size(), 1}; }

// Five points, one liar: the two nearest others.
TEST(Krum, ScoresByTheNearestOthers) {
  const Vec line = {0, 1, 2, 3, 50};
  const Vec scores = krum_scores(on_a_line(line), 1);
  const Vec expected = {1 + 4, 1 + 1, 1 + 1, 1 + 4, 47 * 47 + 48 * 48};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(scores[i], expected[i], 1e-8 * expected[i]) << i;
  EXPECT_EQ(krum_order(on_a_line(Vec{50, 3.5, 2, 1, 0}), 1), (Order{3, 2, 4, 1, 0}));
  EXPECT_EQ(krum_order(on_a_line(Vec{7, 7, 7, 1}), 1), (Order{0, 1, 2, 3})) << "the first of equals first";
}

// Points with small whole coordinates have exact scores, and many ties among them. The order must be that of
// these scores, ties by place, wherever points stand and however far from zero all of them are.
TEST(Krum, ExactTiesGoToTheFirst) {
  Stream stream(5, {Purpose::test});
  std::size_t ties = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t count = 4 + stream.below(9), width = 1 + stream.below(40), liars = stream.below(4);
    const double away = trial % 3 == 0 ? 0 : 1e6;
    std::vector<std::vector<long>> whole(count, std::vector<long>(width));
    for (auto& point : whole) {
      for (long& x : point) x = static_cast<long>(stream.below(3));
    }
    for (std::size_t i = 1; i < count; ++i) {
      if (stream.bernoulli(0.3)) whole[i] = whole[stream.below(i)];
    }
    for (int copy = 0; copy < 3; ++copy) {
      stream.shuffle(std::span(whole));
      Vec values;
      for (const auto& point : whole) {
        for (const long x : point) values.push_back(away + static_cast<double>(x));
      }
      std::vector<long> scores;
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<long> others;
        for (std::size_t j = 0; j < count; ++j) {
          long distance = 0;
          for (std::size_t c = 0; c < width; ++c) {
            distance += (whole[i][c] - whole[j][c]) * (whole[i][c] - whole[j][c]);
          }
          if (j != i) others.push_back(distance);
        }
        std::sort(others.begin(), others.end());
        others.resize(std::clamp<std::size_t>(count > liars + 2 ? count - liars - 2 : 0, 1, count - 1));
        scores.push_back(std::accumulate(others.begin(), others.end(), 0L));
      }
      Order expected(count);
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
      ties += scores[expected[0]] == scores[expected[1]] ? 1 : 0;
      ASSERT_EQ(krum_order({values, count, width}, liars), expected) << "trial " << trial << " copy " << copy;
    }
  }
  EXPECT_GT(ties, 300u);
}

TEST(Krum, KeepsItsDigitsBesideHugeLies) {
  const Vec line = {1, 1.1, 1.25, 1e9, 1e9};
  EXPECT_EQ(krum_order(on_a_line(line), 2)[0], 3u) << "two equal liars, and one neighbour counts";
  EXPECT_EQ(krum_order(on_a_line(line), 1)[0], 1u);
  EXPECT_NEAR(krum_scores(on_a_line(line), 1)[1], 0.01 + 0.0225, 1e-9);
}

TEST(Krum, WithMoreLiarsThanPointsLooksAtTheNearestOther) {
  const Vec line = {0, 3, 4, 9};
  for (const std::size_t liars : {1, 2, 4, 100}) {
    const Vec scores = krum_scores(on_a_line(line), liars);
    const Vec expected = {9, 1, 1, 25};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(scores[i], expected[i], 1e-8) << i;
  }
}

TEST(Krum, OfOneOrTwo) {
  EXPECT_EQ(krum_order(on_a_line(Vec{5}), 0), (Order{0}));
  EXPECT_EQ(krum_order(on_a_line(Vec{5, 2}), 0), (Order{0, 1}));
  EXPECT_THROW(krum_order(on_a_line(Vec{5, std::nan("")}), 0), Error);
}

}  // namespace
}  // namespace coterie::krum_test
