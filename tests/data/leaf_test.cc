#include "data/formats/leaf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coterie/error.h"
#include "data/error_text.h"
#include "data/temp_folder.h"

namespace coterie::leaf_format_test {
namespace {

const char* const kTwoUsers =
    R"({"users": ["u2", "u1"], "num_samples": [1, 2],
        "user_data": {"u1": {"x": [[1, 2.5], [3, null]], "y": [0, 1]}, "u2": {"x": [[[5], [6]]], "y": [1]}}})";

std::string refusal(const std::string& text) {
  ArrayRows rows;
  return error_text<Error>([&] { parse_leaf(text, "f.json", "", rows); });
}

TEST(LeafFormat, ReadsUsersInTheirOrder) {
  ArrayRows rows;
  parse_leaf(kTwoUsers, "f.json", "", rows);
  EXPECT_EQ(rows.width, 2u);
  ASSERT_EQ(rows.x.size(), 6u);
  EXPECT_EQ(Vec(rows.x.begin(), rows.x.begin() + 5), (Vec{5, 6, 1, 2.5, 3}));
  EXPECT_TRUE(std::isnan(rows.x[5]));
  EXPECT_EQ(rows.targets, (std::vector<std::string>{"1", "0", "1"}));
  EXPECT_EQ(rows.clients, (std::vector<std::string>{"u2", "u1", "u1"}));
  EXPECT_TRUE(rows.split.empty());
}

TEST(LeafFormat, ReadsFoldersAndTheirParts) {
  TempFolder folder;
  folder.write("all/b.json", R"({"users": ["v"], "user_data": {"v": {"x": [[7]], "y": ["dog"]}}})");
  folder.write_gzip("all/a.json.gz", R"({"users": ["u"], "user_data": {"u": {"x": [[8]], "y": [0.5]}}})");
  folder.write("all/notes.txt", "not data");
  const ArrayRows all = read_leaf(folder.path() / "all");
  EXPECT_EQ(all.x, (Vec{8, 7}));
  EXPECT_EQ(all.targets, (std::vector<std::string>{"0.5", "dog"}));
  folder.write("cut/train/a.json", R"({"users": ["u"], "user_data": {"u": {"x": [[1]], "y": [0]}}})");
  folder.write("cut/test/a.json", R"({"users": ["u"], "user_data": {"u": {"x": [[2]], "y": [1]}}})");
  const ArrayRows cut = read_leaf(folder.path() / "cut");
  EXPECT_EQ(cut.split, (std::vector<std::string>{"train", "test"}));
  folder.write("none/a.txt", "");
  EXPECT_NE(error_text<Error>([&] { read_leaf(folder.path() / "none"); }).find("no samples"),
            std::string::npos);
}

TEST(LeafFormat, SaysWhatIsWrong) {
  EXPECT_NE(refusal("{").find("is not JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("has no \"users\""), std::string::npos);
  EXPECT_NE(refusal(R"({"users": ["u"]})").find("has no \"user_data\""), std::string::npos);
  EXPECT_NE(refusal(R"({"users": ["u"], "user_data": {}})").find("user \"u\": has no data"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"users": ["u"], "user_data": {"u": {"x": [[1]], "y": []}}})").find("same length"),
            std::string::npos);
  EXPECT_NE(
      refusal(R"({"users": ["u"], "user_data": {"u": {"x": ["a.jpg"], "y": [1]}}})").find("image files"),
      std::string::npos);
  EXPECT_NE(refusal(R"({"users": ["u"], "user_data": {"u": {"x": [[1], [1, 2]], "y": [1, 0]}}})")
                .find("sample 2 has 2 features, but the first of all has 1"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"users": ["u"], "num_samples": [3], "user_data": {"u": {"x": [[1]], "y": [1]}}})")
                .find("has 1 samples, but \"num_samples\" says 3"),
            std::string::npos);
}

}  // namespace
}  // namespace coterie::leaf_format_test
