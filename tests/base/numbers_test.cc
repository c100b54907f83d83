// Vectors at the precision at which they travel, whole or late.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "coterie/detail/archive.h"

namespace coterie::numbers_test {
namespace {

const Vec kValues = {0.1, -2.5, 1.0 / 3, 4, 0, -0.7, 8.125};

Vec as_floats(Vec values) {
  round_to(Precision::f32, values);
  return values;
}

// Counts how often it is written.
template <class Real>
Numbers late(const Vec& values, double bound, int* writes = nullptr) {
  return Late<Real>{values.size(), 1, bound, [values, writes](std::size_t begin, std::span<Real> out) {
                      if (writes != nullptr) ++*writes;
                      for (std::size_t j = 0; j < out.size(); ++j) {
                        out[j] = static_cast<Real>(values[begin + j]);
                      }
                    }};
}

// The same numbers held in each way.
std::vector<Numbers> all_ways(const Vec& values) {
  return {Numbers(values), Room<double>(values.begin(), values.end()),
          Room<float>(values.begin(), values.end()), late<double>(values, std::nan("")),
          late<float>(values, std::nan(""))};
}

TEST(Numbers, TravelAsVectorsDo) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    for (const Vec& values : {kValues, as_floats(kValues), Vec{}}) {
      std::size_t way = 0;
      for (Numbers& numbers : all_ways(values)) {
        const bool narrow = way == 2 || way == 4;  // holds floats
        ++way;
        Vec vector = narrow ? as_floats(values) : values;
        const Bytes bytes = encode(numbers, precision);
        EXPECT_EQ(bytes, encode(vector, precision));
        const Size size = encoded_size(numbers, precision);
        EXPECT_EQ(size.payload, encoded_size(vector, precision).payload);
        EXPECT_EQ(size.overhead, encoded_size(vector, precision).overhead);
        EXPECT_EQ(Vec(decode<Numbers>(bytes, precision)), decode<Vec>(bytes, precision));
        EXPECT_EQ(Vec(numbers), vector) << "writing changed them";

        Archive::rounder(precision)(numbers);
        EXPECT_EQ(Vec(numbers), decode<Vec>(bytes, precision)) << "rounding is not what the wire does";
        EXPECT_EQ(encode(numbers, precision), bytes);
      }
    }
  }
}

TEST(Numbers, RefusesATruncatedMessage) {
  Numbers numbers(kValues);
  const Bytes bytes = encode(numbers, Precision::f32);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(decode<Numbers>(std::span(bytes).first(length), Precision::f32), MalformedMessage);
  }
}

TEST(Numbers, CountsWhatIsNotFinite) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Vec values = {1, std::nan(""), -kInf, 1e300, 2};
  for (Numbers& numbers : all_ways(values)) {
    Archive rounder = Archive::rounder(Precision::f32);
    rounder(numbers);
    EXPECT_EQ(rounder.not_finite(), 3u);  // 1e300 is no float
  }
  Numbers wide(values);
  Archive rounder = Archive::rounder(Precision::f64);
  rounder(wide);
  EXPECT_EQ(rounder.not_finite(), 2u);
  // A bound that is a double but no float says nothing of floats.
  Numbers beyond = late<float>({1, 1e39}, 2e39);
  Archive floats = Archive::rounder(Precision::f32);
  floats(beyond);
  EXPECT_EQ(floats.not_finite(), 1u);
}

TEST(Numbers, LargestIsExactWhereItMatters) {
  for (Numbers& numbers : all_ways({1, -3, 2})) {
    EXPECT_EQ(numbers.largest(2), 3);
    EXPECT_EQ(numbers.largest(100), 3);
  }
  EXPECT_EQ(Numbers().largest(1), 0);
  for (std::size_t place = 0; place < 40; ++place) {  // in blocks of 16 and in what is left
    Vec values(40, 0.5);
    values[place] = -7;
    EXPECT_EQ(Numbers(values).largest(1), 7);
    values[place] = std::nan("");
    EXPECT_TRUE(std::isnan(Numbers(values).largest(1)));
    values[place] = -std::numeric_limits<double>::infinity();
    EXPECT_TRUE(std::isnan(Numbers(values).largest(1)));
  }
}

TEST(Numbers, ALateVectorWithinItsBoundIsNotWritten) {
  int writes = 0;
  const Numbers numbers = late<float>({1, -3, 2}, 5, &writes);
  EXPECT_EQ(numbers.largest(5), 5);
  EXPECT_EQ(writes, 0);
  EXPECT_EQ(numbers.largest(4), 3);  // beyond the limit, if it were the bound
  EXPECT_EQ(writes, 1);
  EXPECT_EQ(numbers.largest(2), 3);
  EXPECT_EQ(Vec(numbers), (Vec{1, -3, 2}));
  EXPECT_EQ(writes, 1);  // kept
}

TEST(Numbers, PiecesAreTheWhole) {
  for (const Numbers& numbers : all_ways(as_floats(kValues))) {
    for (std::size_t length = 1; length <= kValues.size(); ++length) {
      Vec pieced;
      for (std::size_t begin = 0; begin < numbers.size(); begin += length) {
        numbers.piece(begin, std::min(length, numbers.size() - begin),
                      [&](auto values) { pieced.insert(pieced.end(), values.begin(), values.end()); });
      }
      EXPECT_EQ(pieced, as_floats(kValues));
    }
  }
}

}  // namespace
}  // namespace coterie::numbers_test
