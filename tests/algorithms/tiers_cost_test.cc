// What a round of HCFL+ costs beside one of FedEM: products of matrices and bytes, against arithmetic.
#include <gtest/gtest.h>

#include "math/gemm.h"
#include "run/session.h"

namespace coterie::tiers_cost_test {
namespace {

constexpr std::uint64_t kClients = 6, kSamples = 24, kInputs = 8, kHidden = 5, kClasses = 4, kModels = 3;

struct Cost {
  std::uint64_t flops, down, up;  // of a round
  std::uint64_t judged, delivered;
};

Cost cost_of(const std::string& algorithm, const std::string& more) {
  Problems problems;
  const std::string text = R"(
[data]
source = "blobs"
clusters = 3
dimension = 8
classes = 4
[clients]
count = 6
samples = 24
parts = {train = 1.0, test = 0.0}
[model]
kind = "mlp"
hidden = [5]
[local]
batch = 8
momentum = 0.5
[clusters]
count = 3
init = "random"
[evaluate]
metrics = ["basic"]
[algorithm]
kind = ")" + algorithm + "\"\n" +
                           more;
  Config config = read_config(parse_toml(text, "test"), "test", problems);
  problems.raise_if_any();
  Session session(config, "", 1, "");
  session.start();
  const Traffic before = session.fleet().traffic();
  const std::uint64_t flops = product_flops();
  session.round(1);
  const Traffic after = session.fleet().traffic();
  const std::uint64_t spent = product_flops() - flops;
  session.evaluate(1, true, false);  // histograms of scores would differ in size
  const std::uint64_t judged = session.fleet().traffic().eval - after.eval;
  session.deliver();
  const std::uint64_t delivered = session.fleet().traffic().down - after.down;
  return {spent, after.down - before.down, after.up - before.up, judged, delivered};
}

// The E-step goes forward once, an epoch forward and twice backward, the first layer but once; and the sums
// of the first batch under that are known from the E-step.
constexpr std::uint64_t kLayer = 2 * kSamples * kInputs * kHidden, kHead = 2 * kSamples * kHidden * kClasses;
constexpr std::uint64_t kKnown = 2 * 8 * kInputs * kHidden;
constexpr std::uint64_t kExtractorSize = (kInputs + 1) * kHidden, kHeadSize = (kHidden + 1) * kClasses;
constexpr std::uint64_t kOwn = 4 + 8 + 4 * kModels;  // home, loss, weights

TEST(TierCost, FedEmSendsAndTrainsWholeModels) {
  const Cost cost = cost_of("fedem", "");
  EXPECT_EQ(cost.flops, kClients * kModels * (3 * kLayer - kKnown + 4 * kHead));
  EXPECT_EQ(cost.down, kClients * 4 * kModels * (kExtractorSize + kHeadSize));
  EXPECT_EQ(cost.up, cost.down + kClients * kOwn);
}

TEST(TierCost, HcflPlusOneExtractorAndAHeadForEachCluster) {
  const Cost cost =
      cost_of("hcfl-plus", "[algorithm.hcfl-plus]\nbackbone = \"fedem\"\n[tiers]\nadapt = \"fixed\"\n");
  EXPECT_EQ(cost.flops, kClients * (3 * kLayer - kKnown + kModels * 4 * kHead));
  EXPECT_EQ(cost.down, kClients * 4 * (kExtractorSize + kModels * kHeadSize));
  EXPECT_EQ(cost.up, cost.down + kClients * kOwn);
}

TEST(TierCost, PrototypesComeOnTopAndAForwardPassForThem) {
  const Cost fixed =
      cost_of("hcfl-plus", "[algorithm.hcfl-plus]\nbackbone = \"fedem\"\n[tiers]\nadapt = \"fixed\"\n");
  const Cost cost = cost_of("hcfl-plus", "[algorithm.hcfl-plus]\nbackbone = \"fedem\"\nrho = 2\n");
  EXPECT_EQ(cost.down, fixed.down);
  EXPECT_EQ(cost.up - fixed.up, kClients * 4 * (kClasses + (kClasses + 1) * kHidden));
  EXPECT_EQ(cost.flops - fixed.flops, kClients * kLayer);
}

constexpr std::uint64_t kJudged = kClients + 3;  // and a test set for each true cluster

// Judging sends what delivery does, and hears as much from clients whatever they were sent.
TEST(TierCost, OneExtractorIsJudgedAndDelivered) {
  const std::string plus = "[algorithm.hcfl-plus]\nbackbone = \"fedem\"\nextractor = ";
  const std::string fixed = "\n[tiers]\nadapt = \"fixed\"\n";
  const Cost whole = cost_of("hcfl-plus", plus + "false" + fixed);
  const Cost shared = cost_of("hcfl-plus", plus + "true" + fixed);
  EXPECT_EQ(whole.delivered, kClients * 4 * kModels * (kExtractorSize + kHeadSize));
  EXPECT_EQ(shared.delivered, kClients * 4 * (kExtractorSize + kModels * kHeadSize));
  EXPECT_EQ(whole.judged - shared.judged, kJudged * 4 * (kModels - 1) * kExtractorSize);
}

TEST(TierCost, SoAreTheSharedLayersOfIfca) {
  const Cost whole = cost_of("ifca", "");
  const Cost shared = cost_of("ifca", "[algorithm.ifca]\nshared = [\"layer1\"]\n");
  EXPECT_EQ(shared.delivered, kClients * 4 * (kExtractorSize + kModels * kHeadSize));
  EXPECT_EQ(whole.judged - shared.judged, kJudged * 4 * (kModels - 1) * kExtractorSize);
}

TEST(TierCost, AClientOfAKnownClusterIsSentOneHead) {
  const Cost cost =
      cost_of("hcfl-plus", "[algorithm.hcfl-plus]\nbackbone = \"fesem\"\n[tiers]\nadapt = \"fixed\"\n");
  EXPECT_EQ(cost.delivered, kClients * 4 * (kExtractorSize + kHeadSize));
}

}  // namespace
}  // namespace coterie::tiers_cost_test
