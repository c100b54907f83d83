// Federations whose clients draw their samples.
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>

#include "support/deals.h"
#include "support/federations.h"

namespace coterie::federation_generator_test {
namespace {

std::vector<double> targets(const Federation& federation, ClientId client, Part part,
                            std::uint32_t round = 1) {
  return federation.samples(client, part, round)->targets;
}

TEST(FederationGenerator, GroupsAreTrueClustersWithTheirParameters) {
  const auto federation = build(generator_spec({2, -3}, 6, 10));
  ASSERT_EQ(federation->truth().clusters, 2u);
  EXPECT_EQ(federation->truth().names[1], "group 1");
  EXPECT_EQ(federation->truth().parameters[1], Vec{-3.0});
  for (ClientId i = 0; i < federation->size(); ++i) {
    const double slope = federation->info(i).truth == 0 ? 2 : -3;
    const auto samples = federation->samples(i, Part::test, 1);
    double x = 0;
    samples->copy_row(0, std::span<double>(&x, 1));
    EXPECT_EQ(samples->targets[0], slope * x);
  }
  EXPECT_EQ(members(*federation, 0).size(), 3u);
}

TEST(FederationGenerator, KeepsFloatsWhenNobodyReadsMore) {
  FederationSpec spec = generator_spec({2, -3}, 4, 10);
  const auto wide = build(spec);
  spec.floats = true;
  const auto narrow = build(spec);
  for (ClientId i = 0; i < wide->size(); ++i) {
    for (const Part part : {Part::train, Part::test}) {
      const auto doubles = wide->samples(i, part, 1), floats = narrow->samples(i, part, 1);
      ASSERT_TRUE(std::holds_alternative<std::vector<float>>(floats->features));
      ASSERT_EQ(floats->targets, doubles->targets);
      for (std::size_t j = 0; j < doubles->size(); ++j) {
        float a = 0, b = 0;
        doubles->copy_row(j, std::span<float>(&a, 1));
        floats->copy_row(j, std::span<float>(&b, 1));
        EXPECT_EQ(a, b);
      }
    }
  }
}

// Parts are consecutive ranges of one draw.
TEST(FederationGenerator, PartsAreRangesOfOneDraw) {
  FederationSpec spec = generator_spec({1}, 2, 10);
  const auto cut = build(spec);
  spec.clients.train = 1;
  spec.clients.test = 0;
  const auto whole = build(spec);
  std::vector<double> joined = targets(*cut, 1, Part::train);
  EXPECT_EQ(joined.size(), 8u);
  for (double target : targets(*cut, 1, Part::test)) joined.push_back(target);
  EXPECT_EQ(joined, targets(*whole, 1, Part::train));
  EXPECT_NE(targets(*whole, 0, Part::train), targets(*whole, 1, Part::train));
}

TEST(FederationGenerator, RedealDrawsTrainingPartsAfresh) {
  FederationSpec spec = generator_spec({1}, 2, 10);
  const auto still = build(spec);
  spec.data.redeal = "epoch";
  const auto federation = build(spec);
  EXPECT_EQ(targets(*federation, 0, Part::train, 1), targets(*still, 0, Part::train, 7));
  EXPECT_NE(targets(*federation, 0, Part::train, 1), targets(*federation, 0, Part::train, 2));
  EXPECT_EQ(targets(*federation, 0, Part::test, 1), targets(*federation, 0, Part::test, 2));
}

TEST(FederationGenerator, HasClientsOfDifferentSizes) {
  FederationSpec spec = generator_spec({1}, 2, 10);
  spec.clients.count.reset();
  spec.clients.samples.reset();
  spec.partition = make_plugin<Partition>("quantity", "sizes = [\"3x10\", \"2x50\"]\nshuffle = false");
  spec.unseen.count = 1;
  const auto federation = build(spec);
  ASSERT_EQ(federation->training(), 5u);
  EXPECT_EQ(federation->info(2).train + federation->info(2).test, 10u);
  EXPECT_EQ(federation->info(3).train, 40u);
  EXPECT_EQ(targets(*federation, 4, Part::test).size(), 10u);
  EXPECT_EQ(federation->info(5).train + federation->info(5).test, 26u);  // the mean of 3 x 10 and 2 x 50
}

TEST(FederationGenerator, DrawsSharedTestSetsAndUnseenClients) {
  FederationSpec spec = generator_spec({1, 2}, 4, 10);
  spec.unseen.count = 2;
  spec.unseen.samples = 30;
  spec.data.test_samples = 500;
  const auto federation = build(spec);
  ASSERT_EQ(federation->size(), 8u);
  EXPECT_EQ(federation->info(4).train + federation->info(4).test, 30u);
  EXPECT_EQ(federation->info(7).train, 250u);
  EXPECT_EQ(targets(*federation, 7, Part::test).size(), 250u);
  EXPECT_NE(targets(*federation, 6, Part::test)[0], targets(*federation, 6, Part::train)[0]);
}

TEST(FederationGenerator, RefusesPartitionsThatNeedAPool) {
  FederationSpec spec = generator_spec({1}, 2, 10);
  spec.partition = make_plugin<Partition>("dirichlet");
  EXPECT_NE(error_of([&] { build(spec); }).find("finite pool"), std::string::npos);
  FederationSpec open = generator_spec({1}, 2, 10);
  open.clients.samples.reset();
  EXPECT_NE(error_of([&] { build(open); }).find("clients.samples"), std::string::npos);
}

std::size_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

TEST(FederationGenerator, AMillionClientsAreCheap) {
  const std::size_t before = heap_bytes();
  const auto start = std::chrono::steady_clock::now();
  FederationSpec spec = generator_spec({1, 2, 3}, 1'000'000, 20);
  const auto federation = build(spec);
  EXPECT_LE(heap_bytes(), before + 16'000'000);  // 16 bytes each
  std::size_t train = 0;
  std::vector<std::size_t> sizes(3, 0);
  for (ClientId i = 0; i < federation->training(); ++i) {
    const ClientInfo info = federation->info(i);
    train += info.train;
    ++sizes[info.truth];
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start,
            std::chrono::seconds(5));  // a fraction of one, when idle
  EXPECT_EQ(train, 16'000'000u);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{333334, 333333, 333333}));
  EXPECT_EQ(targets(*federation, 999'999, Part::train).size(), 16u);
}

}  // namespace
}  // namespace coterie::federation_generator_test
