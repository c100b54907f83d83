// How shifts are handed out, left out and told.
#include <gtest/gtest.h>

#include <map>

#include "support/deals.h"
#include "support/federations.h"

namespace coterie::federation_shifts_test {
namespace {

using Names = std::vector<std::string>;

TEST(FederationShifts, ListsGiveEachClientItsVariant) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, 4), 4);
  add_shift(spec, "rotate");
  spec.shifts[0].variants = {3, 0, 0, 1};
  const auto federation = build(spec);
  EXPECT_EQ(federation->truth().names, (Names{"rotate 0", "rotate 90", "rotate 270"}));
  const int quarters[4] = {3, 0, 0, 1};
  for (ClientId i = 0; i < 4; ++i) EXPECT_EQ(turns(*federation->samples(i, Part::train, 1), 0), quarters[i]);
}

TEST(FederationShifts, RefusesListsThatDoNotFit) {
  FederationSpec spec = pool_spec(numbered_pool(80, 2, 4), 4);
  add_shift(spec, "rotate");
  spec.shifts[0].variants = {0, 1};
  EXPECT_NE(error_of([&] { build(spec); }).find("lists 2 clients, but there are 4"), std::string::npos);
  spec.shifts[0].variants = {0, 1, 2, 4};
  EXPECT_NE(error_of([&] { build(spec); }).find("names 4; its variants are 0 (\"rotate 0\") to 3"),
            std::string::npos);
}

// Balanced concepts, and turns drawn for each client on its own: over 400 clients the first are exact, the
// second within five standard deviations of 200, and no seed's number is every seed's.
TEST(FederationShifts, OneShiftCanBeDrawnWhereOthersAreBalanced) {
  FederationSpec spec = pool_spec(numbered_pool(800, 4, 4), 400);
  add_shift(spec, "permute-labels", "offsets = [0, 1]");
  add_shift(spec, "rotate", "angles = [0, 90]", {}, false);
  spec.shifts[1].deal = "random";
  std::map<std::size_t, int> seen;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto federation = build(spec, seed);
    EXPECT_EQ(members(*federation, 0).size(), 200u);
    std::size_t turned = 0;
    for (ClientId i = 0; i < 400; ++i) turned += federation->shifts(i)[1] == "rotate 90";
    EXPECT_NEAR(static_cast<double>(turned), 200, 50);
    ++seen[turned];
  }
  EXPECT_GT(seen.size(), 1u);
}

// Test clients as in HCFL: all test samples under each concept, none of them turned although all clients'
// are, 90% to settle by and 10% to be scored on.
TEST(FederationShifts, SharedTestsCanStayCleanOfAShift) {
  FederationSpec spec = pool_spec(numbered_pool(90, 10, 40), 9);
  add_shift(spec, "permute-labels", "rule = \"rotate-first\"\nbeta = 0.4\nconcepts = 3");
  add_shift(spec, "rotate", "angles = [90, 180]", {}, false);
  spec.shifts[1].shared_tests = false;
  spec.unseen.share = 0.9;
  const auto federation = build(spec);
  ASSERT_EQ(federation->size(), 12u);
  for (ClientId i = 0; i < 9; ++i) {
    for (Part part : {Part::train, Part::test}) EXPECT_GT(turns(*federation->samples(i, part, 1), 0), 0);
  }
  for (std::uint32_t concept_number = 0; concept_number < 3; ++concept_number) {
    const ClientId test = 9 + concept_number;
    EXPECT_EQ(federation->info(test).train, 36u);
    EXPECT_EQ(federation->info(test).test, 4u);
    EXPECT_EQ(all_rows(*federation, {test}), first_numbers(40, 1000));
    for (Part part : {Part::train, Part::test}) {
      const auto samples = federation->samples(test, part, 1);
      for (std::size_t r = 0; r < samples->size(); ++r) {
        EXPECT_EQ(turns(*samples, r), 0);
        const std::size_t label = row_number(*samples, r) % 10;
        EXPECT_EQ(samples->label(r), label < 4 ? (label + concept_number) % 4 : label);
      }
    }
    EXPECT_EQ(federation->shifts(test), (Names{"first labels +" + std::to_string(concept_number), "none"}));
  }
}

TEST(FederationShifts, TellsWhatEveryClientWentThrough) {
  FederationSpec spec = pool_spec(numbered_pool(80, 4, 8), 8);
  add_shift(spec, "permute-labels", "offsets = [0, 1]");
  add_shift(spec, "rotate", "angles = [0, 90]", {}, false);
  spec.unseen.count = 4;
  const auto federation = build(spec);
  for (ClientId i = 0; i < 12; ++i) {
    const auto samples = federation->samples(i, Part::train, 1);
    const bool renamed = samples->label(0) != row_number(*samples, 0) % 4;
    EXPECT_EQ(federation->shifts(i), (Names{renamed ? "labels +1" : "labels +0",
                                            turns(*samples, 0) == 1 ? "rotate 90" : "rotate 0"}));
  }
  EXPECT_EQ(federation->shifts(12), (Names{"labels +0", "mixed"}));
  EXPECT_EQ(federation->shifts(13), (Names{"labels +1", "mixed"}));
}

TEST(FederationShifts, NotesConceptsThatAreEqual) {
  FederationSpec spec = pool_spec(numbered_pool(90, 10, 2), 9);
  add_shift(spec, "permute-labels", "rule = \"rotate-first\"\nbeta = 0.2\nconcepts = 3");
  EXPECT_EQ(build(spec)->notes(), (Names{"shift 1: \"first labels +2\" is the same as \"first labels +0\" on "
                                         "this data, so their clients are one group"}));
  spec.shifts.clear();
  add_shift(spec, "permute-labels", "rule = \"rotate-first\"\nbeta = 0.4\nconcepts = 3");
  EXPECT_EQ(build(spec)->notes(), Names{});
}

}  // namespace
}  // namespace coterie::federation_shifts_test
