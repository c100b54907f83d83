#include "clustering/agglomerative.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "coterie/data.h"
#include "coterie/error.h"
#include "coterie/random.h"
#include "math/components.h"

namespace coterie::agglomerative_test {
namespace {

using Labels = std::vector<std::uint32_t>;
constexpr Linkage kAll[] = {Linkage::complete, Linkage::average, Linkage::single};

Vec distances_of(const Dendrogram& tree) {
  Vec distances;
  for (const Join& join : tree.joins) distances.push_back(join.distance);
  return distances;
}

// 0, 1, 3, 7: {0, 1} first, then 3, then 7.
TEST(Agglomerative, JoinsPointsOnALine) {
  const Vec line = {0, 1, 3, 7};
  const Points points{line, 4, 1};
  EXPECT_EQ(distances_of(agglomerate(points, Linkage::single)), (Vec{1, 2, 4}));
  EXPECT_EQ(distances_of(agglomerate(points, Linkage::complete)), (Vec{1, 3, 7}));
  const Vec average = distances_of(agglomerate(points, Linkage::average));
  EXPECT_DOUBLE_EQ(average[0], 1);
  EXPECT_DOUBLE_EQ(average[1], 2.5);
  EXPECT_DOUBLE_EQ(average[2], (7 + 6 + 4) / 3.0);
}

// 0, 2, 5, 9, 11: complete linkage joins {0, 2}, {9, 11} and then 5 with {0, 2} (5, against 6).
TEST(Agglomerative, CutsAtADistanceOrIntoGroups) {
  const Vec line = {0, 2, 5, 9, 11};
  const Dendrogram tree = agglomerate({line, 5, 1}, Linkage::complete);
  EXPECT_EQ(tree.cut_at(1.9), (Labels{0, 1, 2, 3, 4}));
  EXPECT_EQ(tree.cut_at(2), (Labels{0, 0, 1, 2, 2}));
  EXPECT_EQ(tree.cut_at(5), (Labels{0, 0, 0, 1, 1}));
  EXPECT_EQ(tree.cut_at(11), (Labels{0, 0, 0, 0, 0}));
  EXPECT_EQ(tree.cut_into(3), (Labels{0, 0, 1, 2, 2}));
  EXPECT_EQ(tree.cut_into(2), (Labels{0, 0, 0, 1, 1}));
  EXPECT_EQ(tree.cut_into(1), Labels(5, 0));
  EXPECT_EQ(tree.cut_into(9), (Labels{0, 1, 2, 3, 4}));
}

double between(const Vec& matrix, std::size_t count, const std::vector<std::size_t>& a,
               const std::vector<std::size_t>& b, Linkage linkage) {
  double most = 0, least = HUGE_VAL, sum = 0;
  for (std::size_t i : a) {
    for (std::size_t j : b) {
      const double d = matrix[i * count + j];
      most = std::max(most, d);
      least = std::min(least, d);
      sum += d;
    }
  }
  if (linkage == Linkage::complete) return most;
  return linkage == Linkage::single ? least : sum / static_cast<double>(a.size() * b.size());
}

// The definition, step by step: labels for every number of groups, from all down to one.
std::vector<Labels> by_definition(const Vec& matrix, std::size_t count, Linkage linkage) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < count; ++i) groups.push_back({i});
  std::vector<Labels> all;
  while (true) {
    Components components(count);
    for (const auto& group : groups) {
      for (std::size_t i : group) {
        components.join(static_cast<std::uint32_t>(group[0]), static_cast<std::uint32_t>(i));
      }
    }
    all.push_back(components.labels());
    if (groups.size() == 1) return all;
    std::size_t first = 0, second = 1;
    double least = HUGE_VAL;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t h = g + 1; h < groups.size(); ++h) {
        const double d = between(matrix, count, groups[g], groups[h], linkage);
        if (d < least) {
          least = d;
          first = g;
          second = h;
        }
      }
    }
    groups[first].insert(groups[first].end(), groups[second].begin(), groups[second].end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

TEST(Agglomerative, EqualsTheDefinitionOnRandomPoints) {
  const std::size_t count = 40, width = 3;
  Stream stream(2, {Purpose::test, 0, 0, 0});
  Vec values(count * width);
  stream.normals(values);
  Vec matrix(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < width; ++c)
        sum += std::pow(values[i * width + c] - values[j * width + c], 2);
      matrix[i * count + j] = std::sqrt(sum);
    }
  }
  for (Linkage linkage : kAll) {
    const std::vector<Labels> expected = by_definition(matrix, count, linkage);
    const Dendrogram of_points = agglomerate({values, count, width}, linkage);
    const Dendrogram of_distances = agglomerate(matrix, count, linkage);
    for (std::size_t k = 1; k <= count; ++k) {
      EXPECT_EQ(of_points.cut_into(k), expected[count - k]) << k;
      EXPECT_EQ(of_distances.cut_into(k), expected[count - k]) << k;
    }
  }
}

// A ring of points at equal distances, and many equal points: any order is right, but it is always a tree and
// always the same.
TEST(Agglomerative, TiesGiveOneTree) {
  Vec values;
  for (int i = 0; i < 12; ++i) {
    values.push_back(i % 4 < 2 ? 0 : 1);
    values.push_back(i % 2);
  }
  const Points points{values, 12, 2};
  for (Linkage linkage : kAll) {
    const Dendrogram tree = agglomerate(points, linkage);
    ASSERT_EQ(tree.joins.size(), 11u);
    EXPECT_EQ(tree.cut_at(0), (Labels{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
    EXPECT_EQ(tree.cut_into(4), tree.cut_at(0));
    EXPECT_EQ(tree.cut_into(1), Labels(12, 0));
    EXPECT_TRUE(std::is_sorted(tree.joins.begin(), tree.joins.end(),
                               [](const Join& a, const Join& b) { return a.distance < b.distance; }));
    for (std::size_t k = 1; k <= 12; ++k) {
      const Labels labels = tree.cut_into(k);
      EXPECT_EQ(std::set<std::uint32_t>(labels.begin(), labels.end()).size(), k);
    }
  }
  // Of four pairs at distance 1, that of the first two points is joined first.
  EXPECT_EQ(agglomerate(points, Linkage::complete).cut_into(3), (Labels{0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2}));
}

TEST(Agglomerative, OnePointIsAGroup) {
  const Vec point = {1, 2};
  for (Linkage linkage : kAll) {
    EXPECT_EQ(agglomerate({point, 1, 2}, linkage).cut_into(1), Labels{0});
    EXPECT_EQ(agglomerate(Vec{0}, 1, linkage).cut_at(1), Labels{0});
  }
}

TEST(Agglomerative, RefusesWhatIsNotFinite) {
  const Vec bad = {0, 1, std::nan(""), 0};
  for (Linkage linkage : kAll) {
    EXPECT_THROW(agglomerate({bad, 4, 1}, linkage), Error);
    EXPECT_THROW(agglomerate(bad, 2, linkage), Error);
  }
}

TEST(Agglomerative, LinkagesHaveNames) {
  EXPECT_EQ(linkage_named("complete"), Linkage::complete);
  EXPECT_EQ(linkage_named("average"), Linkage::average);
  EXPECT_EQ(linkage_named("single"), Linkage::single);
}

}  // namespace
}  // namespace coterie::agglomerative_test
