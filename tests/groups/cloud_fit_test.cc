#include "groups/cloud_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "groups/mixture.h"

namespace coterie::cloud_fit_test {
namespace {

TEST(CloudFit, BestOfSeveralStartsIsNoWorseThanOne) {
  Stream noise(9, {.purpose = Purpose::test});
  Cloud cloud{.count = 60, .width = 2, .b = {}, .v = {}};
  for (std::size_t i = 0; i < cloud.count; ++i) {
    for (std::size_t c = 0; c < 2; ++c) cloud.b.push_back((i >> c & 1 ? 6.0 : -6.0) + noise.normal());
    cloud.v.insert(cloud.v.end(), {1, 0, 0, 1});
  }
  double best = 0;
  for (std::uint32_t trial = 0; trial < 10; ++trial) {
    Stream one(10, {.purpose = Purpose::test, .round = trial}), several = one;
    const double single = fit_cloud(cloud, 4, {.starts = 1}, one).log_likelihood;
    const EmFit fit = fit_cloud(cloud, 4, {.starts = 8}, several);
    EXPECT_GE(fit.log_likelihood, single - 1e-3);
    if (trial == 0) best = fit.log_likelihood;
    EXPECT_NEAR(fit.log_likelihood, best, 0.05);  // four groups that are far apart: the same top each time
  }
}

TEST(CloudFit, MoreGroupsThanClientsAreTaken) {
  Stream stream(11, {.purpose = Purpose::test});
  const EmFit fit = fit_cloud({3, 1, {0, 1, 5}, {1, 1, 1}}, 5, {}, stream);
  EXPECT_TRUE(std::isfinite(fit.log_likelihood));
  EXPECT_EQ(fit.membership.size(), 15u);
}

}  // namespace
}  // namespace coterie::cloud_fit_test
