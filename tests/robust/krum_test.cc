#include "robust/krum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"

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
