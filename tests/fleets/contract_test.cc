// Every method and every start, its evaluation and its delivery give the same bits on every fleet: on
// threads, over a bad network with a client program made from bytes for each client, and with clients in a
// process that was started afresh and given nothing but bytes.
#include <gtest/gtest.h>

#include "data/formats/safetensors.h"
#include "support/small_session.h"
#include "support/socket_fleet.h"

namespace coterie::fleets_contract_test {
namespace {

const Registration<FleetKind> kSocket{"socket", "for tests: clients in another process",
                                      [] { return std::make_unique<SocketKind>(); }};

class EveryFleet : public EveryAlgorithm {};

// What comes out, and how many bytes of content it took.
std::pair<SmallEnd, Traffic> played(const SmallChoice& choice,
                                    const std::shared_ptr<const Federation>& data) {
  SmallSession run(choice, data);
  run.play(1, 4);
  SmallEnd end(*run);
  run->deliver();
  return {std::move(end), run->fleet().traffic()};
}

TEST_P(EveryFleet, GivesTheSameBitsAndBytes) {
  const auto [one, traffic] = played({GetParam()}, federation);
  for (const char* fleet : {"scramble", "socket"}) {
    const auto [other, bytes] = played({.algorithm = GetParam(), .fleet = fleet}, federation);
    EXPECT_EQ(other, one) << fleet;
    EXPECT_EQ(bytes.up, traffic.up) << fleet;
    EXPECT_EQ(bytes.down, traffic.down) << fleet;
    EXPECT_EQ(bytes.eval, traffic.eval) << fleet;
    EXPECT_EQ(bytes.overhead, traffic.overhead) << fleet;
  }
}

TEST_P(EveryFleet, WithLiarsToo) {
  const std::string attack = "[attack]\nkind = \"sign-flip\"\nfraction = 0.25\n";
  std::optional<SmallEnd> one;
  try {
    one = small_run({GetParam(), attack}, federation);
  } catch (const BadConfig&) {
    return;  // the attack has no meaning for it
  }
  EXPECT_EQ(small_run({.algorithm = GetParam(), .more = attack, .fleet = "scramble"}, federation), *one);
}

INSTANTIATE_TEST_SUITE_P(All, EveryFleet, every_algorithm(), test_name);

class EveryStart : public testing::TestWithParam<std::string> {
 protected:
  EveryStart() {
    const std::vector<Layer> layers = {{.name = "weight", .shape = {1, 4}}};
    for (int k = 0; k < 3; ++k) {
      write_safetensors(folder_.file("cluster-" + std::to_string(k) + ".safetensors"), layers,
                        Vec(4, 0.5 * k), Precision::f64, {});
    }
  }
  std::pair<std::vector<Vec>, std::uint64_t> started(const std::string& fleet,
                                                     const std::string& more) const {
    const std::string text =
        "seed = 7\nprecision = \"double\"\n[data]\nsource = \"mixed-linear\"\nclusters = 3\ndimension = 4\n"
        "[clients]\ncount = 12\nsamples = 20\n[model]\nkind = \"linear\"\nintercept = false\n[local]\nsolver "
        "= \"gd\"\n"
        "[algorithm]\nkind = \"ifca\"\n[fleet]\nkind = \"" +
        fleet + "\"\n[clusters]\ncount = 3\ninit = \"" + GetParam() + "\"\n[clusters.file]\npath = \"" +
        folder_.path() + "\"\n[clusters.given]\nmodels = [[1, 2, 3, 4], [0, 0, 0, 0], [-1, 0, 1, 0]]\n" +
        more;
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

TEST_P(EveryStart, GivesTheSameBitsAndBytes) {
  const auto one = started("threads", "");
  EXPECT_EQ(started("scramble", ""), one);
  EXPECT_EQ(started("socket", ""), one);
}

TEST_P(EveryStart, OfTheOtherKindToo) {
  if (GetParam() != "restarts") return;
  const std::string balance = "[clusters.restarts]\nrule = \"balance\"\n";
  EXPECT_EQ(started("scramble", balance), started("threads", balance));
}

INSTANTIATE_TEST_SUITE_P(All, EveryStart, testing::ValuesIn(Registry<Init>::instance().names()),
                         [](const auto& info) {
                           std::string name;
                           for (char c : info.param) name += c == '+' ? 'p' : c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace coterie::fleets_contract_test
