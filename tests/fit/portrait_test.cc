#include "fit/portrait.h"

#include <gtest/gtest.h>

#include <map>

#include "fit/planted_table.h"
#include "run/session.h"

namespace coterie::portrait_test {
namespace {

// Of 16 clients in two groups, by parity; those of even clients are called 1.
GroupPortrait portrait_of(const PlantedFit& fit, std::vector<std::string> describe) {
  FitArguments arguments;
  arguments.table = fit.request().file;
  arguments.client = "who";
  arguments.target = "y";
  FitRequest request = fit.request();
  if (describe.empty()) request.config = fit_config(arguments);
  FitOptions options;
  options.describe = std::move(describe);
  const Table base = plain_config(request.config, options);
  Problems problems;
  Config config = read_config(base, request.file, problems);
  problems.raise_if_any();
  Session session(config, "", 1, "");
  const std::unique_ptr<Arena> arena = arena_at_hand(session.shared_federation(), 1);
  const Contestants who{session.federation().shape(), 16, 512, "linear", 2};
  Candidate probe = list_candidates(base, options, who).at(1);
  set_path(probe.config, "clusters.count", {std::int64_t{2}, {}});
  set_path(probe.config, "clusters.init", {std::string("mixture"), {}});
  GroupEvidence evidence;
  evidence.groups = 2;
  for (ClientId i = 0; i < 16; ++i) {
    evidence.clients.push_back(i);
    evidence.labels.push_back(1 - i % 2);
  }
  return draw_portrait(probe, *arena, evidence, read_table(config, session.federation(), "", {}));
}

// The group of c00 is 1 here, and by itself the half of the rows that forms groups would call it 0.
TEST(Portrait, GroupsHaveTheNumbersOfTheEvidence) {
  const PlantedFit fit(planted_table(Planted::groups, 16, 40, 2));
  const GroupPortrait portrait = portrait_of(fit, {"size"});
  EXPECT_EQ(portrait.agreement, 1);
  ASSERT_EQ(portrait.coefficients.size(), 4u);
  for (const GroupPortrait::Coefficient& one : portrait.coefficients) {
    if (one.what == "intercept") continue;
    EXPECT_NEAR(one.value[1] - one.value[0], 1.6, 0.4) << one.what;
  }
}

// Three rows in four are large, and have 2 more: against the overall mean +0.5 and -1.5. The texts have mean
// 0, and the intercept is -0.5.
TEST(Portrait, TextsAreToldAgainstTheirMean) {
  std::string text = "who,x0,x1,x2,size,y\n";
  Stream stream(4, {.purpose = Purpose::test});
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 40; ++j) {
      const bool large = j % 4 != 0;
      double x[3], y = (large ? 2 : 0) + 0.1 * stream.normal();
      for (double& one : x) y += (i % 2 == 0 ? 0.8 : -0.8) * (one = stream.normal());
      text += fmt::format("c{:02},{:.6f},{:.6f},{:.6f},{},{:.6f}\n", i, x[0], x[1], x[2],
                          large ? "large" : "small", y);
    }
  }
  const PlantedFit fit(text);
  const GroupPortrait portrait = portrait_of(fit, {});
  std::map<std::string, Vec> value;
  for (const GroupPortrait::Coefficient& one : portrait.coefficients) value[one.what] = one.value;
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(value.at("size = large")[k], 1, 0.05);
    EXPECT_NEAR(value.at("size = small")[k], -1, 0.05);
    EXPECT_NEAR(value.at("intercept")[k], -0.5, 0.1);
  }
}

}  // namespace
}  // namespace coterie::portrait_test
