#include "coterie/methods/estimates.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "groups/homogeneity.h"
#include "models/bound_model.h"
#include "support/given_federation.h"
#include "support/tiny_federation.h"

namespace coterie::estimates_test {
namespace {

template <class Run>
ClientEstimates ask(Run& run, const EstimateOptions& options = {}) {
  std::vector<std::unique_ptr<Lent>> lent;
  for (const AnyJob* job : estimate_jobs()) lent.push_back(std::make_unique<Lent>(*run.program, *job));
  run.fleet->begin_round(1);
  return ask_estimates(*run.fleet, *run.setting, run.fleet->everyone(), options);
}

// Three clients of 9, 10 and 13 rows with two columns and noise of their own.
std::vector<TinyFederation::Client> three() {
  std::vector<TinyFederation::Client> clients(3);
  Stream stream(11, {Purpose::test});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 9 + i * i; ++j) {
      clients[i].x.push_back({stream.normal(), 10 * stream.normal()});
      clients[i].y.push_back(static_cast<double>(i) * clients[i].x[j][0] + 0.2 * clients[i].x[j][1] +
                             stream.normal());
    }
  }
  return clients;
}

// By the normal equations, and White's covariance with residuals of HC2 or HC3.
struct ByHand {
  std::array<double, 2> beta;
  std::array<double, 3> v;  // 00, 01, 11
  explicit ByHand(const TinyFederation::Client& c, int hc = 2) {
    double a = 0, b = 0, d = 0, s = 0, t = 0;
    for (std::size_t j = 0; j < c.y.size(); ++j) {
      a += c.x[j][0] * c.x[j][0], b += c.x[j][0] * c.x[j][1], d += c.x[j][1] * c.x[j][1];
      s += c.x[j][0] * c.y[j], t += c.x[j][1] * c.y[j];
    }
    const double det = a * d - b * b, ia = d / det, ib = -b / det, id = a / det;
    beta = {ia * s + ib * t, ib * s + id * t};
    double m = 0, n = 0, o = 0;
    for (std::size_t j = 0; j < c.y.size(); ++j) {
      const double x = c.x[j][0], z = c.x[j][1];
      const double e = c.y[j] - beta[0] * x - beta[1] * z;
      const double h = ia * x * x + 2 * ib * x * z + id * z * z;
      const double w = e * e / (hc == 2 ? 1 - h : (1 - h) * (1 - h));
      m += w * x * x, n += w * x * z, o += w * z * z;
    }
    v = {ia * ia * m + 2 * ia * ib * n + ib * ib * o, ia * ib * m + (ia * id + ib * ib) * n + ib * id * o,
         ib * ib * m + 2 * ib * id * n + id * id * o};
  }
};

// basis V basis', in the coordinates of the model.
double covariance(const ClientEstimates& told, std::size_t client, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < told.width; ++k) {
    for (std::size_t l = 0; l < told.width; ++l) {
      sum += told.basis[i * told.width + k] * told.v[(client * told.width + k) * told.width + l] *
             told.basis[j * told.width + l];
    }
  }
  return sum;
}

TEST(Estimates, OfLinearModelsAreLeastSquaresAndWhitesCovariances) {
  for (const int hc : {2, 3}) {
    TinyRun run(three(), {});
    const ClientEstimates told = ask(run, {.hc = hc});
    ASSERT_EQ(told.width, 2u);
    ASSERT_EQ(told.clients, (std::vector<ClientId>{0, 1, 2}));
    for (std::size_t i = 0; i < 3; ++i) {
      const ByHand hand(three()[i], hc);
      const Vec model = told.model_at(std::span(told.b).subspan(2 * i, 2));
      EXPECT_NEAR(model[0], hand.beta[0], 1e-8);
      EXPECT_NEAR(model[1], hand.beta[1], 1e-8);
      EXPECT_NEAR(covariance(told, i, 0, 0), hand.v[0], 1e-8 * hand.v[0]);
      EXPECT_NEAR(covariance(told, i, 0, 1), hand.v[1], 1e-8 * hand.v[0]);
      EXPECT_NEAR(covariance(told, i, 1, 1), hand.v[2], 1e-8 * hand.v[2]);
    }
  }
}

// The sum over clients of their curvatures is the number of rows times the identity.
TEST(Estimates, CoordinatesMakeThePooledCurvatureTheIdentity) {
  TinyRun run(three(), {});
  const ClientEstimates told = ask(run);
  for (std::size_t k = 0; k < 4; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += told.curvature[4 * i + k];
    EXPECT_NEAR(sum, k == 0 || k == 3 ? 9 + 10 + 13 : 0, 1e-7);
  }
  EXPECT_EQ(told.rows, (Vec{9, 10, 13}));
}

TEST(Estimates, ReplicatesAreUnderTheNullAndResamplesAroundTheEstimate) {
  TinyRun run(three(), {});
  const ClientEstimates told = ask(run, {.replicates = 400, .resamples = 400});
  ASSERT_EQ(told.replicate_sums.size(), 400u * 3);
  ASSERT_EQ(told.resampled.size(), 400u);
  Vec squares;
  for (std::size_t r = 0; r < 400; ++r) squares.push_back(told.replicate_sums[3 * r + 2]);
  std::sort(squares.begin(), squares.end());
  EXPECT_GE(squares[0], 0);
  // Three clients, two coordinates each: the median of chi-squared is 5.35, and more here, since V* is an
  // estimate from few rows.
  EXPECT_GT(squares[200], 4.5);
  EXPECT_LT(squares[200], 11);
  double spread = 0, b = 0;
  for (std::size_t r = 0; r < 400; ++r) b += told.resampled[r][0] / 400;
  for (std::size_t r = 0; r < 400; ++r) spread += std::pow(told.resampled[r][0] - b, 2) / 399;
  EXPECT_NEAR(b, told.b[0], 0.2 * std::sqrt(told.v[0]));
  EXPECT_NEAR(spread, told.v[0], 0.3 * told.v[0]);
}

// One column twice, one that is constant beside the intercept, and a client with too few rows.
TEST(Estimates, LeavesOutDirectionsWithoutInformationAndClientsWithFewRows) {
  auto clients = three();
  for (auto& client : clients) {
    for (Vec& row : client.x) row = {row[0], row[1], row[0], 3};
  }
  clients.push_back({{{1, 2, 1, 3}}, {4}, 0});
  TinyRun run(clients, {.model_toml = "intercept = true"});
  const ClientEstimates told = ask(run);
  EXPECT_EQ(told.width, 3u);
  EXPECT_EQ(told.flat, 2u);
  EXPECT_EQ(told.cut, 0u);
  EXPECT_EQ(told.too_few, std::vector<ClientId>{3});
  EXPECT_EQ(told.clients.size(), 3u);
  const ClientEstimates one = ask(run, {.most = 1});
  EXPECT_EQ(one.width, 1u);
  EXPECT_EQ(one.cut, 2u);
}

// A column that a client never uses: it knows as much of it as one row of everybody's would tell.
TEST(Estimates, HaveACovarianceWhereAClientHasNoInformation) {
  auto clients = three();
  for (Vec& row : clients[0].x) row[1] = 0;
  TinyRun run(clients, {});
  const ClientEstimates told = ask(run);
  const Estimates estimates = estimates_of(told);
  ASSERT_EQ(estimates.of.size(), 3u);
  EXPECT_NO_THROW(require_estimates(estimates));
  const Vec& v = estimates.of[0].v;
  EXPECT_GT(v[0] * v[3] - v[1] * v[2], 0);
  EXPECT_GT(std::max(v[0], v[3]), 10 * std::min(estimates.of[1].v[0], estimates.of[1].v[3]));
  EXPECT_EQ(replicates_of(told).count, 199u);
}

// Two classes of softmax are logistic regression, whatever the coordinates: b' V^-1 b is the same.
double distance_from_the_null(const Vec& b, const Vec& v, std::size_t q) {
  // By Gauss, on a copy.
  Vec a = v, x = b;
  for (std::size_t k = 0; k < q; ++k) {
    for (std::size_t i = k + 1; i < q; ++i) {
      const double factor = a[i * q + k] / a[k * q + k];
      for (std::size_t j = k; j < q; ++j) a[i * q + j] -= factor * a[k * q + j];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = q; k-- > 0;) {
    for (std::size_t j = k + 1; j < q; ++j) x[k] -= a[k * q + j] * x[j];
    x[k] /= a[k * q + k];
  }
  double sum = 0;
  for (std::size_t k = 0; k < q; ++k) sum += b[k] * x[k];
  return sum;
}

TEST(Estimates, AreTheSameForTwoClassesHoweverTheyAreWritten) {
  std::vector<Vec> seen;
  for (const char* kind : {"logistic", "softmax"}) {
    std::vector<Samples> data;
    for (std::uint32_t i = 0; i < 3; ++i) {
      Stream stream(5, {Purpose::test, 0, 0, i});
      Samples samples;
      samples.shape = classification(2, 2);
      std::vector<double> features;
      for (int j = 0; j < 40; ++j) {
        features.insert(features.end(), {stream.normal(), stream.normal()});
        const double score = features[features.size() - 2] * (1.0 + i) + stream.normal();
        samples.targets.push_back(score > 0 ? 1 : 0);
      }
      samples.features = std::move(features);
      data.push_back(std::move(samples));
    }
    MethodRun<GivenFederation> run(data, {.model = kind, .model_toml = "intercept = true"});
    const Estimates estimates = estimates_of(ask(run));
    EXPECT_EQ(estimates.width, 3u);
    Vec all;
    for (const Estimate& one : estimates.of) all.push_back(distance_from_the_null(one.b, one.v, 3));
    seen.push_back(all);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(seen[0][i], seen[1][i], 1e-5 * seen[0][i]);
}

// An L2 term, which penalises both classes' weights, adds no coordinates.
TEST(Estimates, HaveNoCoordinatesOfAnL2TermAlone) {
  std::vector<Samples> data;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Stream stream(5, {Purpose::test, 0, 0, i});
    Samples samples;
    samples.shape = classification(2, 2);
    std::vector<double> features;
    for (int j = 0; j < 40; ++j) {
      features.insert(features.end(), {stream.normal(), stream.normal()});
      samples.targets.push_back(features.back() + stream.normal() > 0 ? 1 : 0);
    }
    samples.features = std::move(features);
    data.push_back(std::move(samples));
  }
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    MethodRun<GivenFederation> run(
        data, {.model = "softmax", .model_toml = "intercept = true\nl2 = 0.003", .precision = precision});
    const ClientEstimates told = ask(run);
    EXPECT_EQ(told.width, 3u);
    EXPECT_EQ(told.flat, 3u);
    EXPECT_EQ(told.clients.size(), 3u);
  }
}

// 20 clients of 25 rows, three columns with heavier noise where x is large; slopes with a spread of their
// own.
std::vector<TinyFederation::Client> many(double spread, std::uint64_t seed) {
  std::vector<TinyFederation::Client> clients(20);
  for (std::uint32_t i = 0; i < clients.size(); ++i) {
    Stream stream(seed, {Purpose::test, 1, 0, i});
    const double slope = 1 + spread * stream.normal();
    for (int j = 0; j < 25; ++j) {
      clients[i].x.push_back({stream.normal(), stream.normal(), stream.normal()});
      const Vec& x = clients[i].x.back();
      clients[i].y.push_back(slope * x[0] - x[1] + (0.5 + 0.5 * std::fabs(x[0])) * stream.normal());
    }
  }
  return clients;
}

// The replicates make the test of homogeneity what it claims to be, where chi-squared rejects too often.
TEST(Estimates, ReplicatesCalibrateTheTestOfHomogeneity) {
  int rejected = 0, by_chi2 = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    TinyRun run(many(0, seed), {});
    const ClientEstimates told = ask(run, {.replicates = 99, .resamples = 0});
    const Homogeneity test = test_homogeneity(estimates_of(told), replicates_of(told));
    rejected += test.p <= 0.05 ? 1 : 0;
    by_chi2 += test.p_chi2 <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(rejected, 7) << "3 of 60 are expected";
  EXPECT_GT(by_chi2, rejected);
  TinyRun run(many(1, 1), {});
  const ClientEstimates told = ask(run, {.replicates = 99, .resamples = 0});
  EXPECT_LE(test_homogeneity(estimates_of(told), replicates_of(told)).p, 0.01);
}

// Ten patients of four visits at each of 20 clients, all alike. x0 and a part of the noise are a patient's.
std::vector<TinyFederation::Client> patients(std::uint64_t seed) {
  std::vector<TinyFederation::Client> clients(20);
  for (std::uint32_t i = 0; i < clients.size(); ++i) {
    Stream stream(seed, {Purpose::test, 2, 0, i});
    for (std::uint32_t patient = 0; patient < 10; ++patient) {
      const double own = stream.normal(), x0 = stream.normal();
      for (int visit = 0; visit < 4; ++visit) {
        clients[i].x.push_back({x0, stream.normal()});
        clients[i].y.push_back(x0 + own + 0.3 * stream.normal());
        clients[i].kin.push_back(100 + patient);
      }
    }
  }
  return clients;
}

TEST(Estimates, TakeRowsThatBelongTogetherAsOne) {
  int rejected = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto clients = patients(seed);
    TinyRun run(clients, {});
    const ClientEstimates told = ask(run, {.replicates = 99, .resamples = 0});
    EXPECT_EQ(told.rows, Vec(20, 10.0));
    rejected += test_homogeneity(estimates_of(told), replicates_of(told)).p <= 0.05 ? 1 : 0;
    for (auto& client : clients) client.kin.clear();
    TinyRun apart(clients, {});
    const ClientEstimates rows = ask(apart, {.replicates = 99, .resamples = 0});
    without += test_homogeneity(estimates_of(rows), replicates_of(rows)).p <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(rejected, 5) << "2 of 40 are expected";
  EXPECT_GE(without, 30);
}

// The mean estimate of one column moves with patients, of whom there are a fourth as many as rows.
TEST(Estimates, ResampleWholeLots) {
  auto clients = patients(1);
  const auto spread = [&] {
    TinyRun run(clients, {});
    const ClientEstimates told = ask(run, {.replicates = 0, .resamples = 200});
    double all = 0;
    for (std::size_t at = 0; at < told.resampled[0].size(); ++at) {
      double b = 0;
      for (const Vec& one : told.resampled) b += one[at] / 200;
      for (const Vec& one : told.resampled) all += std::pow(one[at] - b, 2) / 199;
    }
    return all;
  };
  const double of_lots = spread();
  for (auto& client : clients) client.kin.clear();
  EXPECT_GT(of_lots, 1.5 * spread());
}

// 40 rows would do for eight coordinates, and ten patients do for three.
TEST(Estimates, HaveAsManyCoordinatesAsLotsAfford) {
  auto clients = patients(1);
  Stream stream(3, {Purpose::test});
  for (auto& client : clients) {
    for (Vec& row : client.x) {
      for (int more = 0; more < 6; ++more) row.push_back(stream.normal());
    }
  }
  TinyRun run(clients, {});
  const ClientEstimates told = ask(run, {.replicates = 9, .resamples = 5});
  EXPECT_EQ(told.width, 3u);
  EXPECT_EQ(told.cut, 5u);
  EXPECT_EQ(told.clients.size(), 20u);
  EXPECT_EQ(told.rows, Vec(20, 10.0));
  EXPECT_EQ(told.basis.size(), 8u * 3);
  EXPECT_EQ(told.eigenvalues.size(), 3u);
  EXPECT_EQ(told.resampled[0].size(), 20u * 3);
  for (auto& client : clients) client.kin.clear();
  TinyRun apart(clients, {});
  EXPECT_EQ(ask(apart).width, 8u);
}

TEST(Estimates, ClientsWithTooFewLotsAreNotInThem) {
  auto clients = patients(1);
  for (auto& one : clients[3].kin) one = one < 105 ? 1 : 2;
  TinyRun run(clients, {});
  const ClientEstimates told = ask(run);
  EXPECT_EQ(told.too_few, std::vector<ClientId>{3});
  EXPECT_EQ(told.clients.size(), 19u);
}

TEST(Estimates, AreTheSameBitsWithAnyNumberOfThreads) {
  TinyRun one(three(), {.precision = Precision::f32});
  TinyRun::Choices other{.precision = Precision::f32};
  other.fleet.threads = 3;
  TinyRun many(three(), other);
  const ClientEstimates told = ask(one), again = ask(many);
  EXPECT_EQ(told.b, again.b);
  EXPECT_EQ(told.v, again.v);
  EXPECT_EQ(told.replicate_sums, again.replicate_sums);
  EXPECT_EQ(told.resampled, again.resampled);
}

TEST(Estimates, AreForConvexModelsOfAThousandParameters) {
  EXPECT_EQ(why_no_estimates(*bound_model("linear", "", regression(5))), "");
  EXPECT_NE(why_no_estimates(*bound_model("mlp", "hidden = [2]\n", regression(2))).find("not linear"),
            std::string::npos);
  EXPECT_NE(why_no_estimates(*bound_model("linear", "", regression(1001))).find("1001"), std::string::npos);
}

}  // namespace
}  // namespace coterie::estimates_test
