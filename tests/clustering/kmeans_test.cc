#include "clustering/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "coterie/error.h"
#include "math/kernels.h"

namespace coterie::kmeans_test {
namespace {

using Labels = std::vector<std::uint32_t>;

Points on_a_line(const Vec& values) { return {values, values.size(), 1}; }

Stream stream(std::uint32_t number = 0) { return Stream(7, {Purpose::test, number, 0, 0}); }

// 0, 1, 5, 6 from centres 0 and 1: first {0} and {1, 5, 6} with means 0 and 4, then {0, 1} and {5, 6}.
TEST(KMeans, FollowsLloydStepByStep) {
  Vec values = {0, 1, 5, 6};
  KMeansOptions one;
  one.iterations = 1;
  Grouping first = lloyd(on_a_line(values), {0, 1}, one);
  EXPECT_EQ(first.labels, (Labels{0, 1, 1, 1}));
  EXPECT_EQ(first.centres, (Vec{0, 4}));
  EXPECT_EQ(first.objective, 0 + 9 + 1 + 4);
  Grouping end = lloyd(on_a_line(values), {0, 1});
  EXPECT_EQ(end.labels, (Labels{0, 0, 1, 1}));
  EXPECT_EQ(end.centres, (Vec{0.5, 5.5}));
  EXPECT_EQ(end.objective, 4 * 0.25);
  EXPECT_EQ(end.iterations, 2u);
}

TEST(KMeans, TheFirstOfEquallyNearCentresWins) {
  Vec values = {-1, 0, 1};
  KMeansOptions one;
  one.iterations = 1;
  EXPECT_EQ(lloyd(on_a_line(values), {-1, 1}, one).labels, (Labels{0, 0, 1}));
  EXPECT_EQ(lloyd(on_a_line(values), {1, -1}, one).labels, (Labels{1, 0, 0}));
}

// Far from the origin |x|^2 - 2 x.c + |c|^2 is all rounding; labels are right nevertheless.
TEST(KMeans, LabelsAreRightFarFromTheOrigin) {
  const double far = 1e9;
  Vec values = {far, far + 1, far + 3, far + 4};
  Grouping found = lloyd(on_a_line(values), {far + 1, far + 3});
  EXPECT_EQ(found.labels, (Labels{0, 0, 1, 1}));
  EXPECT_EQ(found.centres, (Vec{far + 0.5, far + 3.5}));
}

// The centre 100 attracts nobody. The farthest of the others from its centre 0 is 9, so it moves there.
TEST(KMeans, AnEmptyGroupTakesTheFarthestPoint) {
  Vec values = {0, 1, 9};
  Grouping found = lloyd(on_a_line(values), {0, 100});
  EXPECT_EQ(found.labels, (Labels{0, 0, 1}));
  EXPECT_EQ(found.centres, (Vec{0.5, 9}));
}

TEST(KMeans, AGroupOfOneIsNotEmptiedForAnother) {
  Vec values = {0, 10};
  // 10 is the farthest point from its centre (20), but alone there; 0 is on its centre.
  Grouping found = lloyd(on_a_line(values), {0, 20, 1000});
  EXPECT_EQ(found.labels, (Labels{0, 1}));
  EXPECT_EQ(found.centres, (Vec{0, 10, 1000}));
  EXPECT_EQ(found.objective, 0);
}

// 10 is five away from its centre and alone there; 0 and 1 are half a unit from theirs, and the first of them
// goes.
TEST(KMeans, AnEmptyGroupTakesNobodyWhoIsAlone) {
  Vec values = {0, 1, 10};
  KMeansOptions once;
  once.iterations = 1;
  EXPECT_EQ(lloyd(on_a_line(values), {0.5, 5, 1000}, once).labels, (Labels{2, 0, 1}));
}

TEST(KMeans, IdenticalPointsAreOneGroup) {
  Vec values(10, 0.1);
  Points points{values, 5, 2};
  for (const char* seeding : {"kmeans++", "random"}) {
    KMeansOptions options;
    options.seeding = seeding;
    Stream s = stream();
    Grouping found = kmeans(points, 3, options, s);
    EXPECT_EQ(found.labels, Labels(5, 0));
    EXPECT_NEAR(found.objective, 0, 1e-30);
    EXPECT_EQ(found.centres.size(), 6u);
  }
}

TEST(KMeans, OneCentreIsTheMean) {
  Vec values = {1, 2, 3, 4, 8, 0};
  Stream s = stream();
  Grouping found = kmeans({values, 3, 2}, 1, {}, s);
  EXPECT_EQ(found.centres, (Vec{4, 2}));
  EXPECT_EQ(found.objective, 9 + 0 + 1 + 4 + 16 + 4);
}

TEST(KMeans, AsManyCentresAsPointsOrMore) {
  Vec values = {3, 1, 2};
  for (std::size_t k : {3u, 5u}) {
    Stream s = stream();
    Grouping found = kmeans(on_a_line(values), k, {}, s);
    EXPECT_EQ(found.objective, 0) << k;
    Labels sorted = found.labels;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << "each point alone";
    EXPECT_EQ(found.centres.size(), k);
  }
}

TEST(KMeans, RefusesWhatIsNotFinite) {
  Stream s = stream();
  for (double bad : {std::nan(""), HUGE_VAL, 1e200}) {
    Vec values = {1, bad, 2};
    EXPECT_THROW(kmeans(on_a_line(values), 2, {}, s), Error) << bad;
    EXPECT_THROW(lloyd(on_a_line(values), {1, 2}), Error) << bad;
  }
}

// The first seed is any of the three; the second is drawn by squared distances, 1 : 9 from 0, and so on.
TEST(KMeans, SeedsAreDrawnBySquaredDistance) {
  Vec values = {0, 1, 3};
  std::map<std::pair<double, double>, int> pairs;
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    Stream s = stream(static_cast<std::uint32_t>(i));
    Vec seeds = kmeans_plus_plus(on_a_line(values), 2, s);
    ++pairs[{seeds[0], seeds[1]}];
  }
  auto share = [&](double a, double b) { return pairs[{a, b}] / static_cast<double>(draws); };
  EXPECT_NEAR(share(0, 1), 1.0 / 3 * 1 / 10, 0.01);
  EXPECT_NEAR(share(0, 3), 1.0 / 3 * 9 / 10, 0.01);
  EXPECT_NEAR(share(1, 0), 1.0 / 3 * 1 / 5, 0.01);
  EXPECT_NEAR(share(1, 3), 1.0 / 3 * 4 / 5, 0.01);
  EXPECT_NEAR(share(3, 0), 1.0 / 3 * 9 / 13, 0.01);
  EXPECT_NEAR(share(3, 1), 1.0 / 3 * 4 / 13, 0.01);
}

// Three different points are three different seeds: where a seed is, no other is drawn.
TEST(KMeans, SeedsAreDrawnByTheNearestSeedOfAll) {
  Vec values = {0, 10, 100};
  for (std::uint32_t i = 0; i < 100; ++i) {
    Stream s = stream(i);
    Vec seeds = kmeans_plus_plus(on_a_line(values), 3, s);
    std::sort(seeds.begin(), seeds.end());
    EXPECT_EQ(seeds, values) << i;
  }
}

// A cloud without clusters, so that Lloyd takes many steps.
Vec cloud(std::size_t count, std::size_t width) {
  Stream s = stream(99);
  Vec values(count * width);
  s.normals(values);
  return values;
}

TEST(KMeans, TheObjectiveNeverRises) {
  Vec values = cloud(400, 3);
  Points points{values, 400, 3};
  Stream s = stream(1);
  Vec centres = kmeans_plus_plus(points, 7, s);
  double before = HUGE_VAL;
  std::size_t steps = lloyd(points, centres).iterations;
  ASSERT_GT(steps, 5u);
  for (std::size_t t = 1; t <= steps; ++t) {
    KMeansOptions options;
    options.iterations = static_cast<std::int64_t>(t);
    double now = lloyd(points, centres, options).objective;
    EXPECT_LE(now, before * (1 + 1e-14)) << t;
    before = now;
  }
}

// What is returned fits together: labels are of nearest centres, centres are means, the objective is their
// sum.
TEST(KMeans, EndsAtAFixedPoint) {
  Vec values = cloud(300, 5);
  Points points{values, 300, 5};
  Stream s = stream(2);
  Grouping found = kmeans(points, 4, {}, s);
  Vec sums(20, 0.0);
  Vec counts(4, 0.0);
  double objective = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    std::size_t nearest = 0;
    Vec distances(4, 0.0);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t j = 0; j < 5; ++j)
        distances[k] += std::pow(values[i * 5 + j] - found.centres[k * 5 + j], 2);
      if (distances[k] < distances[nearest]) nearest = k;
    }
    ASSERT_EQ(found.labels[i], nearest);
    objective += distances[nearest];
    counts[nearest] += 1;
    for (std::size_t j = 0; j < 5; ++j) sums[nearest * 5 + j] += values[i * 5 + j];
  }
  for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(found.centres[j], sums[j] / counts[j / 5], 1e-13);
  EXPECT_NEAR(found.objective, objective, 1e-10);
}

TEST(KMeans, FurtherRunsNeverMakeItWorse) {
  Vec values = cloud(200, 2);
  Points points{values, 200, 2};
  double before = HUGE_VAL;
  for (std::int64_t restarts : {1, 3, 10}) {
    Stream s = stream(3);
    KMeansOptions options;
    options.restarts = restarts;
    double now = kmeans(points, 8, options, s).objective;
    EXPECT_LE(now, before);
    before = now;
  }
}

TEST(KMeans, SameStreamSameBitsWhateverTheAddress) {
  Vec values = cloud(333, 17);
  Vec moved(values.size() + 1);
  std::copy(values.begin(), values.end(), moved.begin() + 1);
  Stream a = stream(4);
  Stream b = stream(4);
  Grouping here = kmeans({values, 333, 17}, 6, {}, a);
  Grouping there = kmeans({std::span<const double>(moved).subspan(1), 333, 17}, 6, {}, b);
  EXPECT_EQ(here.labels, there.labels);
  EXPECT_EQ(here.centres, there.centres);
  EXPECT_EQ(here.objective, there.objective);
}

// Ten groups far apart in a space of many dimensions are found exactly.
TEST(KMeans, FindsGroupsThatAreApart) {
  const std::size_t count = 500, width = 100, k = 10;
  Vec values = cloud(count, width);
  for (std::size_t i = 0; i < count; ++i) values[i * width + i % k] += 100;
  Stream s = stream(5);
  Grouping found = kmeans({values, count, width}, k, {}, s);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found.labels[i], found.labels[i % k]);
  EXPECT_LT(found.objective, 1.1 * static_cast<double>(count * width));
}

}  // namespace
}  // namespace coterie::kmeans_test
