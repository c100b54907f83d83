// Clients that answer late, twice, with an old answer, or never to an end: each costs its own turn alone, and
// what the others said counts once.
#include <gtest/gtest.h>

#include "grpc/puppet.h"

namespace coterie::grpc_faults_test {
namespace {

constexpr const char* kConfig =
    "seed = 4\n[data]\nsource = \"digits\"\ntest_share = 0\n[clients]\ncount = 3\npartition = "
    "\"iid\"\nsamples = 60\n"
    "[model]\nkind = \"softmax\"\n[algorithm]\nkind = \"fedavg\"\n[local]\nrate = 0.1\nbatch = 16\n"
    "[rounds]\ncount = 3\n[checkpoint]\nevery = 1\n";

using Settings = std::vector<std::string>;

class Faults : public testing::Test {
 protected:
  // Two clients as they should be, and the third.
  bool serve_with(const Settings& settings, const std::function<Act(int)>& script, int late = 0) {
    world.join(world.join_request("client-0"));
    world.join(world.join_request("client-1"));
    Puppet third(world, "client-2", script, std::chrono::milliseconds(late));
    const bool finished = world.serve(settings).front().finished;
    refusal = third.refusal();
    orders = third.orders();
    return finished;
  }
  std::string simulated() const {
    RunRequest request;
    request.file = world.file("exp.toml");
    request.out = world.file("simulated");
    request.quiet = true;
    run_experiment(request);
    return world.models("simulated");
  }
  std::string served() const { return world.models("served"); }
  std::string events() const { return read_file(world.file("served/events.jsonl")); }
  bool log_has(const std::string& text) const { return world.log().find(text) != std::string::npos; }

  NetworkWorld world{kConfig};
  std::string refusal;
  int orders = 0;
};

std::function<Act(int)> once(int order, Act act) {
  return [=](int k) { return k == order ? act : Act::answer; };
}

TEST_F(Faults, WhoeverWorksAsItShouldGivesTheBitsOfTheSimulator) {
  EXPECT_TRUE(serve_with({}, once(-1, Act::answer)));
  EXPECT_EQ(served(), simulated());
}

TEST_F(Faults, AnAnswerThatIsReplayedDoesNotCount) {
  EXPECT_TRUE(serve_with({"fleet.deadline=2"}, [](int k) { return k == 0 ? Act::answer : Act::replay; }));
  EXPECT_NE(events().find("no answer within 2 s"), std::string::npos) << events();
  EXPECT_NE(served(), simulated()) << "client 2 was left out";
}

TEST_F(Faults, ASecondAnswerEndsTheStreamAndDoesNotCount) {
  EXPECT_TRUE(serve_with({"fleet.absent=0"}, once(0, Act::twice)));
  EXPECT_EQ(refusal, "a reply to no order");
}

TEST_F(Faults, AReplyThatDoesNotGoOnEndsTheStream) {
  EXPECT_TRUE(serve_with({"fleet.absent=0", "fleet.stall=1"}, once(1, Act::half)));
  EXPECT_TRUE(log_has("its reply has not moved for 1 s")) << world.log();
}

TEST_F(Faults, WaitsForMoreBelowTheQuorum) {
  EXPECT_TRUE(serve_with({"fleet.quorum=1", "fleet.deadline=1"}, once(0, Act::late), 2500));
  EXPECT_EQ(served(), simulated());
  EXPECT_TRUE(log_has("waiting for more")) << world.log();
}

TEST_F(Faults, RepeatsAnAskBelowTheQuorum) {
  EXPECT_TRUE(serve_with({"fleet.quorum=1", "fleet.deadline=1", "fleet.below=repeat"}, once(0, Act::ignore)));
  EXPECT_EQ(served(), simulated());
  EXPECT_TRUE(log_has("asking the others again")) << world.log();
}

TEST_F(Faults, StopsBelowTheQuorumAndGoesOnLater) {
  const Settings settings = {"fleet.quorum=1", "fleet.deadline=2", "fleet.below=stop"};
  EXPECT_THROW(serve_with(settings, [](int k) { return k < 3 ? Act::answer : Act::ignore; }), BelowQuorum);
  EXPECT_NE(events().find("no answer within 2 s"), std::string::npos) << events();
  world.join(world.join_request("client-2"));
  EXPECT_TRUE(world.serve(settings, true).front().finished);
  EXPECT_EQ(served(), simulated());
}

}  // namespace
}  // namespace coterie::grpc_faults_test
