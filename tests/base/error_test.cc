#include "coterie/error.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace coterie::error_test {
namespace {

TEST(Where, NamesFileAndLine) {
  EXPECT_EQ((Where{"exp.toml", 12}).text(), "exp.toml:12");
  EXPECT_EQ((Where{"--set clusters.count", 0}).text(), "--set clusters.count");
}

TEST(Problems, AreListedByFileAndLine) {
  Problems problems;
  problems.add({"b.toml", 1}, "third");
  problems.add({"a.toml", 10}, "second");
  problems.add({"a.toml", 9}, "first");
  problems.add({}, "from nowhere");
  EXPECT_EQ(problems.text(),
            "error: from nowhere\nerror: a.toml:9: first\nerror: a.toml:10: second\nerror: b.toml:1: third");
}

TEST(Problems, NameTheSameMistakeOnce) {
  Problems problems;
  problems.add({"a.toml", 9}, "wrong");
  problems.add({"a.toml", 9}, "wrong");
  problems.add({"a.toml", 8}, "wrong");
  EXPECT_EQ(problems.size(), 2u);
}

TEST(Problems, FitOnAScreenWhateverTheyQuote) {
  Problems problems;
  problems.add({"a.toml", 1}, "x = \"" + std::string(1'000'000, 'x') + "\" is too long; allowed are 3");
  const std::string text = problems.text();
  EXPECT_LT(text.size(), 2000u);
  EXPECT_TRUE(text.starts_with("error: a.toml:1: x = \"xxx")) << text;
  EXPECT_TRUE(text.ends_with("allowed are 3")) << text;
  for (int line = 2; line < 500; ++line) problems.add({"a.toml", line}, "wrong");
  const std::string all = problems.text();
  EXPECT_LT(std::count(all.begin(), all.end(), '\n'), 60);
  EXPECT_TRUE(all.ends_with("and 459 more mistakes; mend these first")) << all;
}

TEST(Problems, RaiseOnlyWhenThereAreAny) {
  Problems problems;
  EXPECT_NO_THROW(problems.raise_if_any());
  problems.add({"a.toml", 1}, "wrong");
  try {
    problems.raise_if_any();
    FAIL() << "nothing was thrown";
  } catch (const BadConfig& bad) {
    EXPECT_STREQ(bad.what(), "error: a.toml:1: wrong");
  }
}

TEST(Check, NamesThePlaceOfTheBug) {
  EXPECT_NO_THROW(check(true, "fine"));
  try {
    check(false, "two is three");
    FAIL() << "nothing was thrown";
  } catch (const Bug& bug) {
    std::string what = bug.what();
    EXPECT_NE(what.find("error_test.cc:"), std::string::npos) << what;
    EXPECT_NE(what.find("two is three"), std::string::npos) << what;
  }
}

TEST(NearestName, ForgivesSlips) {
  std::vector<std::string> known = {"fedavg", "ifca", "local", "oracle"};
  EXPECT_EQ(nearest_name("icfa", known), "ifca");  // neighbours swapped
  EXPECT_EQ(nearest_name("icfa", {"icfl", "ifca"}), "ifca");
  EXPECT_EQ(nearest_name("IFCA", known), "ifca");       // case
  EXPECT_EQ(nearest_name("fed-avg", known), "fedavg");  // one letter too many
  EXPECT_EQ(nearest_name("orcle", known), "oracle");    // one letter missing
  EXPECT_EQ(nearest_name("lokal", known), "local");     // one letter wrong
}

TEST(NearestName, DoesNotGuessWildly) {
  std::vector<std::string> known = {"fedavg", "ifca", "k"};
  EXPECT_EQ(nearest_name("banana", known), "");
  EXPECT_EQ(nearest_name("x", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(NearestName, PrefersTheNearer) {
  EXPECT_EQ(nearest_name("counts", {"amounts", "count", "mount"}), "count");
}

TEST(UnknownName, SuggestsOrListsWhatIsKnown) {
  EXPECT_EQ(unknown_name("icfa", {"fedavg", "ifca"}), "\"icfa\" is unknown; did you mean \"ifca\"?");
  EXPECT_EQ(unknown_name("banana", {"fedavg", "ifca"}), "\"banana\" is unknown; known are fedavg, ifca");
  EXPECT_EQ(unknown_name("banana", {}), "\"banana\" is unknown");
}

TEST(UnknownName, QuotesAFewNamesAndCharacters) {
  std::vector<std::string> many;
  for (int i = 0; i < 100'000; ++i) many.push_back("column-" + std::to_string(i));
  const std::string text = unknown_name(std::string(100'000, '?'), many);
  EXPECT_LT(text.size(), 1500u);
  EXPECT_TRUE(text.starts_with("\"????")) << text;
  EXPECT_TRUE(text.ends_with("(100000 in all)")) << text;
}

}  // namespace
}  // namespace coterie::error_test
