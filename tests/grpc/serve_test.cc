// Served runs have the bits of simulated ones, and clients that must not take part do not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "grpc/world.h"

namespace coterie::grpc_serve_test {
namespace {

constexpr const char* kDigits =
    "name = \"trial\"\nseed = 4\n[data]\nsource = \"digits\"\ntest_share = 0\n[[shift]]\nkind = "
    "\"rotate\"\nangles = [0, 180]\n"
    "[clients]\ncount = 4\npartition = \"iid\"\n[model]\nkind = \"mlp\"\nhidden = [8]\n[clusters]\ncount = "
    "2\n"
    "init = \"random\"\n[algorithm]\nkind = \"ifca\"\n[local]\nrate = 0.1\nbatch = 16\n[rounds]\ncount = 4\n"
    "[checkpoint]\nevery = 1\n";

void simulate(const NetworkWorld& world) {
  RunRequest request;
  request.file = world.file("exp.toml");
  request.out = world.file("simulated");
  request.quiet = true;
  run_experiment(request);
}

TEST(Serve, OfDigitsOverMutualTlsHasTheBitsOfTheSimulator) {
  NetworkWorld world(kDigits);
  simulate(world);
  world.join_all();
  ASSERT_TRUE(world.serve().front().finished);
  EXPECT_EQ(world.models("served"), world.models("simulated"));
  for (const std::string& name : world.names()) {
    const std::string report = read_file(world.file("out-" + name + "/report.json"));
    EXPECT_NE(report.find("test_accuracy"), std::string::npos) << report;
    EXPECT_TRUE(is_file(world.file("out-" + name + "/model.safetensors")));
  }
}

TEST(Serve, OfATableAgreesOnItsColumnsToTheSameBits) {
  TempFolder folder;
  std::string text = "site,size,colour,y\n";
  for (int i = 0; i < 90; ++i) {
    text += fmt::format("{},{:.2f},{},{}\n",
                        i % 3 == 0   ? "anna"
                        : i % 3 == 1 ? "bert"
                                     : "carl",
                        0.37 * i - (i % 7),
                        i % 5 == 0   ? "red"
                        : i % 3 == 1 ? "blue"
                                     : "green",
                        (i * 7) % 11 > 4 ? "yes" : "no");
  }
  write_atomically(folder.file("table.csv"), text);
  NetworkWorld world(
      "seed = 2\n[data]\nsource = \"csv\"\nfile = \"" + folder.file("table.csv") +
      "\"\nclient = \"site\"\ntarget = \"y\"\n[model]\nkind = \"softmax\"\n[algorithm]\nkind = \"fedavg\"\n"
      "[local]\nrate = \"auto\"\n[rounds]\ncount = 3\n");
  simulate(world);
  world.join_all();
  ASSERT_TRUE(world.serve().front().finished);
  EXPECT_EQ(world.models("served"), world.models("simulated"));
  EXPECT_EQ(read_file(world.file("served/agreement.toml")),
            read_file(world.file("simulated/agreement.toml")));
}

TEST(Serve, TakesASweepWithTheSameClients) {
  NetworkWorld world(kDigits);
  world.join_all();
  const std::vector<RunOutcome> outcomes =
      world.serve({"sweep.algorithm.kind=[\"fedavg\", \"ifca\"]", "rounds.count=2"});
  ASSERT_EQ(outcomes.size(), 2u);
  for (const RunOutcome& one : outcomes) {
    EXPECT_TRUE(one.finished) << one.error;
    RunRequest request;
    request.file = world.file("exp.toml");
    request.overrides = {"rounds.count=2", one.label.find("fedavg") != std::string::npos
                                               ? "algorithm.kind=fedavg"
                                               : "algorithm.kind=ifca"};
    request.out = world.file("simulated-" + one.label);
    request.quiet = true;
    run_experiment(request);
    EXPECT_EQ(world.models("served/" + one.label), world.models("simulated-" + one.label));
  }
}

// A table whose last client has one class alone; `classes`: what the others have.
std::string one_sided_table(const std::string& file, const char* other) {
  std::string text = "site,size,y\n";
  for (int i = 0; i < 60; ++i) {
    const char* site = i % 3 == 0 ? "anna" : i % 3 == 1 ? "bert" : "carl";
    text += fmt::format("{},{:.2f},{}\n", site, 0.37 * i - (i % 7), i % 3 != 2 && i % 2 == 0 ? other : "no");
  }
  write_atomically(file, text);
  return "seed = 2\n[data]\nsource = \"csv\"\nfile = \"" + file +
         "\"\nclient = \"site\"\ntarget = \"y\"\n[model]\nkind = \"softmax\"\n[algorithm]\nkind = "
         "\"fedavg\"\n[local]\nrate = 0.1\n[rounds]\ncount = 2\n";
}

TEST(Serve, TakesAClientWhoseRowsAllHaveOneClass) {
  TempFolder folder;
  NetworkWorld world(one_sided_table(folder.file("table.csv"), "yes"));
  simulate(world);
  world.join_all();
  ASSERT_TRUE(world.serve().front().finished);
  EXPECT_EQ(world.models("served"), world.models("simulated"));
}

}  // namespace
}  // namespace coterie::grpc_serve_test
