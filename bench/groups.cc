// Size and power of the tests for groups, on linear clients made here: rows, least squares, sandwich
// covariances, replicates and resamples of rows. One line for each setting, as a table in CSV.
//
//   bench_groups                  seconds of one test and its stability
//   bench_groups size|stability [RUNS [TRUTH NOISE CLIENTS ROWS COEFFICIENTS]]
//
// size: how often one group is rejected; stability: of the groups found, or of two groups forced on clients
// where one was found, and how often the number is right. All settings of a table, or one.
#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/threads.h"
#include "coterie/random.h"
#include "groups/homogeneity.h"
#include "groups/mixture_test.h"
#include "groups/stability.h"

namespace coterie {
namespace {

using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Setting {
  std::string truth = "alike";
  std::string noise = "equal";
  std::size_t clients = 40, rows = 30, coefficients = 3;
};

double student(Stream& stream, double freedom) {  // variance 1
  return stream.normal() / std::sqrt(2 * stream.gamma(freedom / 2) / (freedom - 2));
}

// A client's true coefficients, and its group.
struct Truth {
  Eigen::VectorXd beta;
  std::uint32_t group = 0;
};
Truth truth_of(const Setting& s, std::size_t client, std::uint64_t centres, Stream& stream) {
  const auto q = static_cast<Eigen::Index>(s.coefficients);
  Truth t{Eigen::VectorXd::Ones(q), 0};
  auto each = [&](auto draw) {
    for (Eigen::Index j = 0; j < q; ++j) t.beta(j) += draw();
  };
  if (s.truth == "narrow") each([&] { return 0.35 * stream.normal(); });
  if (s.truth == "wide") each([&] { return stream.normal(); });
  if (s.truth == "uniform") each([&] { return std::sqrt(3.0) * stream.uniform(-1, 1); });
  if (s.truth == "skewed") each([&] { return stream.gamma(1) - 1; });
  if (s.truth == "t5") each([&] { return student(stream, 5); });
  if (s.truth == "uniform-narrow") each([&] { return 0.35 * std::sqrt(3.0) * stream.uniform(-1, 1); });
  if (s.truth == "skewed-narrow") each([&] { return 0.35 * (stream.gamma(1) - 1); });
  if (s.truth == "t5-narrow") each([&] { return 0.35 * student(stream, 5); });
  if (s.truth == "two" || s.truth == "weak" || s.truth == "two-spread") {
    t.group = static_cast<std::uint32_t>(client % 2);
    const double far = s.truth == "two" ? 0.35 : s.truth == "weak" ? 0.2 : 0.7;
    const double inside = s.truth == "two-spread" ? 0.3 : 0;
    each([&] { return (t.group == 0 ? far : -far) + (inside > 0 ? inside * stream.normal() : 0); });
  }
  if (s.truth == "four" || s.truth == "four-spread") {
    t.group = static_cast<std::uint32_t>(client % 4);
    t.beta(0) += t.group / 2 == 0 ? 0.7 : -0.7;
    t.beta(1) += t.group % 2 == 0 ? 0.7 : -0.7;
    if (s.truth == "four-spread") each([&] { return 0.2 * stream.normal(); });
  }
  if (s.truth == "two-clear" || s.truth == "four-clear") {
    const std::size_t groups = s.truth == "two-clear" ? 2 : 4;
    t.group = static_cast<std::uint32_t>(client % groups);
    Stream centre(centres, {.purpose = Purpose::test, .round = 3, .client = t.group});
    each([&] { return 0.7 * centre.normal(); });
  }
  return t;
}

struct Fit {
  Eigen::VectorXd b;
  Table v, h;
};

struct Client {
  Table x;
  Eigen::VectorXd y;
  Eigen::LLT<Table> factor;
  Eigen::VectorXd leverage;
  Fit fit;
};

// The sandwich, from residuals e / sqrt(1 - h).
Table sandwich(const Client& c, const Eigen::VectorXd& residual) {
  const Eigen::VectorXd left = (1 - c.leverage.array()).max(1e-3);
  const Eigen::VectorXd scaled = residual.array() / left.array().sqrt();
  const Table scores = c.x.array().colwise() * scaled.array();
  const Table half = c.factor.solve(Table(scores.transpose()));
  return half * half.transpose();
}

Client make_client(const Setting& s, const Eigen::VectorXd& beta, Stream& stream) {
  const auto n = static_cast<Eigen::Index>(s.rows), q = static_cast<Eigen::Index>(s.coefficients);
  Client c;
  c.x.resize(n, q);
  c.y.resize(n);
  const double own = s.noise == "unequal" ? std::exp(stream.uniform(-0.7, 0.7)) : 1;
  for (Eigen::Index r = 0; r < n; ++r) {
    for (Eigen::Index j = 0; j < q; ++j) c.x(r, j) = j == 0 ? 1 : stream.normal();
    double e = s.noise == "t3" ? student(stream, 3) : stream.normal();
    if (s.noise == "by-row") e *= std::sqrt(0.3 + 0.7 * c.x(r, 1) * c.x(r, 1));
    c.y(r) = c.x.row(r).dot(beta) + own * e;
  }
  c.fit.h = c.x.transpose() * c.x;
  c.factor.compute(c.fit.h);
  c.leverage = (c.factor.matrixL().solve(Table(c.x.transpose()))).colwise().squaredNorm();
  c.fit.b = c.factor.solve(c.x.transpose() * c.y);
  c.fit.v = sandwich(c, c.y - c.x * c.fit.b);
  return c;
}

struct World {
  std::vector<Client> clients;
  std::vector<std::uint32_t> groups;
  Estimates estimates;
};

World make_world(const Setting& s, std::uint64_t seed) {
  World w;
  w.estimates.width = s.coefficients;
  Stream stream(seed, {.purpose = Purpose::test});
  for (std::size_t i = 0; i < s.clients; ++i) {
    const Truth truth = truth_of(s, i, seed, stream);
    w.groups.push_back(truth.group);
    w.clients.push_back(make_client(s, truth.beta, stream));
    const Fit& f = w.clients.back().fit;
    Estimate e;
    e.b.assign(f.b.data(), f.b.data() + f.b.size());
    e.v.assign(f.v.data(), f.v.data() + f.v.size());
    e.curvature.assign(f.h.data(), f.h.data() + f.h.size());
    e.rows = static_cast<double>(s.rows);
    w.estimates.of.push_back(std::move(e));
  }
  return w;
}

// Wild bootstrap under the null: residuals with random signs, each client's fit and sandwich once more.
Replicates replicates_of(const World& w, std::size_t count, std::uint64_t seed) {
  const std::size_t q = w.estimates.width;
  Replicates all{count, Vec(count * (q + 1), 0.0)};
  for (std::size_t i = 0; i < w.clients.size(); ++i) {
    const Client& c = w.clients[i];
    Stream stream(seed, {.purpose = Purpose::test, .round = 1, .client = static_cast<std::uint32_t>(i)});
    const Eigen::VectorXd residual =
        (c.y - c.x * c.fit.b).array() / (1 - c.leverage.array()).max(1e-3).sqrt();
    Eigen::VectorXd drawn(residual.size());
    for (std::size_t r = 0; r < count; ++r) {
      for (Eigen::Index j = 0; j < drawn.size(); ++j)
        drawn(j) = stream.bits32() % 2 == 0 ? residual(j) : -residual(j);
      const Eigen::VectorXd d = c.factor.solve(c.x.transpose() * drawn);
      const Eigen::VectorXd weighted = sandwich(c, drawn - c.x * d).llt().solve(d);
      for (std::size_t j = 0; j < q; ++j) all.sums[r * (q + 1) + j] += weighted(static_cast<Eigen::Index>(j));
      all.sums[r * (q + 1) + q] += d.dot(weighted);
    }
  }
  return all;
}

// Resamples of rows, b alone, by scores: X'X stays as it is.
std::vector<Vec> resamples_of(const World& w, std::size_t count, std::uint64_t seed) {
  std::vector<Vec> all(count);
  for (std::size_t i = 0; i < w.clients.size(); ++i) {
    const Client& c = w.clients[i];
    Stream stream(seed, {.purpose = Purpose::test, .round = 2, .client = static_cast<std::uint32_t>(i)});
    const Eigen::VectorXd residual =
        (c.y - c.x * c.fit.b).array() / (1 - c.leverage.array()).max(1e-3).sqrt();
    for (std::size_t r = 0; r < count; ++r) {
      Eigen::VectorXd times = Eigen::VectorXd::Constant(residual.size(), -1.0);
      for (Eigen::Index j = 0; j < residual.size(); ++j)
        times(static_cast<Eigen::Index>(stream.below(static_cast<std::uint64_t>(residual.size())))) += 1;
      const Eigen::VectorXd b =
          c.fit.b + c.factor.solve(c.x.transpose() * Eigen::VectorXd(times.cwiseProduct(residual)));
      all[r].insert(all[r].end(), b.data(), b.data() + b.size());
    }
  }
  return all;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Outcome {
  double p = 1, homogeneity = 1, chi2 = 1, apart = 0, smallest = 0;
  double time = 0;
};

void size_row(const Setting& s, std::size_t runs, ThreadPool& pool) {
  std::vector<Outcome> all(runs);
  pool.for_each(runs, [&](std::size_t run, unsigned) {
    const World w = make_world(s, 1000 + run);
    // Replicates take most of the time, and other clients differ plainly.
    const Homogeneity differ = test_homogeneity(
        w.estimates, s.truth == "alike" ? replicates_of(w, 199, 1000 + run) : Replicates{}, run);
    const double begun = seconds();
    GroupTestOptions options;
    options.most = 2;
    const GroupCount found = test_groups(w.estimates, options, run);
    const double smallest = found.two.share.back();
    all[run] = {found.p, differ.p, differ.p_chi2, found.two.apart, smallest, seconds() - begun};
  });
  double at5 = 0, at1 = 0, differ = 0, chi2 = 0, apart = 0, smallest = 0, time = 0;
  const double share = 1.0 / static_cast<double>(runs);
  for (const Outcome& o : all) {
    at5 += o.p <= 0.05 ? share : 0;
    at1 += o.p <= 0.01 ? share : 0;
    differ += o.homogeneity <= 0.05 ? share : 0;
    chi2 += o.chi2 <= 0.05 ? share : 0;
    apart += o.apart * share;
    smallest += o.smallest * share;
    time += o.time * share;
  }
  std::printf("%s,%s,%zu,%zu,%zu,%zu,%.3f,%.3f,%.3f,%.3f,%.2f,%.2f,%.3f\n", s.truth.c_str(), s.noise.c_str(),
              s.clients, s.rows, s.coefficients, runs, at5, at1, differ, chi2, apart, smallest, time);
  std::fflush(stdout);
}

// Stability of the groups that the test finds, or of two groups that are forced on clients.
void stability_row(const Setting& s, std::size_t runs, ThreadPool& pool) {
  struct Found {
    double least = 0, raw = 0, chance = 0, same = 0, time = 0, p = 1;
    std::size_t groups = 1;
  };
  std::vector<Found> all(runs);
  pool.for_each(runs, [&](std::size_t run, unsigned) {
    const World w = make_world(s, 1000 + run);
    const GroupCount count = test_groups(w.estimates, {}, run);
    const std::vector<Vec> resampled = resamples_of(w, 50, 1000 + run);
    const double begun = seconds();
    const GroupMixture& groups = count.groups == 1 ? count.two : count.mixture;
    const Stability found = stability_of(w.estimates, groups, count.steps, resampled, {}, run);
    all[run] = {found.least,       *std::min_element(found.jaccard.begin(), found.jaccard.end()),
                found.by_chance,   found.same_count,
                seconds() - begun, count.p,
                count.groups};
  });
  const std::size_t planted = s.truth.starts_with("two") ? 2 : s.truth.starts_with("four") ? 4 : 1;
  double right = 0, above = 0, below = 0, least = 0, raw = 0, raw_below = 0, chance = 0, same = 0, time = 0;
  double trusted = 0;
  const double share = 1.0 / static_cast<double>(runs);
  for (const Found& f : all) {
    right += f.groups == planted ? share : 0;
    above += f.least > 0.75 ? share : 0;
    below += f.least < 0.6 ? share : 0;
    raw_below += f.raw < 0.6 ? share : 0;
    trusted += f.p <= 0.01 && f.least >= 0.6 ? share : 0;
    least += f.least * share;
    raw += f.raw * share;
    chance += f.chance * share;
    same += f.same * share;
    time += f.time * share;
  }
  std::printf("%s,%s,%zu,%zu,%zu,%zu,%.3f,%.3f,%.3f,%.3f,%.2f,%.2f,%.2f,%.2f,%.2f,%.3f\n", s.truth.c_str(),
              s.noise.c_str(), s.clients, s.rows, s.coefficients, runs, right, trusted, above, below, least,
              raw, raw_below, chance, same, time);
  std::fflush(stdout);
}

// One whole test and its stability, on all cores and on one.
void time_tests() {
  std::puts("truth,clients,coefficients,threads,groups,test,stability");
  for (const char* truth : {"wide", "four-clear"}) {
    const World w = make_world({truth, "equal", 150, 100, 9}, 1);
    const std::vector<Vec> resampled = resamples_of(w, 50, 1);
    for (unsigned threads : {hardware_threads(), 1u}) {
      ThreadPool pool(threads);
      const Spread spread = [&](std::size_t count, const std::function<void(std::size_t)>& work) {
        pool.for_each(count, [&](std::size_t i, unsigned) { work(i); });
      };
      const double begun = seconds();
      const GroupCount found = test_groups(w.estimates, {}, 1, spread);
      const double tested = seconds();
      stability_of(w.estimates, found.groups == 1 ? found.two : found.mixture, found.steps, resampled, {}, 1,
                   spread);
      std::printf("%s,150,9,%u,%zu,%.2f,%.2f\n", truth, threads, found.groups, tested - begun,
                  seconds() - tested);
      std::fflush(stdout);
    }
  }
}

// What docs/groups.md shows. Clients, rows and coefficients change one at a time around 40, 30 and 3.
std::vector<Setting> size_table() {
  std::vector<Setting> all;
  const std::vector<std::string> continua = {"alike", "narrow", "wide"};
  for (std::size_t coefficients : {3u, 8u}) {
    for (std::size_t rows : {12u, 30u, 60u, 100u, 200u}) {
      for (const auto& truth : continua) all.push_back({truth, "equal", 40, rows, coefficients});
    }
  }
  for (const char* noise : {"unequal", "t3", "by-row"}) {
    for (std::size_t coefficients : {3u, 8u}) {
      for (std::size_t rows : {12u, 30u, 60u, 200u}) all.push_back({"alike", noise, 40, rows, coefficients});
    }
  }
  for (const char* truth : {"two", "weak", "four", "two-spread"}) {
    for (std::size_t rows : {12u, 30u, 100u}) all.push_back({truth, "equal", 40, rows, 3});
    all.push_back({truth, "equal", 40, 30, 8});
  }
  for (const char* truth : {"uniform", "skewed", "t5", "uniform-narrow", "skewed-narrow", "t5-narrow"}) {
    for (std::size_t rows : {30u, 200u}) all.push_back({truth, "equal", 40, rows, 3});
  }
  for (std::size_t clients : {30u, 150u}) {
    for (const auto& truth : continua) all.push_back({truth, "equal", clients, 30, 8});
  }
  for (const char* truth : {"uniform", "skewed", "t5"}) all.push_back({truth, "equal", 150, 30, 3});
  return all;
}

// The number of groups, and their stability, where groups are clear.
std::vector<Setting> stability_table() {
  std::vector<Setting> all;
  for (const char* truth : {"two-clear", "four-clear", "alike", "narrow"}) {
    for (std::size_t clients : {30u, 60u, 150u}) {
      for (std::size_t rows : {40u, 200u}) all.push_back({truth, "equal", clients, rows, 9});
    }
  }
  return all;
}

}  // namespace
}  // namespace coterie

int main(int count, char** arguments) {
  using namespace coterie;
  const std::string what = count > 1 ? arguments[1] : "speed";
  if (what == "speed" && count < 3) {
    time_tests();
    return 0;
  }
  if ((what != "size" && what != "stability") || (count > 3 && count != 8)) {
    std::fputs(
        "usage: bench_groups [speed]\n       bench_groups size|stability [RUNS [TRUTH NOISE CLIENTS "
        "ROWS COEFFICIENTS]]\n",
        stderr);
    return 2;
  }
  const std::size_t runs = count > 2 ? std::stoul(arguments[2]) : what == "size" ? 200 : 20;
  std::vector<Setting> all = what == "size" ? size_table() : stability_table();
  if (count == 8) {
    all = {{arguments[3], arguments[4], std::stoul(arguments[5]), std::stoul(arguments[6]),
            std::stoul(arguments[7])}};
  }
  std::puts(what == "stability" ? "truth,noise,clients,rows,coefficients,runs,right_number,trusted,above_.75,"
                                  "below_.6,least,jaccard,jaccard_"
                                  "below_.6,by_chance,same_count,seconds"
                                : "truth,noise,clients,rows,coefficients,runs,groups_.05,groups_.01,differ_."
                                  "05,chi2_.05,apart,smallest,seconds");
  ThreadPool pool(hardware_threads());
  for (const Setting& s : all) {
    if (what == "stability") {
      stability_row(s, runs, pool);
    } else {
      size_row(s, runs, pool);
    }
  }
}
