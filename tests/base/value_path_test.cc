#include <gtest/gtest.h>

#include "base/value.h"

namespace coterie::value_path_test {
namespace {

Value integer(std::int64_t number) { return {number, {"--set", 0}}; }

std::string complaint(Table table, const std::string& path) {
  try {
    set_path(table, path, integer(1));
  } catch (const BadConfig& bad) {
    return bad.what();
  }
  return "accepted";
}

TEST(FindPath, WalksTablesAndLists) {
  Table table = parse_toml("a.b.c = 3\nl = [10, [20, 30]]\n", "f.toml");
  EXPECT_EQ(find_path(table, "a.b.c")->text(), "3");
  EXPECT_EQ(find_path(table, "l.1.0")->text(), "20");
  for (const char* missing : {"x", "a.x", "a.b.c.d", "l.2", "l.x", "l.-1", "", "a.", "a..b"}) {
    EXPECT_EQ(find_path(table, missing), nullptr) << missing;
  }
}

TEST(SetPath, ReplacesWhatIsThere) {
  Table table = parse_toml("[a]\nb = 1\nc = 2\n", "f.toml");
  set_path(table, "a.b", integer(7));
  EXPECT_EQ(write_toml(table), "[a]\nb = 7\nc = 2\n");
  EXPECT_EQ(find_path(table, "a.b")->where.text(), "--set");
  EXPECT_EQ(find_path(table, "a.c")->where.text(), "f.toml:3");
}

TEST(SetPath, MakesTheTablesOnTheWay) {
  Table table;
  set_path(table, "a.b.c", integer(7));
  set_path(table, "top", integer(1));
  EXPECT_EQ(find_path(table, "a.b.c")->text(), "7");
  EXPECT_TRUE(find_path(table, "a.b")->is_table());
  EXPECT_EQ(find_path(table, "top")->text(), "1");
}

TEST(SetPath, GoesIntoListsOfTables) {
  Table table = parse_toml("[[shift]]\nkind = \"rotate\"\n[[shift]]\nkind = \"noise\"\n", "f.toml");
  set_path(table, "shift.1.deviation", integer(3));
  set_path(table, "shift.2.kind", integer(9));
  EXPECT_EQ(find_path(table, "shift.0.deviation"), nullptr);
  EXPECT_EQ(find_path(table, "shift.1.deviation")->text(), "3");
  EXPECT_EQ(find_path(table, "shift.2.kind")->text(), "9");
  set_path(table, "fresh.0.kind", integer(5));
  EXPECT_TRUE(find_path(table, "fresh")->is_array());
  EXPECT_EQ(find_path(table, "fresh.0.kind")->text(), "5");
}

TEST(SetPath, SaysWhyItCannot) {
  Table table = parse_toml("a = 3\nl = [1]\n", "f.toml");
  EXPECT_EQ(complaint(table, "a.b"), "error: --set: a.b: a = 3 is not a table");
  EXPECT_EQ(complaint(table, "l.2"), "error: --set: l.2: l is a list of 1; write a position from 0 to 1");
  EXPECT_EQ(complaint(table, "l.x"), "error: --set: l.x: l is a list of 1; write a position from 0 to 1");
  EXPECT_EQ(complaint(table, "a..b"),
            "error: --set: \"a..b\" is not a path; write names with dots between them");
  EXPECT_EQ(complaint(table, ""), "error: --set: \"\" is not a path; write names with dots between them");
}

TEST(ValuePath, RefusesAPathOfThousandsOfParts) {
  std::string path = "a";
  for (int i = 0; i < 50'000; ++i) path += ".a";
  Table table;
  EXPECT_THROW(set_path(table, path, {std::int64_t{1}, {}}), BadConfig);
}

}  // namespace
}  // namespace coterie::value_path_test
