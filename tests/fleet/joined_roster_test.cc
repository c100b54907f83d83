// What clients tell when they join becomes one roster, and their rows one form.
#include "fleet/joined_roster.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coterie::joined_roster_test {
namespace {

using Features = std::vector<TableSchema::Feature>;

Introduction site(const std::string& name, const Features& features, std::vector<std::string> classes) {
  Introduction one{name,         {Task::classification, features.size(), classes.size()}, 10, 0, 2, 1, {},
                   TableSchema()};
  one.table->target = "y";
  one.table->classes = std::move(classes);
  one.table->features = features;
  one.table->draft = true;
  return one;
}

const Features kAnna = {{.column = "size", .value = std::nullopt}, {.column = "colour", .value = "red"}};
const Features kBert = {{.column = "size", .value = std::nullopt},
                        {.column = "colour", .value = "blue"},
                        {.column = "colour", .value = "red"},
                        {.column = "colour", .value = ""}};

TEST(JoinedRoster, NumbersGoByName) {
  const JoinedRoster roster({site("carl", kAnna, {"no", "yes"}), site("anna", kAnna, {"no", "yes"})}, 0);
  EXPECT_EQ(roster.name(0), "anna");
  EXPECT_EQ(roster.name(1), "carl");
  EXPECT_EQ(roster.training(), 2u);
}

TEST(JoinedRoster, HasAFeatureForEachValueThatAnybodyHas) {
  const JoinedRoster roster({site("anna", kAnna, {"no", "yes"}), site("bert", kBert, {"maybe", "no"})}, 0);
  ASSERT_EQ(roster.table()->features.size(), 4u);
  EXPECT_EQ(roster.table()->features[1].value, "blue");
  EXPECT_EQ(roster.table()->features[2].value, "red");
  EXPECT_EQ(roster.table()->features[3].value, "") << "what is missing comes last";
  EXPECT_EQ(roster.classes(), (std::vector<std::string>{"maybe", "no", "yes"}));
  EXPECT_EQ(roster.shape().classes, 3u);
  EXPECT_EQ(roster.shape().width, 4u);
  EXPECT_TRUE(roster.table()->draft);
}

TEST(JoinedRoster, BringsRowsToTheCommonForm) {
  const Introduction anna = site("anna", kAnna, {"no", "yes"});
  const JoinedRoster roster({anna, site("bert", kBert, {"maybe", "no"})}, 0);
  Samples raw;
  raw.shape = anna.shape;
  raw.features = std::vector<double>{1.5, 1, std::nan(""), 0};
  raw.targets = {0, 1};
  const Samples brought = brought_to(roster.shape(), roster.table(), roster.classes(), anna, raw);
  const auto& x = std::get<std::vector<double>>(brought.features);
  EXPECT_EQ((std::vector<double>{x[0], x[1], x[2], x[3]}), (std::vector<double>{1.5, 0, 1, 0}));
  EXPECT_TRUE(std::isnan(x[4]));
  EXPECT_EQ(brought.targets, (std::vector<double>{1, 2})) << "no and yes have other numbers among all";
}

TEST(JoinedRoster, SaysWhoseColumnsDoNotFit) {
  const auto refusal = [](const Introduction& other) -> std::string {
    try {
      JoinedRoster({site("anna", kAnna, {"no", "yes"}), other}, 0);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const Features text = {{.column = "size", .value = "big"}, {.column = "colour", .value = "red"}};
  EXPECT_NE(
      refusal(site("bert", text, {"no", "yes"})).find("\"size\" is numbers at client \"anna\" and text"),
      std::string::npos);
  const Features less = {{.column = "size", .value = std::nullopt}};
  EXPECT_NE(refusal(site("bert", less, {"no", "yes"})).find("client \"bert\" has no such feature"),
            std::string::npos);
  Introduction images{"bert", {Task::classification, 4, 2, 2, 2, 1}, 8, 0, 2, 1, {}, std::nullopt};
  EXPECT_NE(refusal(images).find("the same form"), std::string::npos);
  images.shape.channels = 7;
  EXPECT_NE(refusal(images), "");
}

TEST(JoinedRoster, BoundsWhatAClientCountsFor) {
  Introduction greedy = site("greedy", kAnna, {"no", "yes"});
  greedy.train = 4000000000u;
  EXPECT_EQ(JoinedRoster({greedy}, 500).info(0).train, 500u);
  EXPECT_EQ(JoinedRoster({greedy}, 0).info(0).train, 4000000000u);
}

TEST(JoinedRoster, IsTheSameAfterItWasKept) {
  const JoinedRoster roster({site("anna", kAnna, {"no", "yes"}), site("bert", kBert, {"maybe", "no"})}, 0);
  const JoinedRoster again(JoinedRoster::read(roster.text(), "clients"), 0);
  EXPECT_EQ(again.text(), roster.text());
  EXPECT_EQ(again.classes(), roster.classes());
  std::string damaged = roster.text();
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  EXPECT_THROW(JoinedRoster::read(damaged, "clients"), Error);
}

TEST(MergedNames, AreInOrderOfNumbersWhereAllAreNumbers) {
  EXPECT_EQ(merged_names({{"10", "2"}, {"2.0", "1"}}), (std::vector<std::string>{"1", "2", "10"}));
  EXPECT_EQ(merged_names({{"b", "10"}, {"", "a"}}), (std::vector<std::string>{"10", "a", "b", ""}));
}

}  // namespace
}  // namespace coterie::joined_roster_test
