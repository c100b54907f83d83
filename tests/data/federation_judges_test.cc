// Unseen clients and shared test sets.
#include <gtest/gtest.h>

#include "support/deals.h"
#include "support/federations.h"

namespace coterie::federation_judges_test {
namespace {

using Numbers = std::vector<std::size_t>;

FederationSpec rotated(std::size_t test, std::int64_t unseen) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, test), 8);
  add_shift(spec, "rotate", "angles = [0, 180]");
  spec.unseen.count = unseen;
  return spec;
}

TEST(FederationJudges, IdsComeAfterTheTrainingClients) {
  const auto federation = build(rotated(40, 4));
  EXPECT_EQ(federation->training(), 8u);
  ASSERT_EQ(federation->size(), 8u + 4u + 2u);
  for (ClientId i = 0; i < 14; ++i) {
    EXPECT_EQ(federation->info(i).role, i < 8 ? Role::train : i < 12 ? Role::unseen : Role::test);
  }
  EXPECT_EQ(federation->info(12).truth, 0u);
  EXPECT_EQ(federation->info(13).truth, 1u);
}

// Two unseen clients of each cluster: the 40 test rows in file order are cut in half for each cluster.
TEST(FederationJudges, EveryClusterUsesTheWholeTestPartInFileOrder) {
  const auto federation = build(rotated(40, 4));
  Numbers clusters;
  for (ClientId i = 8; i < 12; ++i) clusters.push_back(federation->info(i).truth);
  EXPECT_EQ(clusters, (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(all_rows(*federation, {8}), first_numbers(20, 1000));
  EXPECT_EQ(all_rows(*federation, {9}), first_numbers(20, 1000));
  EXPECT_EQ(all_rows(*federation, {10}), first_numbers(20, 1020));
  EXPECT_EQ(all_rows(*federation, {11}), first_numbers(20, 1020));
  for (ClientId i = 8; i < 14; ++i) {
    for (Part part : {Part::train, Part::test}) {
      EXPECT_EQ(turns(*federation->samples(i, part, 1), 0), federation->info(i).truth == 0 ? 0 : 2);
    }
  }
}

TEST(FederationJudges, UnseenClientsComeFromHeldOutRowsWhenThereIsNoTestPart) {
  const auto federation = build(rotated(0, 2));
  Numbers together = all_rows(*federation, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(together, first_numbers(80));
  EXPECT_EQ(all_rows(*federation, {8}), all_rows(*federation, {9}));
}

TEST(FederationJudges, UnevenNumbersAreBalancedAsFarAsPossible) {
  const auto federation = build(rotated(40, 5));
  EXPECT_EQ(all_rows(*federation, {8}).size(), 14u);  // three of cluster 0
  EXPECT_EQ(all_rows(*federation, {9}).size(), 20u);  // two of cluster 1
}

TEST(FederationJudges, TakesSoManySamplesEach) {
  FederationSpec spec = rotated(40, 4);
  spec.unseen.samples = 6;
  const auto federation = build(spec);
  EXPECT_EQ(all_rows(*federation, {10}), first_numbers(6, 1006));
  spec.unseen.samples = 21;
  EXPECT_NE(error_of([&] {
              build(spec);
            }).find("2 unseen clients x 21 samples in each true cluster need 42 test rows"),
            std::string::npos);
}

TEST(FederationJudges, SettlesApartFromWhatItIsScoredOn) {
  FederationSpec spec = rotated(40, 4);
  spec.unseen.share = 0.3;
  const auto federation = build(spec);
  EXPECT_EQ(federation->info(8).train, 6u);
  EXPECT_EQ(federation->info(8).test, 14u);
  EXPECT_EQ(federation->info(8).validation, 0u);
  EXPECT_EQ(rows_of(*federation, 8, Part::train).size(), 6u);
  EXPECT_EQ(rows_of(*federation, 8, Part::test).size(), 14u);
  EXPECT_EQ(rows_of(*federation, 8, Part::validation).size(), 0u);
  EXPECT_EQ(federation->info(12).train, 12u);
  EXPECT_EQ(federation->info(12).test, 28u);
  EXPECT_EQ(all_rows(*federation, {13}), first_numbers(40, 1000));
}

TEST(FederationJudges, BothPartsComeFromAllOfTheRows) {
  const auto federation = build(rotated(400, 2));
  for (Part part : {Part::train, Part::test}) {
    const Numbers rows = rows_of(*federation, 8, part);
    EXPECT_LT(*std::min_element(rows.begin(), rows.end()), 1200u);
    EXPECT_GE(*std::max_element(rows.begin(), rows.end()), 1200u);
  }
}

TEST(FederationJudges, SettlesOnTheVerySamplesWhenToldTo) {
  FederationSpec spec = rotated(40, 4);
  spec.unseen.settle = "same";
  add_shift(spec, "label-noise", "rates = [0.5]\ntest = true");
  const auto federation = build(spec);
  for (ClientId i = 8; i < 14; ++i) {
    EXPECT_EQ(federation->info(i).train, i < 12 ? 20u : 40u);
    EXPECT_EQ(federation->info(i).test, federation->info(i).train);
    const auto choose = federation->samples(i, Part::train, 1), judge = federation->samples(i, Part::test, 1);
    EXPECT_EQ(choose->features, judge->features);
    EXPECT_EQ(choose->targets, judge->targets);
    EXPECT_EQ(federation->samples(i, Part::validation, 1)->size(), 0u);
  }
}

TEST(FederationJudges, RoundsDoNotMoveThem) {
  FederationSpec spec = rotated(40, 4);
  spec.data.redeal = "epoch";
  const auto federation = build(spec);
  for (ClientId i = 8; i < 14; ++i) {
    EXPECT_EQ(rows_of(*federation, i, Part::train, 1), rows_of(*federation, i, Part::train, 30));
  }
}

TEST(FederationJudges, MixBytesAndFloatsInASharedSet) {
  Pool pool;
  pool.train.shape = pool.test.shape = {.width = 4, .classes = 2, .height = 2, .columns = 2, .channels = 1};
  for (Samples* samples : {&pool.train, &pool.test}) {
    samples->features = std::vector<std::uint8_t>(8 * 4, 100);
    samples->targets.assign(8, 1.0);
    samples->scale = 0.01;
  }
  FederationSpec spec = pool_spec(std::move(pool), 4);
  add_shift(spec, "rotate", "angles = [0, 45]", {}, false);
  const auto federation = build(spec);
  const auto shared = federation->samples(4, Part::test, 1);
  ASSERT_EQ(shared->size(), 4u);
  std::vector<float> pixels(4);
  int whole = 0;
  for (std::size_t r = 0; r < 4; ++r) {
    shared->copy_row(r, std::span<float>(pixels));
    whole += pixels[0] == 1.0f;
  }
  EXPECT_EQ(whole, 2);
}

}  // namespace
}  // namespace coterie::federation_judges_test
