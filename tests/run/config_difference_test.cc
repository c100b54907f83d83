#include "run/config_difference.h"

#include <gtest/gtest.h>

namespace coterie::config_difference_test {
namespace {

std::string difference(const std::string& there, const std::string& here) {
  return config_difference(parse_toml(there, "a"), parse_toml(here, "b"));
}

TEST(ConfigDifference, NamesTheKeysWithBothValues) {
  EXPECT_EQ(difference("seed = 1\n[rounds]\ncount = 4\n", "seed = 1\n[rounds]\ncount = 5\n"),
            "rounds.count = 4 there, 5 here");
  EXPECT_EQ(difference("[model]\nhidden = [8]\n", ""), "model.hidden = [8] there, unset here");
  EXPECT_EQ(difference("seed = 1\n", "seed = 1\n"), "");
  EXPECT_EQ(difference("a = 1\nb = 1\nc = 1\nd = 1\ne = 1\n", "a = 2\nb = 2\nc = 2\nd = 2\ne = 2\n"),
            "a = 1 there, 2 here; b = 1 there, 2 here; c = 1 there, 2 here; and 2 more");
}

TEST(ConfigDifference, LeavesOutWhatChangesNoBit) {
  EXPECT_EQ(difference("[checkpoint]\nevery = 4\n[fleet]\nquorum = 0.5\n", ""), "");
}

TEST(ConfigDifference, MoreRoundsAndNothingElse) {
  auto more = [](const std::string& there, const std::string& here) {
    return wants_more_rounds(parse_toml(there, "a"), parse_toml(here, "b"));
  };
  EXPECT_TRUE(more("[rounds]\ncount = 4\n", "[rounds]\ncount = 5\n"));
  EXPECT_FALSE(more("[rounds]\ncount = 5\n", "[rounds]\ncount = 4\n"));
  EXPECT_FALSE(more("[rounds]\ncount = 4\n", "[rounds]\ncount = 4\n"));
  EXPECT_FALSE(more("seed = 1\n[rounds]\ncount = 4\n", "seed = 2\n[rounds]\ncount = 5\n"));
}

}  // namespace
}  // namespace coterie::config_difference_test
