// Every method and every start, its evaluation and its delivery give the same bits over a real network as on
// threads: a server on port 0, and each client a thread that dials in and has a program made from bytes.
#include <gtest/gtest.h>

#include "base/add_ons.h"
#include "data/formats/safetensors.h"
#include "support/small_session.h"

namespace coterie::grpc_contract_test {
namespace {

class OverANetwork : public EveryAlgorithm {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(load_add_on_of("grpc"), "");
    EveryAlgorithm::SetUpTestSuite();
  }
};

std::pair<SmallEnd, Traffic> played(const SmallChoice& choice,
                                    const std::shared_ptr<const Federation>& data) {
  SmallSession run(choice, data);
  run.play(1, 4);
  SmallEnd end(*run);
  run->deliver();
  return {std::move(end), run->fleet().traffic()};
}

TEST_P(OverANetwork, GivesTheSameBitsAndBytes) {
  const auto [one, traffic] = played({GetParam()}, federation);
  const auto [other, bytes] = played({.algorithm = GetParam(), .fleet = "grpc"}, federation);
  EXPECT_EQ(other, one);
  EXPECT_EQ(bytes.up, traffic.up);
  EXPECT_EQ(bytes.down, traffic.down);
  EXPECT_EQ(bytes.eval, traffic.eval);
  EXPECT_EQ(bytes.overhead, traffic.overhead);
}

TEST_P(OverANetwork, GoesOnWhereItStopped) {
  EXPECT_EQ(resumed_run({.algorithm = GetParam(), .fleet = "grpc"}, federation),
            small_run({GetParam()}, federation));
}

INSTANTIATE_TEST_SUITE_P(All, OverANetwork, every_algorithm(), test_name);

class StartsOverANetwork : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(load_add_on_of("grpc"), ""); }
  StartsOverANetwork() {
    const std::vector<Layer> layers = {{.name = "weight", .shape = {1, 4}}};
    for (int k = 0; k < 3; ++k) {
      write_safetensors(folder_.file("cluster-" + std::to_string(k) + ".safetensors"), layers,
                        Vec(4, 0.5 * k), Precision::f64, {});
    }
  }
  std::pair<std::vector<Vec>, std::uint64_t> started(const std::string& fleet) const {
    const std::string text =
        "seed = 7\nprecision = \"double\"\n[data]\nsource = \"mixed-linear\"\nclusters = 3\ndimension = 4\n"
        "[clients]\ncount = 12\nsamples = 20\n[model]\nkind = \"linear\"\nintercept = false\n[local]\nsolver "
        "= \"gd\"\n[algorithm]\nkind = \"ifca\"\n[fleet]\nkind = \"" +
        fleet + "\"\n[clusters]\ncount = 3\ninit = \"" + GetParam() + "\"\n[clusters.file]\npath = \"" +
        folder_.path() + "\"\n[clusters.given]\nmodels = [[1, 2, 3, 4], [0, 0, 0, 0], [-1, 0, 1, 0]]\n";
    Problems problems;
    const Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    Session session(config, "", 2, "");
    session.start();
    session.round(1);
    const Traffic& traffic = session.fleet().traffic();
    return {session.algorithm().offer().models, traffic.up + traffic.down};
  }
  TempFolder folder_;
};

TEST_P(StartsOverANetwork, GiveTheSameBitsAndBytes) { EXPECT_EQ(started("grpc"), started("threads")); }

INSTANTIATE_TEST_SUITE_P(All, StartsOverANetwork, testing::ValuesIn(Registry<Init>::instance().names()),
                         [](const auto& info) {
                           std::string name;
                           for (char c : info.param) name += c == '+' ? 'p' : c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace coterie::grpc_contract_test
