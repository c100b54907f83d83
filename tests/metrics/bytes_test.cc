#include <gtest/gtest.h>

#include "metrics/evaluations.h"

namespace coterie::bytes_test {
namespace {

TEST(Bytes, NamesEveryKindOfTraffic) {
  Evaluation e;
  e.traffic.up = 1;
  e.traffic.down = 5'000'000'000'000;
  e.traffic.eval = 3;
  e.traffic.overhead = 4;
  Record r = measure("bytes", e);
  EXPECT_EQ(r.number("bytes_up"), 1);
  EXPECT_EQ(r.number("bytes_down"), 5e12);
  EXPECT_EQ(r.number("bytes_eval"), 3);
  EXPECT_EQ(r.number("bytes_overhead"), 4);
}

}  // namespace
}  // namespace coterie::bytes_test
