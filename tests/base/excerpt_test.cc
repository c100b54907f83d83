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

}  // namespace
}  // namespace coterie::excerpt_test
