#include "clustering/spectral.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "clustering/groups.h"
#include "coterie/error.h"
#include "math/kernels.h"

namespace coterie::spectral_test {
namespace {

using Labels = std::vector<std::uint32_t>;

Stream stream(std::uint32_t number) { return Stream(5, {Purpose::test, number, 0, 0}); }

Vec cloud(std::size_t count, std::size_t width, std::uint32_t number) {
  Stream s = stream(number);
  Vec values(count * width);
  s.normals(values);
  return values;
}

// (3,0,0), (0,2,0), (0,0,1): the third is lost, so the distances are those to the origin.
TEST(Spectral, ProjectsOnTheTopDirections) {
  const Vec values = {3, 0, 0, 0, 2, 0, 0, 0, 1};
  Stream s = stream(1);
  const Vec coordinates = project({values, 3, 3}, 2, s);
  ASSERT_EQ(coordinates.size(), 6u);
  const Points projected{coordinates, 3, 2};
  EXPECT_NEAR(squared_distance(projected[0], projected[1]), 13, 1e-9);
  EXPECT_NEAR(squared_distance(projected[0], projected[2]), 9, 1e-9);
  EXPECT_NEAR(squared_distance(projected[1], projected[2]), 4, 1e-9);
}

TEST(Spectral, TheProjectionIsThatOfASingularValueDecomposition) {
  for (auto [count, width] : {std::pair<std::size_t, std::size_t>{60, 40}, {30, 90}}) {
    Vec values = cloud(count, width, 2);
    for (std::size_t i = 0; i < count; ++i) values[i * width + i % 3] += 12 + 3 * static_cast<double>(i % 3);
    Stream s = stream(3);
    const Vec coordinates = project({values, count, width}, 3, s);
    const Points projected{coordinates, count, 3};
    const auto rows = static_cast<Eigen::Index>(count);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::MatrixXd a =
        Eigen::Map<const RowMajor>(values.data(), rows, static_cast<Eigen::Index>(width));
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::MatrixXd top = a * svd.matrixV().leftCols(3);
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index j = 0; j < i; ++j) {
        const double expected = (top.row(i) - top.row(j)).squaredNorm();
        ASSERT_NEAR(
            squared_distance(projected[static_cast<std::size_t>(i)], projected[static_cast<std::size_t>(j)]),
            expected, 1e-4 * (1 + expected));
      }
    }
  }
}

TEST(Spectral, AllDirectionsKeepAllDistances) {
  const Vec values = cloud(9, 4, 4);
  Stream s = stream(4);
  const Vec coordinates = project({values, 9, 4}, 10, s);
  ASSERT_EQ(coordinates.size(), 36u);
  const Points points{values, 9, 4}, projected{coordinates, 9, 4};
  for (std::size_t i = 1; i < 9; ++i) {
    EXPECT_NEAR(squared_distance(projected[0], projected[i]), squared_distance(points[0], points[i]), 1e-10);
  }
}

// Three groups, 10 apart, in noise whose distances are 28: two points of a group are hardly nearer than two
// of different ones.
TEST(Spectral, FindsGroupsUnderMuchNoise) {
  const std::size_t count = 150, width = 400;
  Vec values = cloud(count, width, 6);
  for (std::size_t i = 0; i < count; ++i) values[i * width + i % 3] += 7;
  const Points points{values, count, width};
  for (bool refine : {false, true}) {
    SpectralOptions options;
    options.refine = refine;
    Stream s = stream(7);
    const Grouping found = spectral_kmeans(points, 3, options, s);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(found.labels[i], found.labels[i % 3]) << refine;
    const GroupMeans means = group_means(points, found.labels);
    double objective = 0;
    for (std::size_t i = 0; i < count; ++i) {
      objective += squared_distance(points[i], means.mean(found.labels[i]));
    }
    EXPECT_NEAR(found.objective, objective, 1e-9 * objective);
    for (std::size_t c = 0; c < found.centres.size(); ++c)
      EXPECT_NEAR(found.centres[c], means.means[c], 1e-12);
  }
}

// Least squares groups 0 with 5.5 (15.125, against 16.875 for 5.5 with the tens). But 5.5 is no core point:
// 2.75 from its mean and only 4.5 from 10. So Lloyd begins at 0 and 10, where 5.5 goes to the tens and stays.
TEST(Spectral, RefinesFromTheCores) {
  const Vec line = {0, 5.5, 10, 10, 10, 10, 10};
  const Points points{line, 7, 1};
  SpectralOptions options;
  options.kmeans.restarts = 100;
  options.refine = false;
  Stream a = stream(8), b = stream(8);
  const Grouping first = spectral_kmeans(points, 2, options, a);
  EXPECT_EQ(first.labels[0], first.labels[1]);
  EXPECT_NE(first.labels[0], first.labels[2]);
  EXPECT_NEAR(first.objective, 15.125, 1e-12);
  options.refine = true;
  const Grouping refined = spectral_kmeans(points, 2, options, b);
  EXPECT_NE(refined.labels[0], refined.labels[1]);
  EXPECT_EQ(refined.labels[1], refined.labels[2]);
  EXPECT_NEAR(refined.objective, 16.875, 1e-12);
}

TEST(Spectral, MoreGroupsThanPointsOrDimensions) {
  const Vec line = {0, 1, 10};
  for (bool refine : {false, true}) {
    SpectralOptions options;
    options.refine = refine;
    Stream s = stream(9);
    const Grouping found = spectral_kmeans({line, 3, 1}, 5, options, s);
    EXPECT_NEAR(found.objective, 0, 1e-12);
    EXPECT_EQ(found.centres.size(), 5u);
  }
}

TEST(Spectral, PointsAtTheOriginAreOneGroup) {
  const Vec zeros(12, 0.0);
  Stream s = stream(10);
  EXPECT_EQ(spectral_kmeans({zeros, 4, 3}, 2, {}, s).labels, Labels(4, 0));
}

TEST(Spectral, SameStreamSameBits) {
  const Vec values = cloud(80, 30, 11);
  Vec moved(values.size() + 1);
  std::copy(values.begin(), values.end(), moved.begin() + 1);
  Stream a = stream(12), b = stream(12);
  const Grouping here = spectral_kmeans({values, 80, 30}, 4, {}, a);
  const Grouping there = spectral_kmeans({std::span<const double>(moved).subspan(1), 80, 30}, 4, {}, b);
  EXPECT_EQ(here.labels, there.labels);
  EXPECT_EQ(here.centres, there.centres);
}

TEST(Spectral, RefusesWhatIsNotFinite) {
  const Vec line = {1, std::nan("")};
  Stream s = stream(13);
  EXPECT_THROW(spectral_kmeans({line, 2, 1}, 1, {}, s), Error);
}

}  // namespace
}  // namespace coterie::spectral_test
