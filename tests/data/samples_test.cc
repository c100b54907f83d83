#include <gtest/gtest.h>

#include <array>

#include "coterie/data.h"
#include "coterie/error.h"

namespace coterie::samples_test {
namespace {

Samples three_bytes_rows() {
  Samples s;
  s.shape = {.task = Task::classification, .width = 2, .classes = 3};
  s.features = std::vector<std::uint8_t>{0, 255, 1, 2, 100, 7};
  s.scale = 0.5;
  s.offset = -1;
  s.targets = {2, 0, 1};
  return s;
}

TEST(Samples, ReadsBytesThroughScaleAndOffset) {
  Samples s = three_bytes_rows();
  std::array<float, 2> row;
  s.copy_row(0, row);
  EXPECT_EQ(row[0], -1.0f);
  EXPECT_EQ(row[1], 126.5f);
  std::array<double, 2> wide;
  s.copy_row(2, wide);
  EXPECT_EQ(wide[0], 49.0);
  EXPECT_EQ(wide[1], 2.5);
  EXPECT_EQ(s.size(), 3u);
  EXPECT_EQ(s.label(0), 2u);
}

TEST(Samples, FloatOfAByteIsTheRoundedDouble) {
  Samples s;
  s.shape.width = 256;
  std::vector<std::uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  s.features = bytes;
  s.scale = 1.0 / 255;
  s.offset = -0.1307;
  s.targets = {0};
  std::vector<float> narrow(256);
  std::vector<double> wide(256);
  s.copy_row(0, narrow);
  s.copy_row(0, wide);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(wide[i], i * (1.0 / 255) + -0.1307);
    EXPECT_EQ(narrow[i], static_cast<float>(wide[i]));
  }
}

TEST(Samples, ReadsFloatsAndDoublesAsStored) {
  Samples s;
  s.shape = {.task = Task::regression, .width = 2};
  s.features = std::vector<double>{0.1, -3};
  s.targets = {1.5};
  std::array<double, 2> wide;
  s.copy_row(0, wide);
  EXPECT_EQ(wide[0], 0.1);
  std::array<float, 2> narrow;
  s.copy_row(0, narrow);
  EXPECT_EQ(narrow[0], 0.1f);
  EXPECT_EQ(narrow[1], -3.0f);
}

TEST(Samples, CopiesRowsInTheGivenOrderWithRepeats) {
  const std::array<std::uint32_t, 4> which = {2, 0, 2, 1};
  Samples chosen = three_bytes_rows().rows(which);
  EXPECT_EQ(std::get<0>(chosen.features), (std::vector<std::uint8_t>{100, 7, 0, 255, 100, 7, 1, 2}));
  EXPECT_EQ(chosen.targets, (std::vector<double>{1, 2, 1, 0}));
  EXPECT_EQ(chosen.scale, 0.5);
  EXPECT_EQ(chosen.offset, -1);
  EXPECT_EQ(chosen.shape, three_bytes_rows().shape);
  const std::array<std::uint32_t, 1> beyond = {3};
  EXPECT_THROW(three_bytes_rows().rows(beyond), Bug);
}

TEST(Samples, AppendsWhatMatchesAndRefusesTheRest) {
  Samples s = three_bytes_rows();
  Samples more = three_bytes_rows();
  s.append(more);
  EXPECT_EQ(s.size(), 6u);
  EXPECT_EQ(std::get<0>(s.features).size(), 12u);
  EXPECT_EQ(s.targets[3], 2);

  Samples scaled = three_bytes_rows();
  scaled.scale = 0.25;
  EXPECT_THROW(s.append(scaled), Bug);
  Samples floats = three_bytes_rows();
  floats.make_float();
  EXPECT_THROW(s.append(floats), Bug);
  EXPECT_EQ(s.size(), 6u);
}

TEST(Samples, RowsThatBelongTogetherDoSoInAnyCopy) {
  Samples s = three_bytes_rows();
  s.kin = {7, 7, 9};
  EXPECT_EQ(s.rows(std::vector<std::uint32_t>{2, 0}).kin, (std::vector<std::uint32_t>{9, 7}));
  Samples both = s;
  both.append(s);
  EXPECT_EQ(both.kin, (std::vector<std::uint32_t>{7, 7, 9, 7, 7, 9}));
  both.append(three_bytes_rows());
  EXPECT_TRUE(both.kin.empty()) << "of the last three rows nobody knows";
}

TEST(Samples, EmptyLikeKeepsEverythingButTheRows) {
  Samples none = three_bytes_rows().empty_like();
  EXPECT_EQ(none.size(), 0u);
  EXPECT_TRUE(std::get<0>(none.features).empty());
  none.append(three_bytes_rows());
  EXPECT_EQ(none.size(), 3u);
}

TEST(Samples, MakeFloatKeepsTheNumbers) {
  Samples s = three_bytes_rows();
  s.make_float();
  EXPECT_EQ(std::get<std::vector<float>>(s.features), (std::vector<float>{-1, 126.5, -0.5, 0, 49, 2.5}));
  EXPECT_EQ(s.scale, 1);
  EXPECT_EQ(s.offset, 0);
  s.make_float();  // once is enough
  EXPECT_EQ(std::get<std::vector<float>>(s.features)[1], 126.5f);
}

TEST(Samples, NarrowTurnsDoublesIntoTheFloatsThatAFloatRunReads) {
  Samples samples;
  samples.shape.width = 2;
  samples.features = std::vector<double>{0.1, 1.0 / 3, -2, 1e-50};
  samples.targets = {1.0 / 3, 2};
  std::vector<float> before(2), after(2);
  samples.copy_row(0, std::span<float>(before));
  samples.narrow();
  samples.copy_row(0, std::span<float>(after));
  EXPECT_EQ(after, before);
  EXPECT_EQ(std::get<std::vector<float>>(samples.features), (std::vector<float>{0.1f, 1.0f / 3, -2, 0}));
  EXPECT_EQ(samples.targets[0], 1.0 / 3);
  samples.features = std::vector<std::uint8_t>{1, 2, 3, 4};
  samples.narrow();
  EXPECT_TRUE(std::holds_alternative<std::vector<std::uint8_t>>(samples.features));
}

}  // namespace
}  // namespace coterie::samples_test
