// A server that stays tells newcomers their clusters, and learns nothing of their data.
#include <fmt/format.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include "grpc/world.h"
#include "use/use.h"

namespace coterie::grpc_newcomers_test {
namespace {

// Sites where y goes with x, and sites where it goes against it.
std::string rows_of(const std::string& site, bool turned, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const double x = 0.31 * ((i * 7) % 23) - 3.4;
    text += fmt::format("{},{:.2f},{}\n", site, x, (x > 0) != turned ? "yes" : "no");
  }
  return text;
}

class Newcomers : public testing::Test {
 protected:
  static std::string config(const std::string& file) {
    std::string text = "site,x,y\n";
    for (const char* site : {"anna", "bert", "carl", "dora"})
      text += rows_of(site, site[0] == 'c' || site[0] == 'd', 40);
    write_atomically(file, text);
    return "seed = 2\n[data]\nsource = \"csv\"\nfile = \"" + file +
           "\"\nclient = \"site\"\ntarget = \"y\"\n[model]\nkind = \"softmax\"\n[clusters]\ncount = "
           "2\ninit = \"restarts\"\n[algorithm]\nkind = \"ifca\"\n[local]\nrate = 0.5\nepochs = "
           "5\n[rounds]\ncount = 10\n";
  }
  void SetUp() override {
    CertsRequest certs;
    certs.folder = world.file("certs");
    certs.clients = {"newcomer"};
    world.network->make_certs(certs);
    world.join_all();
    ASSERT_TRUE(world.serve().front().finished);
    write_atomically(world.file("new.csv"),
                     "site,x,y\n" + rows_of("eve", true, 30) + rows_of("fay", false, 30));
  }
  CheckRequest to_server(const std::string& name) const {
    return {"127.0.0.1:" + std::to_string(world.port), world.identity(name)};
  }

  TempFolder folder_;
  NetworkWorld world{config(folder_.file("table.csv"))};
};

TEST_F(Newcomers, FindTheirClustersAsTheFolderOfTheRunPutsThem) {
  const std::unique_ptr<Server> server = world.network->serve(world.serve_request());
  EXPECT_THROW(world.network->fetch(to_server("newcomer")), Error) << "nothing is finished yet";
  server->welcome(welcome_of(world.file("served")));
  const Bytes welcome = world.network->fetch(to_server("newcomer"));
  const UseRequest rows{world.file("served"), world.file("new.csv"), {}};
  const UseResult there = assign_newcomers(welcome, rows), here = assign_clients(rows);
  EXPECT_EQ(there.table, here.table);
  EXPECT_NE(there.table.find("settled"), std::string::npos);
  const std::string known(reinterpret_cast<const char*>(welcome.data()), welcome.size());
  for (const char* site : {"anna", "bert", "carl", "dora"})
    EXPECT_EQ(known.find(site), std::string::npos) << "a newcomer is told of " << site;
}

TEST_F(Newcomers, NeedACertificateThatCounts) {
  const std::unique_ptr<Server> server = world.network->serve(world.serve_request());
  server->welcome(welcome_of(world.file("served")));
  CertsRequest revoke;
  revoke.folder = world.file("certs");
  revoke.revoke = {"newcomer"};
  world.network->make_certs(revoke);
  EXPECT_THROW(world.network->fetch(to_server("newcomer")), Error);
}

TEST_F(Newcomers, AreToldWhatIsWrongWithAWelcome) {
  const Bytes welcome = welcome_of(world.file("served"));
  const UseRequest rows{"", world.file("new.csv"), {}};
  for (std::size_t at = 0; at < welcome.size(); at += 1 + welcome.size() / 97) {
    const Bytes cut(welcome.begin(), welcome.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_THROW(assign_newcomers(cut, rows), Error) << at;
    Bytes damaged = welcome;
    damaged[at] ^= std::byte{0x55};
    try {
      assign_newcomers(damaged, rows);  // a number of a model may be any
    } catch (const Error&) {
    }
  }
}

// gRPC's own health service, asked as a load balancer does.
TEST(Health, IsServing) {
  NetworkWorld world(
      "seed = 1\n[data]\nsource = \"digits\"\ntest_share = 0\n[clients]\ncount = 2\npartition = "
      "\"iid\"\nsamples = 20\n[model]\nkind = \"softmax\"\n[algorithm]\nkind = \"fedavg\"\n",
      false);
  const std::unique_ptr<Server> server = world.network->serve(world.serve_request());
  grpc::GenericStub stub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(server->port()), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  grpc::CompletionQueue queue;
  const grpc::ByteBuffer nothing(nullptr, 0);
  const auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", nothing, &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  ASSERT_TRUE(status.ok()) << status.error_message();
  grpc::Slice slice;
  ASSERT_TRUE(answer.DumpToSingleSlice(&slice).ok());
  EXPECT_EQ(std::string(slice.begin(), slice.end()), "\x08\x01") << "status = SERVING";
}

}  // namespace
}  // namespace coterie::grpc_newcomers_test
