#include "base/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include "coterie/random.h"

namespace coterie::value_test {
namespace {

// What parse_toml says about a text it must refuse.
std::string complaint(const std::string& text) {
  try {
    parse_toml(text, "f.toml");
  } catch (const BadConfig& bad) {
    return bad.what();
  }
  return "accepted";
}

std::vector<std::string> keys(const Table& table) {
  std::vector<std::string> all;
  for (const auto& [key, value] : table.entries) all.push_back(key);
  return all;
}

const char* const kExample =
    "name = \"rotated digits\"\n"                    // 1
    "seed = 1\n"                                     // 2
    "\n"                                             // 3
    "[data]\n"                                       // 4
    "source = \"digits\"\n"                          // 5
    "[[shift]]\n"                                    // 6
    "kind = \"rotate\"\n"                            // 7
    "angles = [\n"                                   // 8
    "  0, 90.5,\n"                                   // 9
    "]\n"                                            // 10
    "[[shift]]\n"                                    // 11
    "kind = \"noise\"\n"                             // 12
    "[algorithm.ifca]\n"                             // 13
    "average = 'models'\n"                           // 14
    "parts = { train = 0.8, test = 0.2 }\n"          // 15
    "[sweep]\n"                                      // 16
    "\"algorithm.kind\" = [\"ifca\", \"fedavg\"]\n"  // 17
    "fast = true\n";                                 // 18

TEST(ParseToml, KeepsTypesAndLines) {
  Table table = parse_toml(kExample, "exp.toml");
  auto at = [&](const char* path) -> const Value& {
    const Value* found = find_path(table, path);
    if (found == nullptr) throw std::runtime_error(std::string(path) + " is missing");
    return *found;
  };
  EXPECT_EQ(std::get<std::string>(at("name").data), "rotated digits");
  EXPECT_EQ(std::get<std::int64_t>(at("seed").data), 1);
  EXPECT_EQ(at("seed").where.text(), "exp.toml:2");
  EXPECT_EQ(at("data").where.line, 4);
  EXPECT_EQ(at("shift.0.kind").where.line, 7);
  EXPECT_EQ(at("shift.0.angles").where.line, 8);
  EXPECT_EQ(std::get<std::int64_t>(at("shift.0.angles.0").data), 0);
  EXPECT_EQ(std::get<double>(at("shift.0.angles.1").data), 90.5);
  EXPECT_EQ(at("shift.0.angles.1").where.line, 9);
  EXPECT_EQ(at("shift.1.kind").where.line, 12);
  EXPECT_EQ(at("algorithm.ifca").where.line, 13);
  EXPECT_EQ(std::get<std::string>(at("algorithm.ifca.average").data), "models");
  EXPECT_EQ(at("algorithm.ifca.parts.test").where.line, 15);
  EXPECT_TRUE(std::get<bool>(at("sweep.fast").data));
}

TEST(ParseToml, KeepsTheOrderOfTheFile) {
  Table table = parse_toml(kExample, "exp.toml");
  EXPECT_EQ(keys(table), (std::vector<std::string>{"name", "seed", "data", "shift", "algorithm", "sweep"}));
  EXPECT_EQ(keys(std::get<Table>(table.find("sweep")->data)),
            (std::vector<std::string>{"algorithm.kind", "fast"}));

  std::string many;
  for (int i = 50; i > 0; --i) many += "k" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  Table sorted = parse_toml(many, "f.toml");
  ASSERT_EQ(sorted.entries.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(std::get<std::int64_t>(sorted.entries[i].second.data), 50 - i);
  EXPECT_EQ(keys(parse_toml("x.b = 1\nx.a = 2\ny = { d = 1, c = 2 }\n", "f.toml")),
            (std::vector<std::string>{"x", "y"}));
  Table inline_table = parse_toml("y = { d = 1, c = 2 }\n", "f.toml");
  EXPECT_EQ(keys(std::get<Table>(inline_table.find("y")->data)), (std::vector<std::string>{"d", "c"}));
}

TEST(ParseToml, AcceptsAnEmptyFile) { EXPECT_TRUE(parse_toml("", "f.toml").entries.empty()); }

TEST(ParseToml, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(complaint("a = 1\nb = \n"),
            "error: f.toml:2: missing value after key-value separator '=' (line 2: expected value, but got "
            "nothing)");
  EXPECT_EQ(complaint("a = 1\na = 2\n"),
            "error: f.toml:2: value (\"a\") already exists (line 1: value already exists here; line 2: value "
            "defined "
            "twice)");
  EXPECT_EQ(complaint("[a]\n[b]\n[a]\n").substr(0, 16), "error: f.toml:3:");
  EXPECT_EQ(complaint("\n\nflag = tru\n").substr(0, 16), "error: f.toml:3:");
  EXPECT_EQ(complaint("a = \"open\n").substr(0, 16), "error: f.toml:1:");
}

TEST(ParseToml, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(complaint("a = 1\nb = 9223372036854775808\n"),
            "error: f.toml:2: 9223372036854775808 does not fit into 64 bits");
  EXPECT_EQ(complaint("b = -99_223_372_036_854_775_808\n"),
            "error: f.toml:1: -99223372036854775808 does not fit into 64 bits");
  EXPECT_EQ(
      complaint("b = 1e999\nc = -1e999"),
      "error: f.toml:1: 1e999 is too large for a number\nerror: f.toml:2: -1e999 is too large for a number");
  EXPECT_EQ(complaint("b = 9_223_372_036_854_775_807\nc = -9223372036854775808\nd = 1.7976931348623157e308"),
            "accepted");
}

TEST(ParseToml, RefusesDates) {
  EXPECT_EQ(complaint("a = 1979-05-27\n"),
            "error: f.toml:1: dates and times are not supported; write a string");
}

TEST(ReadToml, NamesAFileThatCannotBeRead) {
  try {
    read_toml("no/such/file.toml");
    FAIL() << "nothing was thrown";
  } catch (const BadConfig& bad) {
    EXPECT_STREQ(bad.what(), "error: no/such/file.toml: cannot be read; is the path right?");
  }
}

TEST(ReadToml, ReadsAFile) {
  std::string path = testing::TempDir() + "coterie_value_test.toml";
  std::ofstream(path) << "a = 1\r\nb = \"x\"\r\n";
  Table table = read_toml(path);
  std::remove(path.c_str());
  EXPECT_EQ(std::get<std::string>(table.find("b")->data), "x");
  EXPECT_EQ(table.find("b")->where.text(), path + ":2");
}

TEST(Value, IsWrittenOnOneLine) {
  Table table = parse_toml("a = [1, 2.0, \"x\\\"y\", [true], { b = 1, 'c d' = [] }]\n", "f.toml");
  EXPECT_EQ(table.find("a")->text(), R"([1, 2.0, "x\"y", [true], { b = 1, "c d" = [] }])");
  EXPECT_EQ(table.find("a")->kind(), "a list");
}

// Equal in kind and content, doubles bit for bit.
void expect_same(const Value& a, const Value& b, const std::string& path) {
  ASSERT_EQ(a.data.index(), b.data.index()) << path;
  if (const Table* table = std::get_if<Table>(&a.data)) {
    const Table& other = std::get<Table>(b.data);
    ASSERT_EQ(table->entries.size(), other.entries.size()) << path;
    for (const auto& [key, value] : table->entries) {
      ASSERT_NE(other.find(key), nullptr) << path << "." << key;
      expect_same(value, *other.find(key), path + "." + key);
    }
  } else if (const Array* items = std::get_if<Array>(&a.data)) {
    const Array& others = std::get<Array>(b.data);
    ASSERT_EQ(items->size(), others.size()) << path;
    for (std::size_t i = 0; i < items->size(); ++i) {
      expect_same((*items)[i], others[i], path + "." + std::to_string(i));
    }
  } else if (const std::string* text = std::get_if<std::string>(&a.data)) {
    EXPECT_EQ(*text, std::get<std::string>(b.data)) << path;
  } else if (const double* number = std::get_if<double>(&a.data)) {
    EXPECT_EQ(std::signbit(*number), std::signbit(std::get<double>(b.data))) << path;
    EXPECT_EQ(*number, std::get<double>(b.data)) << path;
  } else {
    EXPECT_EQ(a.text(), b.text()) << path;
  }
}

void expect_round_trip(const Table& table) {
  std::string text = write_toml(table);
  Table again = parse_toml(text, "again.toml");
  SCOPED_TRACE(text);
  expect_same({table, {}}, {again, {}}, "");
}

TEST(WriteToml, RoundTripsAConfig) {
  Table table = parse_toml(kExample, "exp.toml");
  expect_round_trip(table);
  EXPECT_EQ(keys(parse_toml(write_toml(table), "f")), keys(table));
}

TEST(WriteToml, RoundTripsDoublesExactly) {
  Array numbers;
  for (double x :
       {0.0, -0.0, 1.0, -3.0, 0.1, 1e30, 1e-30, 123456789.0, 1e15, 1e16, 1e17, 5e-324,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::min(), std::nextafter(1.0, 2.0)}) {
    numbers.push_back({x, {}});
  }
  Stream stream(3, {});
  for (int i = 0; i < 2000; ++i)
    numbers.push_back({stream.normal() * std::pow(10, stream.uniform(-300, 300)), {}});
  Table table;
  table.set("numbers", {numbers, {}});
  expect_round_trip(table);
  EXPECT_EQ((Value{1.0, {}}).text(), "1.0");
  EXPECT_EQ((Value{0.1, {}}).text(), "0.1");
}

TEST(WriteToml, RoundTripsAwkwardStringsAndKeys) {
  std::string controls;
  for (char c = 1; c < 32; ++c) controls += c;
  Table table;
  table.set("controls", {controls + "\x7f", {}});
  table.set("quotes \"and\" \\ slashes", {std::string("'\"\\\"\"\""), {}});
  table.set("", {std::string(), {}});
  table.set("größe", {std::string("ü∞ 模型"), {}});
  table.set("a.b", {true, {}});
  expect_round_trip(table);
}

TEST(WriteToml, RoundTripsNestedTablesAndLists) {
  Table table = parse_toml(R"(
z = [[1, 2], [], [3.5]]
mixed = [1, { a = [ { b = 2 } ] }, "x"]
none = []
[a.b.c]
x = 1
[a.empty]
[[t]]
x = 1
[t.inner]
y = 2
[[t.deep]]
v = 1
[[t.deep]]
[[t]]
[a]
late = 5
)",
                           "f.toml");
  ASSERT_EQ(std::get<Array>(table.find("t")->data).size(), 2u);
  expect_round_trip(table);
  std::string text = write_toml(table);
  EXPECT_NE(text.find("[[t]]\nx = 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[a.b.c]\nx = 1\n"), std::string::npos) << text;
}

TEST(WriteToml, GivesEachItemOfALongListALine) {
  auto list_of = [](std::int64_t count) {
    Table table;
    Array items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back({i, {}});
    table.set("x", {items, {}});
    return table;
  };
  for (std::int64_t count : {50, 51, 1000}) expect_round_trip(list_of(count));
  EXPECT_TRUE(write_toml(list_of(50)).starts_with("x = [0, 1, 2, ")) << write_toml(list_of(50));
  EXPECT_TRUE(write_toml(list_of(51)).starts_with("x = [\n  0,\n  1,\n")) << write_toml(list_of(51));
}

TEST(WriteToml, PutsPlainKeysBeforeTables) {
  Table section, table;
  section.set("x", {std::int64_t{1}, {}});
  table.set("section", {section, {}});
  table.set("late", {std::int64_t{2}, {}});
  expect_round_trip(table);
}

}  // namespace
}  // namespace coterie::value_test
