// Whole rounds of a model with a buffer and dropout.
#include <gtest/gtest.h>

#include "support/tiny_federation.h"
#include "support/toy_model.h"

namespace coterie::toy_run_test {
namespace {

std::vector<TinyFederation::Client> clients() {
  std::vector<TinyFederation::Client> all;
  Stream stream(8, {Purpose::test});
  for (std::size_t i = 0; i < 9; ++i) {
    TinyFederation::Client client;
    for (std::size_t j = 0; j < 6 + i; ++j) {
      client.x.push_back({stream.normal() + static_cast<double>(i), stream.normal()});
      client.y.push_back(stream.normal());
    }
    all.push_back(client);
  }
  return all;
}

const Registration<Model> kToy{"toy", "for tests", [] { return std::make_unique<ToyModel>(false); }};
const Registration<Model> kToyWithDropout{"toy-dropout", "for tests",
                                          [] { return std::make_unique<ToyModel>(true); }};

class ToyRun : public MethodRun<TinyFederation> {
 public:
  ToyRun(const std::string& algorithm, bool dropout, unsigned threads, const std::string& solver = "sgd")
      : MethodRun(clients(),
                  {algorithm, "", "", dropout ? "toy-dropout" : "toy", "", solver,
                   solver == "sgd" ? "rate = 0.01\nbatch = 4\nepochs = 2" : "rate = 0.01",
                   algorithm == "fedavg" ? 1u : 2u, Precision::f64},
                  {"threads", {.block = 1}, threads}, "uniform") {
    std::vector<Vec> models;
    for (std::size_t k = 0; k < algorithm_models(); ++k)
      models.push_back({0.1 * static_cast<double>(k), 0, 0, 1});
    start(models);
    for (int t = 0; t < 3; ++t) round({0, 1, 2, 3, 4, 5, 6, 7, 8});
  }

 private:
  std::size_t algorithm_models() const { return algorithm->start_models(); }
};

TEST(ToyRun, SameBitsTwiceAndWithAnyNumberOfThreads) {
  for (const std::string method : {"fedavg", "ifca"}) {
    const std::vector<Vec> one = ToyRun(method, true, 1).models();
    EXPECT_EQ(ToyRun(method, true, 1).models(), one);
    EXPECT_EQ(ToyRun(method, true, 2).models(), one);
    EXPECT_EQ(ToyRun(method, true, 5).models(), one);
    EXPECT_NE(ToyRun(method, false, 1).models(), one);
  }
}

// A step of full gradients a round: each client's buffer is halfway from the common one to the mean of its
// own first feature, and the next common one is the mean of theirs.
TEST(ToyRun, BuffersAreAveraged) {
  double expected = 1;
  Vec means;
  for (const auto& client : clients()) {
    double sum = 0;
    for (const Vec& row : client.x) sum += row[0];
    means.push_back(sum / static_cast<double>(client.x.size()));
  }
  for (int t = 0; t < 3; ++t) {
    double sum = 0;
    for (const double mean : means) sum += (expected + mean) / 2;
    expected = sum / static_cast<double>(means.size());
  }
  EXPECT_NEAR(ToyRun("fedavg", false, 1, "gd").models()[0][3], expected, 1e-9);
}

}  // namespace
}  // namespace coterie::toy_run_test
