#include "run/notices.h"

#include <gtest/gtest.h>

#include "support/given_federation.h"

namespace coterie::notices_test {
namespace {

class NamedFederation : public GivenFederation {
 public:
  NamedFederation() : GivenFederation({Samples{}}) {}
  std::string name(ClientId client) const override { return client == 4 ? "anna" : ""; }
};

std::vector<Event> rejected(const std::vector<ClientId>& clients) {
  std::vector<Event> events;
  for (ClientId i : clients) events.push_back({2, "rejected", i, "left out client " + std::to_string(i), {}});
  return events;
}

TEST(LeftOutText, NamesTheFirstFew) {
  NamedFederation federation;
  EXPECT_EQ(left_out_text(federation, rejected({3})), "round 2: left out client 3");
  EXPECT_EQ(left_out_text(federation, rejected({3, 4, 5})),
            "round 2: left out client 3 (also left out: anna, client 5)");
  EXPECT_EQ(
      left_out_text(federation, rejected({3, 4, 5, 6, 7, 8, 9, 10})),
      "round 2: left out client 3 (also left out: anna, client 5, client 6, client 7, client 8 and 2 more)");
}

Config config_of(const std::string& kind) {
  Problems problems;
  Table table = parse_toml(
      "[algorithm.ifca]\n[algorithm.fedprox]\nmu = 1\n[algorithm]\nkind = \"" + kind + "\"\n", "exp.toml");
  return read_config(table, "exp.toml", problems);
}

TEST(NotesOnUnused, NamesTablesThatNoRunUses) {
  const Config fedavg = config_of("fedavg"), ifca = config_of("ifca"), fedprox = config_of("fedprox");
  EXPECT_EQ(
      notes_on_unused({&ifca}),
      (std::vector<std::string>{"exp.toml:2: [algorithm.fedprox] is not used: algorithm.kind = \"ifca\""}));
  EXPECT_EQ(notes_on_unused({&fedavg}).size(), 2u);
  EXPECT_EQ(notes_on_unused({&fedavg, &ifca}),
            (std::vector<std::string>{
                "exp.toml:2: [algorithm.fedprox] is not used: no run of the sweep names it"}));
  EXPECT_EQ(notes_on_unused({&fedprox, &ifca}), std::vector<std::string>{});
}

TEST(NotesOnUnused, NamesTheMethodsOfASweepThatHaveNoTiers) {
  const auto with_tiers = [](const std::string& kind) {
    Problems problems;
    return read_config(
        parse_toml("[tiers]\nadapt = \"fixed\"\n[algorithm]\nkind = \"" + kind + "\"\n", "exp.toml"),
        "exp.toml", problems);
  };
  const Config fedem = with_tiers("fedem"), fedavg = with_tiers("fedavg"), ifca = with_tiers("ifca");
  EXPECT_EQ(notes_on_unused({&fedem}), std::vector<std::string>{});
  EXPECT_EQ(
      notes_on_unused({&fedem, &ifca, &fedavg}),
      (std::vector<std::string>{
          "exp.toml:1: [tiers] is not used by algorithm.kind = \"fedavg\", \"ifca\": not made of tiers"}));
  EXPECT_EQ(notes_on_unused({&ifca, &fedavg}).size(), 1u);
}

}  // namespace
}  // namespace coterie::notices_test
