// Local steps in the dual against the same steps on the weights themselves.
#include "solvers/dual.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "models/bound_model.h"

namespace coterie::dual_test {
namespace {

// A client, with what a job asks of it and how often it asked.
template <class Real>
struct Trainee {
  const Model& model;
  Rows<Real> rows;
  std::vector<Real> start = start_of<Real>(model);
  std::vector<Real> w = start;
  std::vector<Real> centre = {};
  std::vector<Real> momentum = {};
  double prox = 0;
  Stream stream{3, {Purpose::work}};
  std::vector<Real> sums = {}, products = {};
  int grams = 0;

  Matrix<const Real> inputs() {
    const FirstLayer& first = *model.first_layer();
    return {first.first_inputs(rows.batch()), rows.y.size(), first.inputs()};
  }
  // On the weights themselves: training begins at what w holds.
  LocalJob<Real> primal() {
    return {model, rows.batch(), w, prox, centre.empty() ? start : centre, momentum, 2, 0, stream};
  }
  LocalJob<Real> dual() {
    LocalJob<Real> job = primal();
    std::fill(w.begin(), w.end(), Real(99));  // nothing may depend on it
    job.start = start;
    job.first_sums = [this] {
      const std::size_t h = model.first_layer()->outputs();
      sums.resize(rows.y.size() * h);
      multiply(inputs(), Matrix<const Real>(start.data(), model.first_layer()->inputs(), h),
               Matrix<Real>(sums.data(), rows.y.size(), h));
      return std::span<const Real>(sums);
    };
    job.gram = [this] {
      ++grams;
      products.resize(rows.y.size() * rows.y.size());
      multiply(inputs(), inputs().transposed(), Matrix<Real>(products.data(), rows.y.size(), rows.y.size()));
      return std::span<const Real>(products);
    };
    return job;
  }
};

// A step each; an empty list stands for all rows.
using Steps = std::vector<std::vector<std::uint32_t>>;

template <class Real>
Rows<Real> picked(const Rows<Real>& all, const std::vector<std::uint32_t>& which) {
  if (which.empty()) return all;
  Rows<Real> some = all.only(which[0]);
  for (std::size_t i = 1; i < which.size(); ++i) {
    const Rows<Real> next = all.only(which[i]);
    some.x.insert(some.x.end(), next.x.begin(), next.x.end());
    some.y.push_back(next.y[0]);
    if (!next.weights.empty()) some.weights.push_back(next.weights[0]);
  }
  return some;
}

template <class Real>
double length(const std::vector<Real>& a, const std::vector<Real>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double gap = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += gap * gap;
  }
  return std::sqrt(sum);
}

template <class Real>
void expect_close(const std::vector<Real>& got, const std::vector<Real>& expected,
                  const std::vector<Real>& start) {
  const bool narrow = std::is_same_v<Real, float>;
  const double moved = length(expected, start);
  EXPECT_GT(moved, 1e-3);
  EXPECT_LT(length(got, expected), (narrow ? 1e-4 : 1e-10) * moved);
}

template <class Real>
void compare(const Model& model, const Shape& shape, std::size_t n, bool weighted, double prox,
             const StepOptions& options, const Steps& steps) {
  Trainee<Real> primal{model, Rows<Real>(shape, n, weighted)};
  Trainee<Real> dual{model, Rows<Real>(shape, n, weighted)};
  primal.prox = dual.prox = prox;
  LocalJob<Real> primal_job = primal.primal();
  LocalJob<Real> dual_job = dual.dual();
  Descent<Real> descent(options, primal_job);
  DualDescent<Real> other(options, dual_job);
  for (const auto& rows : steps) {
    const Rows<Real> batch = picked(primal.rows, rows);
    descent.step(batch.batch());
    rows.empty() ? other.step() : other.step(rows);
  }
  other.finish();
  expect_close(dual.w, primal.w, primal.start);

  // The same bits when the first layer is left to be computed later.
  Trainee<Real> late{model, Rows<Real>(shape, n, weighted)};
  late.prox = prox;
  LocalJob<Real> late_job = late.dual();
  LateWeights<Real> weights;
  late_job.late = &weights;
  DualDescent<Real> third(options, late_job);
  for (const auto& rows : steps) rows.empty() ? third.step() : third.step(rows);
  third.finish();
  const FirstLayer& first = *model.first_layer();
  ASSERT_EQ(weights.factors.size(), n * first.outputs());
  std::vector<Real> base(late.start.begin(), late.start.begin() + first.size());
  for (Real& value : base) value *= weights.scale;
  multiply_onto(Matrix<const Real>(base.data(), first.inputs(), first.outputs()), late.inputs().transposed(),
                Matrix<const Real>(weights.factors.data(), n, first.outputs()),
                Matrix<Real>(late.w.data(), first.inputs(), first.outputs()));
  EXPECT_EQ(late.w, dual.w);
}

struct Kind {
  std::string name, toml;
  Shape shape;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"linear", "", regression(7)},
      {"linear", "intercept = true\nl2 = 0.2\nfeatures = 'polynomial'\ndegree = 2", regression(7)},
      {"logistic", "l2 = 0.2", classification(7, 2)},
      {"logistic", "features = 'fourier'\ncount = 19\nintercept = true", classification(7, 2)},
      {"softmax", "", classification(7, 4)},
      {"softmax", "intercept = false\nl2 = 0.2\nfeatures = 'polynomial'", classification(7, 4)},
      {"mlp", "hidden = []", classification(7, 3)},
      {"mlp", "hidden = [9]", classification(7, 3)},
      {"mlp", "hidden = [9]\nl2 = 0.2", regression(7)},
      {"mlp", "hidden = [9, 4]\nl2 = 0.2\npenalise_intercept = true", classification(7, 3)},
      {"mlp", "hidden = [9, 5]", classification(7, 3)},
  };
  return all;
}

template <class Real>
class Dual : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Dual, Reals);

// One row, fewer rows than inputs, and more.
TYPED_TEST(Dual, EqualsStepsOnTheWeights) {
  for (const Kind& kind : kinds()) {
    const auto model = bound_model(kind.name, kind.toml, kind.shape);
    for (const std::size_t n : {1u, 5u, 23u}) {
      const auto last = static_cast<std::uint32_t>(n - 1);
      Steps batches = {{last, 0}, {}, {last / 2}, {0}, {last, last / 2}};
      if (n == 1) batches = {{0}, {}, {0}};
      const std::vector<Steps> plans = {{{}}, {{}, {}, {}, {}}, batches};
      for (const Steps& steps : plans) {
        for (const int mask : {0, 1, 2, 4, 8, 15}) {
          SCOPED_TRACE(kind.name + " " + kind.toml + ", rows " + std::to_string(n) + ", steps " +
                       std::to_string(steps.size()) + ", mask " + std::to_string(mask));
          StepOptions options;
          options.rate = {.rate = {0.1}, .decay = 0.9};
          if (mask & 1) options.momentum = 0.7;
          if (mask & 2) options.weight_decay = 0.3;
          compare<TypeParam>(*model, kind.shape, n, /*weighted=*/mask & 4, mask & 8 ? 0.4 : 0, options,
                             steps);
        }
      }
    }
  }
}

// Rows (1, 0, 1) and (0, 2, 0), targets 0 and 2, from (1, 1, 1); rate 1/2, momentum 1/2, weight decay 1/4.
//   step 1: residuals 2, 0;       v = (5/4, 1/4, 5/4);         w = (3/8, 7/8, 3/8)
//   step 2: residuals 3/4, -1/4;  v = (35/32, 3/32, 35/32);    w = (-11/64, 53/64, -11/64)
// In the dual, c = 45/64 and A = (7/8, -1/16). All of it is exact in binary.
TYPED_TEST(Dual, TwoStepsByHand) {
  using Real = TypeParam;
  const auto model = bound_model("linear", "", regression(3));
  Trainee<Real> client{*model, Rows<Real>(regression(3), 2)};
  client.rows.x = {1, 0, 1, 0, 2, 0};
  client.rows.y = {0, 2};
  client.start = {1, 1, 1};
  StepOptions options;
  options.rate.rate = {0.5};
  options.momentum = 0.5;
  options.weight_decay = 0.25;
  for (const bool late : {false, true}) {
    LocalJob<Real> job = client.dual();
    LateWeights<Real> weights;
    if (late) job.late = &weights;
    DualDescent<Real> descent(options, job);
    descent.step();
    descent.step();
    descent.finish();
    if (late) {
      EXPECT_EQ(weights.scale, Real(45.0 / 64));
      EXPECT_EQ(weights.factors, (std::vector<Real>{-7.0 / 8, 1.0 / 16}));
    } else {
      EXPECT_EQ(client.w, (std::vector<Real>{-11.0 / 64, 53.0 / 64, -11.0 / 64}));
    }
  }
}

bool pays(std::size_t n, std::size_t d, std::size_t h, double passes, std::size_t steps) {
  const auto model = bound_model("softmax", "intercept = false", classification(d, h));
  Trainee<float> client{*model, Rows<float>(classification(d, h), n)};
  const LocalJob<float> job = client.dual();
  return dual_pays(job, StepOptions(), passes, steps);
}

// On the weights: 4 E n d h. In the dual: 4 n d h + n^2 d + 2 E n^2 h.
TEST(DualPays, WhereItTakesFewerOperations) {
  // n (20 + 200) <= 4 * 20 * 10 * 9
  EXPECT_TRUE(pays(32, 20, 10, 10, 10));
  EXPECT_FALSE(pays(33, 20, 10, 10, 10));
  // Equal at n = 4.
  EXPECT_TRUE(pays(4, 8, 2, 2, 2));
  EXPECT_FALSE(pays(5, 8, 2, 2, 2));
  // With many outputs the inner products are for nothing, and it is n < 2 d (1 - 1/E).
  EXPECT_TRUE(pays(15, 10, 1000, 5, 5));
  EXPECT_FALSE(pays(16, 10, 1000, 5, 5));
}

TEST(DualPays, AlwaysForOneStepAndNeverForOnePassOfSeveral) {
  EXPECT_TRUE(pays(1, 8, 2, 1, 1));
  EXPECT_TRUE(pays(500, 8, 2, 1, 1));
  EXPECT_FALSE(pays(2, 800, 100, 1, 2));
  EXPECT_FALSE(pays(500, 8, 2, 1, 32));
  EXPECT_FALSE(pays(50, 800, 100, 0.32, 1));  // a batch of 16 leaves most sums unread
}

TEST(DualPays, OnlyFromAStartThatIsTheCentre) {
  const auto model = bound_model("softmax", "", classification(20, 10));
  Trainee<double> client{*model, Rows<double>(classification(20, 10), 3)};
  LocalJob<double> job = client.dual();
  StepOptions options;
  EXPECT_TRUE(dual_pays(job, options, 10, 10));
  job.prox = 1;
  EXPECT_TRUE(dual_pays(job, options, 10, 10));
  const Vec elsewhere = client.start;
  job.centre = elsewhere;
  EXPECT_FALSE(dual_pays(job, options, 10, 10));
  job.prox = 0;
  EXPECT_TRUE(dual_pays(job, options, 10, 10));
  job.start = {};
  EXPECT_FALSE(dual_pays(job, options, 10, 10));
  job.start = client.start;
  options.momentum = 0.5;
  EXPECT_TRUE(dual_pays(job, options, 10, 10));
  options.momentum_survives = true;
  EXPECT_FALSE(dual_pays(job, options, 10, 10));
}

// The solvers as a config makes them: in the dual where it pays, in the same batch order.
TYPED_TEST(Dual, SolversTakeIt) {
  using Real = TypeParam;
  const Shape shape = classification(40, 3);
  const auto model = bound_model("mlp", "hidden = [12]\nl2 = 0.1", shape);
  const std::vector<std::pair<std::string, std::string>> solvers = {
      {"gd", "steps = 6\nmomentum = 0.5"},
      {"sgd", "batch = 4\nepochs = 5"},
      {"sgd", "batch = 4\nepochs = 5\ndrop_last = true\nmomentum = 0.5\nweight_decay = 0.1"},
      {"sgd", "batch = 4\nsteps = 17"},
      {"sgd", "batch = 64\nepochs = 4"}};
  for (const auto& [name, toml] : solvers) {
    SCOPED_TRACE(name + " " + toml);
    const auto solver = make_plugin<Solver>(name, "rate = 0.2\n" + toml);
    Trainee<Real> primal{*model, Rows<Real>(shape, 11, true)};
    Trainee<Real> dual{*model, Rows<Real>(shape, 11, true)};
    primal.prox = dual.prox = 0.3;
    LocalJob<Real> job = primal.primal();
    solver->train(job);
    LocalJob<Real> other = dual.dual();
    solver->train(other);
    EXPECT_GT(dual.grams, 0);
    expect_close(dual.w, primal.w, primal.start);
  }
}

TYPED_TEST(Dual, SolversFallBackToTheSameBits) {
  using Real = TypeParam;
  const Shape shape = classification(40, 3);
  const auto model = bound_model("softmax", "", shape);
  struct Case {
    std::string name, toml;
    bool survives = false, elsewhere = false;
  };
  for (const Case& c : {Case{"sgd", "batch = 4"},  // one epoch
                        Case{"gd", "steps = 6\nmomentum = 0.5\nmomentum_survives = true", true},
                        Case{"gd", "steps = 6", false, true}}) {
    SCOPED_TRACE(c.toml);
    const auto solver = make_plugin<Solver>(c.name, "rate = 0.1\n" + c.toml);
    Trainee<Real> primal{*model, Rows<Real>(shape, 11)};
    Trainee<Real> other{*model, Rows<Real>(shape, 11)};
    for (Trainee<Real>* client : {&primal, &other}) {
      if (c.survives) client->momentum.assign(client->w.size(), Real(0.25));
      if (c.elsewhere) {
        client->prox = 0.5;
        client->centre.assign(client->w.size(), Real(0.125));
      }
    }
    LocalJob<Real> job = primal.primal();
    solver->train(job);
    LocalJob<Real> from_start = other.dual();
    solver->train(from_start);
    EXPECT_EQ(other.grams, 0);
    EXPECT_EQ(other.w, primal.w);
    EXPECT_EQ(other.momentum, primal.momentum);
    EXPECT_NE(other.w, other.start);
  }
}

}  // namespace
}  // namespace coterie::dual_test
