// Planted federations: three true clusters that methods must find from their own starts, without being told
// how many there are. Two seeds here; bench/configs/planted-*.toml has ten.
#include <gtest/gtest.h>

#include <algorithm>

#include "coterie/metric.h"
#include "run/session.h"

namespace coterie {
namespace {

// Three concepts, label skew and unequal sizes; or three rotations of the same; or blobs with labels turned.
enum class Planted { concepts, rotations, blobs };

std::string config_text(Planted planted, const std::string& algorithm, std::uint64_t seed) {
  std::string text = "seed = " + std::to_string(seed) + "\n";
  if (planted == Planted::blobs) {
    text += R"(
[data]
source = "blobs"
clusters = 3
classes = 4
dimension = 10
differ = "labels"
centres = "gaussian"
reach = 1.0
spread = 0.7
[clients]
count = 30
partition = "quantity"
sizes = ["10x20", "10x40", "10x80"]
)";
  } else {
    text += planted == Planted::concepts
                ? "[data]\nsource = \"digits\"\n[[shift]]\nkind = \"permute-labels\"\nrule = "
                  "\"add\"\noffsets = [0, 3, 6]\n"
                : "[data]\nsource = \"digits\"\n[[shift]]\nkind = \"rotate\"\nangles = [0, 90, 180]\n";
    text += R"(
[clients]
count = 30
reuse = "per-cluster"
partition = "dirichlet"
rule = "client"
alpha = 20.0
power = 0.3
minimum = 30
)";
  }
  return text + R"(
[model]
kind = "softmax"
[local]
batch = 16
rate = 0.1
[rounds]
count = 30
[algorithm]
kind = ")" +
         algorithm + R"("
[algorithm.cfl]
eps1 = 0.1
eps2 = 0.3
[algorithm.stocfl]
tau = 0.3
)";
}

// Agreement with the true clusters after each round.
std::vector<double> agreement(Planted planted, const std::string& algorithm, std::uint64_t seed) {
  Problems problems;
  Config config = read_config(parse_toml(config_text(planted, algorithm, seed), "test"), "test", problems);
  problems.raise_if_any();
  Session session(config, "", 2, "");
  session.start();
  const auto ari = Registry<Metric>::instance().make("ari");
  std::vector<double> curve;
  for (std::uint32_t t = 1; t <= 30; ++t) {
    session.round(t);
    Record record;
    ari->measure(session.evaluate(t, false), record);
    curve.push_back(record.number("ari"));
  }
  return curve;
}

class PlantedClusters : public testing::TestWithParam<Planted> {};

TEST_P(PlantedClusters, AreFoundByCfl) {
  for (const std::uint64_t seed : {1, 2}) EXPECT_GT(agreement(GetParam(), "cfl", seed).back(), 0.95) << seed;
}

TEST_P(PlantedClusters, AreFoundByStoCfl) {
  for (const std::uint64_t seed : {1, 2})
    EXPECT_GT(agreement(GetParam(), "stocfl", seed).back(), 0.95) << seed;
}

// Its bar rises to 1, so that it splits on after it has found them.
TEST_P(PlantedClusters, AreFoundByIcflAtSomeRound) {
  for (const std::uint64_t seed : {1, 2}) {
    const std::vector<double> curve = agreement(GetParam(), "icfl", seed);
    EXPECT_GT(*std::max_element(curve.begin(), curve.end()), 0.95) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlantedClusters,
                         testing::Values(Planted::concepts, Planted::rotations, Planted::blobs));

}  // namespace
}  // namespace coterie
