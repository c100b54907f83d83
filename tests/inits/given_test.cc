#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::given_test {
namespace {

std::vector<Vec> made(const std::string& toml, std::size_t clusters) {
  TinyRun run({{{{1, 1}}, {1}, 0}}, {.algorithm = "ifca", .clusters = clusters});
  return make_plugin<Init>("given", toml)->make({*run.fleet, *run.setting, *run.algorithm, nullptr}).models;
}

TEST(Given, StartsFromTheListedModels) {
  EXPECT_EQ(made("models = [[1, 2.5], [-3, 0]]", 2), (std::vector<Vec>{{1, 2.5}, {-3, 0}}));
}

TEST(Given, RefusesAnotherNumberOfModelsOrParameters) {
  EXPECT_THROW(made("models = [[1, 2.5]]", 2), Error);
  EXPECT_THROW(made("models = [[1, 2.5, 3]]", 1), Error);
  EXPECT_THROW(made("", 1), Error);
}

}  // namespace
}  // namespace coterie::given_test
