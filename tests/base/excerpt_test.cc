#include "base/excerpt.h"

#include <gtest/gtest.h>

namespace coterie::excerpt_test {
namespace {

TEST(Excerpt, LongTextsLoseTheirMiddle) {
  EXPECT_EQ(excerpt("short"), "short");
  EXPECT_EQ(excerpt("abcdefghijklmnop", 11), "abc ... nop");
  EXPECT_EQ(excerpt(std::string(1000000, 'x')).size(), 199u);
  EXPECT_EQ(excerpt("äöüäöüäöü", 11), "ä ... ü") << "no character is cut in two";
}

TEST(Excerpt, HasNothingThatATerminalActsOn) { EXPECT_EQ(excerpt("a\nb\x1b[1m"), "a?b?[1m"); }

TEST(Excerpt, AMessageFitsOnAScreen) {
  EXPECT_EQ(on_a_screen("one\ntwo"), "one\ntwo");
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "error: a line\n";
  const std::string shown = on_a_screen(many);
  EXPECT_LT(shown.size(), 400u);
  EXPECT_TRUE(shown.ends_with("\n... and 99981 more lines")) << shown;
  const std::string line = on_a_screen("error: a.toml: x = " + std::string(5000000, '9') + " is not allowed");
  EXPECT_LE(line.size(), 1000u);
  EXPECT_TRUE(line.starts_with("error: a.toml: x = 9") && line.ends_with("9 is not allowed")) << line;
}

}  // namespace
}  // namespace coterie::excerpt_test
