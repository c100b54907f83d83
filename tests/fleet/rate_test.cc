#include "fleet/rate.h"

#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::rate_test {
namespace {

// One client's rows, each a number.
TinyFederation::Client with_rows(const Vec& rows) {
  TinyFederation::Client client;
  for (const double x : rows) {
    client.x.push_back({x});
    client.y.push_back(x);
  }
  return client;
}

AgreedRate found(const std::vector<Vec>& clients, const std::string& solver = "gd",
                 const std::string& local = "", const std::string& model = "",
                 const std::string& fleet = "threads") {
  std::vector<TinyFederation::Client> all;
  for (const Vec& rows : clients) all.push_back(with_rows(rows));
  TinyRun run(all, {.model_toml = model, .solver = solver, .solver_toml = local, .fleet = {.kind = fleet}});
  run.fleet->begin_round(1);
  return find_rate(*run.fleet, *run.setting);
}

// Second moments of rows 1 and 3: (1 + 9) / 2 = 5; the loss is half the squared error.
TEST(Rate, IsOneOverTheCurvature) {
  EXPECT_EQ(found({{1, 3}}).rate, 0.2);
  EXPECT_EQ(found({{1, 3}}, "gd", "", "factor = 1.0").rate, 0.1);
  EXPECT_EQ(found({{1, 3}}, "gd", "", "l2 = 5").rate, 0.1);
  EXPECT_EQ(found({{1, 3}}, "gd", "momentum = 0.5").rate, 0.1);
}

TEST(Rate, SuitsTheClientWithTheLargestCurvature) {
  const AgreedRate agreed = found({{1, 3}, {2, 6}, {0.1}});
  EXPECT_EQ(agreed.rate, 0.05);
  EXPECT_NE(agreed.text.find("client 1"), std::string::npos) << agreed.text;
  EXPECT_TRUE(agreed.warning.empty()) << agreed.warning;
}

TEST(Rate, WarnsOfAClientThatIsUnlikeTheOthers) {
  const AgreedRate agreed = found({{1}, {1}, {100}, {1}});
  EXPECT_EQ(agreed.rate, 1e-4);
  EXPECT_NE(agreed.warning.find("client 2"), std::string::npos) << agreed.warning;
}

// With an intercept a row is (x, 1): second moments [[1, 1], [1, 1]], whose largest eigenvalue is 2, the
// trace.
TEST(Rate, CountsTheIntercept) { EXPECT_EQ(found({{1, 1}}, "gd", "", "intercept = true").rate, 0.5); }

// Steps on one of n rows: the longest. On two of the rows 1, 1, 3, with L = 11 / 3:
// 3 / (2 * 2) * 11 / 3 + 1 / (2 * 2) * 9 = 5.
TEST(Rate, CountsThatBatchesAreMoreCurvedThanAllRows) {
  EXPECT_EQ(found({{1, 3}}, "sgd", "batch = 1").rate, 0.111);
  EXPECT_EQ(found({{1, 1, 3}}, "sgd", "batch = 2").rate, 0.2);
  EXPECT_EQ(found({{1, 3}}, "sgd", "batch = 2").rate, 0.2);
}

// One step on the gradient of all rows, or of as many as a method draws: the curvature of so many rows,
// whatever the solver's batches, and without the solver's momentum.
TEST(Rate, OfAStepOnAGradientCountsItsRows) {
  const std::vector<TinyFederation::Client> clients = {with_rows({1, 1, 3})};
  TinyRun run(clients, {.solver = "sgd", .solver_toml = "batch = 1\nmomentum = 0.5"});
  run.fleet->begin_round(1);
  const AgreedRate of_all = find_rate(*run.fleet, *run.setting, 0);
  EXPECT_EQ(of_all.rate, 0.0555);        // half of 1 / 9
  EXPECT_EQ(of_all.of_gradient, 0.272);  // 3 / 11
  EXPECT_NE(of_all.text.find("0.272 for a step on a client's gradient"), std::string::npos) << of_all.text;
  EXPECT_EQ(find_rate(*run.fleet, *run.setting, 2).of_gradient, 0.2);
  EXPECT_EQ(find_rate(*run.fleet, *run.setting, 100).of_gradient, 0.272);
}

// Two columns that are the same up to their sign: moments [[1, -1], [-1, 1]], whose largest eigenvalue, 2, is
// along (1, -1).
TEST(Rate, FindsTheLargestEigenvalueInAnyDirection) {
  TinyFederation::Client client{{{1, -1}, {-1, 1}, {0, 0}, {0, 0}}, {0, 0, 0, 0}};
  TinyRun run({client}, {.solver_toml = ""});
  run.fleet->begin_round(1);
  EXPECT_EQ(find_rate(*run.fleet, *run.setting).rate, 1.0);
}

TEST(Rate, IsTheSameOverAnyFleet) {
  const std::vector<Vec> clients = {{1, 3}, {2, 6.5}, {0.1, 7, 3, 4}};
  for (const char* solver : {"gd", "sgd", "adam"}) {
    EXPECT_EQ(found(clients, solver, "", "", "scramble").rate, found(clients, solver).rate) << solver;
  }
}

// Of rates 4, 2, 1, 1/2 ..., from a loss around one point: a step of 1 ends at it, one of 2 beyond it at the
// same loss, one of 4 farther away.
TEST(Rate, IsTriedOutWhereNoRuleHolds) {
  const AgreedRate agreed = [] {
    const std::vector<TinyFederation::Client> clients = {with_rows({1, 3}), with_rows({2})};
    MethodRun<TinyFederation> run(clients, {.model = "mean", .solver_toml = ""});
    run.fleet->begin_round(1);
    return find_rate(*run.fleet, *run.setting);
  }();
  EXPECT_GE(agreed.rate, 0.5);
  EXPECT_LE(agreed.rate, 1.0);
}

TEST(Rate, OfAdamIsTriedOut) {
  const AgreedRate agreed = found({{1, 3}, {2, 6}}, "adam");
  EXPECT_GT(agreed.rate, 1e-4);
  EXPECT_LE(agreed.rate, 2.0);
}

TEST(Rate, IsRefusedWhereThereIsNone) {
  try {
    found({{0, 0}});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("zero"), std::string::npos) << e.what();
  }
  EXPECT_THROW(found({{1e200}}), Error);
}

TEST(Rate, IsPartOfTheAgreement) {
  Agreement agreement;
  agreement.shape.width = 3;
  EXPECT_FALSE(Agreement::read(agreement.text()).rate.has_value());
  agreement.rate = 0.0123;
  agreement.gradient_rate = 0.4;
  EXPECT_EQ(Agreement::read(agreement.text()).rate, 0.0123);
  EXPECT_EQ(Agreement::read(agreement.text()).gradient_rate, 0.4);
}

}  // namespace
}  // namespace coterie::rate_test
