// The default start, and with it the default rate, for every method.
#include <gtest/gtest.h>

#include "support/small_session.h"
#include "support/tiny_federation.h"

namespace coterie::auto_test {
namespace {

class DefaultStart : public EveryAlgorithm {};

TEST_P(DefaultStart, GivesTheSameBitsHoweverItIsRun) {
  expect_same_bits({.algorithm = GetParam(), .defaults = true}, GetParam());
}

TEST_P(DefaultStart, MakesTrialsWhereTheMethodBeginsAtRandomWithSeveralModels) {
  SmallSession run({.algorithm = GetParam(), .defaults = true}, federation);
  run->start();
  std::size_t trials = 0;
  for (const Event& event : run->fleet().take_events()) trials += event.kind == "restart" ? 1 : 0;
  EXPECT_EQ(trials, run->algorithm().begins_at_random() ? 5u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Auto, DefaultStart, every_algorithm(), test_name);

TEST(Auto, AsksWhetherAMethodBeginsAtRandom) {
  const auto begins = [](const std::string& name, std::size_t clusters) {
    TinyRun run({{{{1}}, {1}, 0}, {{{1}}, {2}, 1}}, {.algorithm = name, .clusters = clusters});
    return run.algorithm->begins_at_random();
  };
  for (const char* name : {"ifca", "fesem", "tiered"}) EXPECT_TRUE(begins(name, 2)) << name;
  EXPECT_FALSE(begins("ifca", 1));
  for (const char* name : {"fedavg", "local", "oracle", "odcl", "federated-clustering"})
    EXPECT_FALSE(begins(name, 2)) << name;
}

}  // namespace
}  // namespace coterie::auto_test
