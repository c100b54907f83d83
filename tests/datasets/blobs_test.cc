#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "data/client_generator.h"
#include "datasets/open_source.h"

namespace coterie::blobs_test {
namespace {

const char* const kTwoByTwo =
    "clusters = 2\nclasses = 2\ndimension = 2\ncentres = \"given\"\nspread = 0.5\n"
    "given = [[0, 0], [10, 0], [0, 20], [30, 30]]";

// Mean features of the rows of one class.
Vec class_mean(const Samples& samples, double label) {
  Vec sum(samples.shape.width), row(samples.shape.width);
  double count = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.targets[i] != label) continue;
    samples.copy_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) sum[j] += row[j];
    ++count;
  }
  for (double& x : sum) x /= count;
  return sum;
}

TEST(Blobs, LieAroundTheCentresOfTheirClassAndCluster) {
  auto population = open_source("blobs", kTwoByTwo);
  EXPECT_EQ(population->shape(), (Shape{.task = Task::classification, .width = 2, .classes = 2}));
  const double centres[2][2][2] = {{{0, 0}, {10, 0}}, {{0, 20}, {30, 30}}};
  for (std::size_t g = 0; g < 2; ++g) {
    Samples samples = draw(*population, g, 4000);
    for (std::size_t c = 0; c < 2; ++c) {
      Vec mean = class_mean(samples, static_cast<double>(c));
      EXPECT_NEAR(mean[0], centres[g][c][0], 5 * 0.5 / std::sqrt(1800.0));
      EXPECT_NEAR(mean[1], centres[g][c][1], 5 * 0.5 / std::sqrt(1800.0));
    }
  }
}

// A fifth of the points at +2 along the last coordinate, the others at -0.5: the mean is 0 there, and
// E|x|^2 = 2 x 0.01 + 4 x 0.2 / 0.8 = 1.02.
TEST(Blobs, ATailIsOneSidedAndLeavesTheMeanWhereItIs) {
  auto population = open_source("blobs",
                                "clusters = 1\nclasses = 1\ndimension = 2\ncentres = \"given\"\n"
                                "given = [[3, 7]]\nspread = 0.1\ntail = 0.2\ntail_reach = 2");
  EXPECT_EQ(*population->parameters(0), (Vec{3, 7}));
  const std::size_t n = 40000;
  Samples samples = draw(*population, 0, n);
  Vec row(2);
  double sum[2] = {}, squares = 0, far = 0;
  for (std::size_t i = 0; i < n; ++i) {
    samples.copy_row(i, row);
    for (int j = 0; j < 2; ++j) sum[j] += row[j];
    squares += std::pow(row[0] - 3, 2) + std::pow(row[1] - 7, 2);
    far += row[1] > 8 ? 1 : 0;
    EXPECT_TRUE(row[1] > 8.3 || row[1] < 7.2) << row[1];
  }
  EXPECT_NEAR(sum[0] / n, 3, 5 * 0.1 / std::sqrt(n));
  EXPECT_NEAR(sum[1] / n, 7, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.02, 5 * 1.5 / std::sqrt(n));
  EXPECT_NEAR(far / n, 0.2, 5 * 0.4 / std::sqrt(n));
}

TEST(Blobs, ClassesAreEquallyLikelyAndTheSpreadIsRight) {
  auto population = open_source("blobs", "classes = 5\ndimension = 3\nspread = 2");
  const std::size_t n = 20000;
  Samples samples = draw(*population, 1, n);
  std::vector<double> counts(5), row(3);
  std::vector<Vec> means;
  for (int c = 0; c < 5; ++c) means.push_back(class_mean(samples, c));
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    counts[samples.label(i)] += 1;
    samples.copy_row(i, row);
    for (std::size_t j = 0; j < 3; ++j) squares += std::pow(row[j] - means[samples.label(i)][j], 2);
  }
  for (double count : counts) EXPECT_NEAR(count, n / 5.0, 5 * std::sqrt(n * 0.16));
  EXPECT_NEAR(squares / (3 * n), 4, 5 * 4 * std::sqrt(2.0 / (3 * n)));
}

// Samples of a client with traits of its own.
Samples draw_client(const Population& population, std::size_t count, std::uint32_t client,
                    std::uint32_t epoch = 0) {
  Stream traits(11, {.purpose = Purpose::samples, .ask = 1, .client = client});
  Stream stream(11, {.purpose = Purpose::samples, .round = epoch, .client = client});
  return dynamic_cast<const ClientGenerator&>(population).draw_of_client(0, count, traits, stream);
}

double share_of_last_class(const Samples& samples) {
  double last = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) last += samples.label(i) == samples.shape.classes - 1;
  return last / static_cast<double>(samples.size());
}

TEST(Blobs, WithAlphaEachClientHasSharesOfItsOwn) {
  // Shares of the symmetric Dirichlet(a) over C classes have mean 1/C and variance (C - 1) / (C^2 (C a + 1)).
  auto population = open_source("blobs", "classes = 4\nalpha = 0.5\ndimension = 1\nspread = 0\n");
  const std::size_t clients = 400, n = 2000;
  double sum = 0, squares = 0;
  for (std::uint32_t i = 0; i < clients; ++i) {
    const double share = share_of_last_class(draw_client(*population, n, i));
    sum += share;
    squares += std::pow(share - 0.25, 2);
    if (i < 5) {
      EXPECT_NEAR(share_of_last_class(draw_client(*population, n, i, 7)), share, 0.06) << "in a later epoch";
    }
  }
  EXPECT_NEAR(sum / clients, 0.25, 5 * 0.25 / std::sqrt(clients));
  EXPECT_NEAR(squares / clients, 0.0625, 0.02);
  EXPECT_NEAR(share_of_last_class(draw(*population, 0, 20000)), 0.25, 0.02) << "a shared test set";
  EXPECT_EQ(draw_client(*open_source("blobs", "classes = 1\nalpha = 2"), 9, 0).targets, Vec(9));
}

TEST(Blobs, WithoutAlphaAClientDrawsWhatItsClusterDoes) {
  auto population = open_source("blobs", "dimension = 3");
  EXPECT_EQ(draw_client(*population, 50, 4).features, draw(*population, 0, 50, 4).features);
  EXPECT_EQ(draw_client(*population, 50, 4).targets, draw(*population, 0, 50, 4).targets);
}

TEST(Blobs, ClustersThatDifferInLabelsShareTheSamples) {
  auto population = open_source("blobs", "clusters = 3\nclasses = 3\ndiffer = \"labels\"");
  Samples first = draw(*population, 0, 200), third = draw(*population, 2, 200);
  EXPECT_EQ(first.features, third.features);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(third.label(i), (first.label(i) + 2) % 3);
}

TEST(Blobs, ASinglePointCloudHasItsCentreAsParameters) {
  // Federated-Clustering 4.3: the same centres for every spread.
  const std::string common = "clusters = 10\nclasses = 1\ndimension = 10\nspread = ";
  auto narrow = open_source("blobs", common + "0.5"), wide = open_source("blobs", common + "4");
  std::set<Vec> centres;
  for (std::size_t g = 0; g < 10; ++g) {
    const Vec centre = truth(*narrow, g);
    EXPECT_EQ(centre, truth(*wide, g));
    centres.insert(centre);
    for (double x : centre) EXPECT_LE(std::abs(x), 10);
    const Vec mean = class_mean(draw(*wide, g, 2000), 0);
    for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(mean[j], centre[j], 5 * 4 / std::sqrt(2000.0));
  }
  EXPECT_EQ(centres.size(), 10u);
  EXPECT_EQ(open_source("blobs", kTwoByTwo)->parameters(0), std::nullopt);
}

TEST(Blobs, WithoutSpreadSamplesAreCentres) {
  auto exact = open_source(
      "blobs",
      "clusters = 1\nclasses = 2\ndimension = 1\nspread = 0\ncentres = \"given\"\ngiven = [[-3], [8]]");
  Samples samples = draw(*exact, 0, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(std::get<2>(samples.features)[i], samples.label(i) == 0 ? -3 : 8);
  }
}

TEST(Blobs, GaussianCentresHaveTheReachAsDeviation) {
  auto population =
      open_source("blobs", "clusters = 200\nclasses = 1\ndimension = 50\ncentres = \"gaussian\"\nreach = 3");
  double squares = 0;
  for (std::size_t g = 0; g < 200; ++g) {
    for (double x : truth(*population, g)) squares += x * x;
  }
  EXPECT_NEAR(squares / 10000, 9, 5 * 9 * std::sqrt(2.0 / 10000));
}

TEST(Blobs, EarlierSamplesDoNotDependOnHowManyFollow) {
  EXPECT_TRUE(draws_are_prefixes(*open_source("blobs", "dimension = 3"), 1));
}

TEST(Blobs, RefusesOptionsThatDoNotFitTogether) {
  const std::pair<const char*, const char*> cases[] = {
      {"clusters = 5\nclasses = 4\ndiffer = \"labels\"", "must be at most the number of classes, 4"},
      {"centres = \"given\"\ngiven = [[1, 2]]", "must have 8 lists"},
      {"centres = \"given\"\ngiven = [[1, 2]]\ndiffer = \"labels\"", "must have 4 lists"},
      {"clusters = 1\nclasses = 2\ncentres = \"given\"\ngiven = [[1, 2], [1]]",
       "each list must have 2 numbers"},
      {"given = [[1, 2]]", "needs centres = \"given\""},
      {"shares = [1]", "must have 2 numbers"},
      {"spread = -1", "must be at least 0"},
      {"alpha = -1", "must be at least 0"},
  };
  for (const auto& [toml, what] : cases) {
    const std::string text = refusal("blobs", toml);
    EXPECT_NE(text.find(what), std::string::npos) << toml << "\n" << text;
  }
}

}  // namespace
}  // namespace coterie::blobs_test
