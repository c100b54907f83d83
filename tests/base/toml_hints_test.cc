#include "base/toml_hints.h"

#include <gtest/gtest.h>

#include "base/value.h"

namespace coterie::toml_hints_test {
namespace {

TEST(TomlHints, FindTheLineThatIsNotUtf8) {
  EXPECT_EQ(first_line_not_utf8("name = \"caf\xc3\xa9\"\nseed = 1\n"), 0);
  EXPECT_EQ(first_line_not_utf8("seed = 1\nname = \"caf\xe9\"\n"), 2);
  EXPECT_EQ(first_line_not_utf8("name = \"caf\xc3"), 1) << "cut in the middle of a character";
  EXPECT_EQ(first_line_not_utf8(""), 0);
}

TEST(TomlHints, FindTheLineThatGoesTooDeep) {
  const std::string open(kDeepestToml, '['), close(kDeepestToml, ']');
  EXPECT_EQ(first_line_too_deep("a = " + open + close), 0);
  EXPECT_EQ(first_line_too_deep("b = 1\na = " + open + "[]" + close), 2);
  EXPECT_EQ(first_line_too_deep("a = \"" + open + open + "\" # " + open + open + "\n"), 0);
  EXPECT_EQ(first_line_too_deep("a = \"\"\"\n\"" + open + open + "\"\"\"\nb = '" + open + open + "'"), 0);
  std::string key = "a", numbers = "0.5";
  for (int i = 0; i < kDeepestToml; ++i) {
    key += ".\"a\"";
    numbers += ", 0.5";
  }
  EXPECT_EQ(first_line_too_deep(key + " = 1"), 1);
  EXPECT_EQ(first_line_too_deep("a = [" + numbers + "]"), 0);
}

// A parser that calls itself for each bracket would run out of stack.
TEST(TomlHints, AMillionBracketsAreRefused) {
  EXPECT_THROW(parse_toml("a = " + std::string(1'000'000, '['), "exp.toml"), BadConfig);
}

TEST(TomlHints, ShowTheQuotesThatTextNeeds) {
  EXPECT_EQ(unquoted_text_hint("kind = ifca"), "text needs quotes: kind = \"ifca\"");
  EXPECT_EQ(unquoted_text_hint("  file = data/a b.csv  # mine"),
            "text needs quotes: file = \"data/a b.csv\"");
  for (const char* line : {"count = 3", "kind = \"ifca\"", "on = true", "[rounds]", "rate = ", "a = [x]"})
    EXPECT_EQ(unquoted_text_hint(line), "") << line;
}

std::string error_of(const std::string& text) {
  try {
    parse_toml(text, "exp.toml");
  } catch (const BadConfig& e) {
    return e.what();
  }
  return "";
}

TEST(TomlHints, AreWhatAUserSees) {
  EXPECT_EQ(error_of("seed = 1\n[algorithm]\nkind = ifca\n"),
            "error: exp.toml:3: text needs quotes: kind = \"ifca\"");
  EXPECT_EQ(error_of("name = \"caf\xe9\"\n"),
            "error: exp.toml:1: holds a character that is not UTF-8; save the file as UTF-8");
}

}  // namespace
}  // namespace coterie::toml_hints_test
