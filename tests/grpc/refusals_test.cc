// Who must not take part does not, is told why, and the run goes on without noticing.
#include <coterie.grpc.pb.h>
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "base/plugins.h"
#include "grpc/world.h"

namespace coterie::grpc_refusals_test {
namespace {

constexpr const char* kConfig =
    "seed = 4\n[data]\nsource = \"digits\"\ntest_share = 0\n[clients]\ncount = 3\npartition = "
    "\"iid\"\nsamples = 60\n"
    "[model]\nkind = \"softmax\"\n[algorithm]\nkind = \"fedavg\"\n[local]\nrate = 0.1\nbatch = 16\n"
    "[rounds]\ncount = 3\n";

// A stream of the test's own making, with the certificate of `name`, if any.
class Stranger {
 public:
  Stranger(const NetworkWorld& world, const std::string& folder, const std::string& name) {
    grpc::SslCredentialsOptions keys;
    keys.pem_root_certs = read_file(world.file("certs/ca.crt"));
    if (!name.empty()) {
      keys.pem_cert_chain = read_file(folder + "/" + name + ".crt");
      keys.pem_private_key = read_file(folder + "/" + name + ".key");
    }
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(world.port), grpc::SslCredentials(keys));
    stub_ = v1::Federation::NewStub(channel_);
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    stream_ = stub_->Hold(&context_);
  }
  ~Stranger() { context_.TryCancel(); }
  void hello(const std::string& name = "", bool visit = false, std::uint32_t protocol = 1) {
    v1::FromClient message;
    message.mutable_hello()->set_protocol(protocol);
    message.mutable_hello()->set_version(engine_version());
    message.mutable_hello()->set_name(name);
    message.mutable_hello()->set_visit(visit);
    stream_->Write(message);
  }
  void write(const v1::FromClient& message) { stream_->Write(message); }
  // What the server says last: a refusal's text, "gone" when it hangs up without one.
  std::string refusal() {
    v1::FromServer message;
    while (stream_->Read(&message)) {
      if (message.has_refusal()) return message.refusal().why();
      if (message.has_reading()) name = message.reading().name();
      if (message.has_over()) return message.over().why();
    }
    return "gone: " + stream_->Finish().error_message();
  }
  // Whether the server lets it in.
  bool read_reading() {
    v1::FromServer message;
    if (!stream_->Read(&message)) return false;
    name = message.reading().name();
    return message.has_reading();
  }
  std::string name;  // whom the server took it for

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Federation::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::FromClient, v1::FromServer>> stream_;
};

// A server that waits for its clients; `meanwhile` runs before the last of them joins. The run must then
// finish.
void run_with(NetworkWorld& world, const std::function<void()>& meanwhile) {
  std::thread server([&] { EXPECT_TRUE(world.serve().front().finished); });
  while (world.port == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::vector<std::string> names = world.names();
  for (std::size_t i = 0; i + 1 < names.size(); ++i) world.join(world.join_request(names[i]));
  const auto both_joined = [&] {
    const std::string log = world.log();
    return log.find("\"joined\", \"client\": \"client-0\"") != std::string::npos &&
           log.find("\"joined\", \"client\": \"client-1\"") != std::string::npos;
  };
  while (!both_joined()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  meanwhile();
  world.join(world.join_request(names.back()));
  server.join();
}

TEST(Refusals, ACertificateOfAnotherAuthority) {
  NetworkWorld world(kConfig);
  CertsRequest foreign;
  foreign.folder = world.file("foreign");
  foreign.clients = {"client-2"};
  world.network->make_certs(foreign);
  run_with(world, [&] {
    Stranger stranger(world, world.file("foreign"), "client-2");
    stranger.hello();
    EXPECT_TRUE(stranger.refusal().starts_with("gone")) << "the connection itself fails";
  });
}

TEST(Refusals, NoCertificate) {
  NetworkWorld world(kConfig);
  run_with(world, [&] {
    Stranger stranger(world, "", "");
    stranger.hello("client-2");
    EXPECT_TRUE(stranger.refusal().starts_with("gone"));
  });
}

TEST(Refusals, AnExpiredCertificate) {
  NetworkWorld world(kConfig);
  CertsRequest old;
  old.folder = world.file("certs");
  old.clients = {"expired"};
  old.days = 0;
  world.network->make_certs(old);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  run_with(world, [&] {
    Stranger stranger(world, world.file("certs"), "expired");
    stranger.hello();
    EXPECT_TRUE(stranger.refusal().starts_with("gone"));
  });
}

TEST(Refusals, ACertificateThatWasRevokedWhileTheServerRuns) {
  NetworkWorld world(kConfig);
  CertsRequest more;
  more.folder = world.file("certs");
  more.clients = {"mallory"};
  world.network->make_certs(more);
  run_with(world, [&] {
    {
      Stranger visitor(world, world.file("certs"), "mallory");
      visitor.hello("", true);
      EXPECT_EQ(visitor.refusal(), "welcome, mallory");
    }
    CertsRequest revoke;
    revoke.folder = world.file("certs");
    revoke.revoke = {"mallory"};
    world.network->make_certs(revoke);
    Stranger stranger(world, world.file("certs"), "mallory");
    stranger.hello("", true);
    EXPECT_NE(stranger.refusal().find("revoked"), std::string::npos);
  });
}

TEST(Refusals, AClientThatIsNotNamed) {
  NetworkWorld world(kConfig);
  CertsRequest more;
  more.folder = world.file("certs");
  more.clients = {"mallory"};
  world.network->make_certs(more);
  run_with(world, [&] {
    Stranger stranger(world, world.file("certs"), "mallory");
    stranger.hello("client-2");  // what it says of itself does not count
    EXPECT_NE(stranger.refusal().find("\"mallory\" is none of the clients"), std::string::npos);
  });
}

TEST(Refusals, ASecondLogin) {
  NetworkWorld world(kConfig);
  run_with(world, [&] {
    Stranger stranger(world, world.file("certs"), "client-0");
    stranger.hello();
    EXPECT_NE(stranger.refusal().find("connected already"), std::string::npos);
  });
}

TEST(Refusals, AnotherProtocol) {
  NetworkWorld world(kConfig);
  run_with(world, [&] {
    Stranger stranger(world, world.file("certs"), "client-2");
    stranger.hello("", false, 77);
    EXPECT_NE(stranger.refusal().find("protocol 77"), std::string::npos);
  });
}

TEST(Refusals, MessagesOutOfTurn) {
  NetworkWorld world(kConfig);
  run_with(world, [&] {
    v1::FromClient reply, piece, told;
    reply.mutable_reply()->set_size(10);
    piece.set_piece("bytes");
    told.set_told("\xff\xff\xff\xff\xff\xff\xff\xff");
    for (const v1::FromClient& message : {reply, piece, told, v1::FromClient()}) {
      Stranger stranger(world, world.file("certs"), "client-2");
      stranger.hello();
      ASSERT_TRUE(stranger.read_reading());
      EXPECT_EQ(stranger.name, "client-2");
      stranger.write(message);
      EXPECT_FALSE(stranger.refusal().starts_with("gone"));
      // The server has let go of the name when its stream is over.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
}

TEST(Refusals, AClientWithAnotherSchema) {
  NetworkWorld world(kConfig);
  run_with(world, [&] {
    Stranger stranger(world, world.file("certs"), "client-2");
    stranger.hello();
    ASSERT_TRUE(stranger.read_reading());
    Introduction other{"", {Task::classification, 9, 10, 3, 3, 1}, 50, 0, 10, 1, {}, std::nullopt};
    const Bytes bytes = encode(other, Precision::f64);
    v1::FromClient message;
    message.set_told(bytes.data(), bytes.size());
    stranger.write(message);
    EXPECT_NE(stranger.refusal().find("all must have the same form"), std::string::npos);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  });
}

TEST(Refusals, AMessageThatIsTooLong) {
  NetworkWorld world(kConfig);
  run_with(world, [&] {
    Stranger stranger(world, world.file("certs"), "client-2");
    stranger.hello();
    ASSERT_TRUE(stranger.read_reading());
    v1::FromClient message;
    message.set_told(std::string(3 << 20, 'x'));
    stranger.write(message);
    EXPECT_TRUE(stranger.refusal().starts_with("gone"));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  });
}

TEST(Refusals, APolicyHasTheLastWord) {
  NetworkWorld world(kConfig);
  write_atomically(world.file("policy.toml"), "methods = [\"local\"]\n");
  std::thread server([&] {
    const auto outcomes = world.serve({"fleet.absent=0", "fleet.deadline=5"});
    EXPECT_TRUE(outcomes.front().finished);
  });
  const std::vector<std::string> names = world.names();
  world.join(world.join_request(names[0]));
  world.join(world.join_request(names[1]));
  JoinRequest careful = world.join_request(names[2]);
  careful.policy = world.file("policy.toml");
  NetworkWorld::Joined& one = world.join(careful);
  server.join();
  while (one.error.empty() && !one.over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(one.error.find("does not allow the method \"fedavg\""), std::string::npos) << one.error;
  EXPECT_NE(read_file(world.file("served/events.jsonl")).find("left out client 2"), std::string::npos);
}

TEST(Refusals, OtherJobsThanAPolicyAllowsAreNotDone) {
  NetworkWorld world(kConfig);
  write_atomically(world.file("policy.toml"), "labels = false\nlosses = false\n");
  std::thread server([&] { EXPECT_TRUE(world.serve().front().finished); });
  for (const std::string& name : world.names()) {
    JoinRequest careful = world.join_request(name);
    if (name == "client-1") careful.policy = world.file("policy.toml");
    world.join(careful);
  }
  server.join();
  const std::string events = read_file(world.file("served/events.jsonl"));
  EXPECT_NE(events.find("does not allow losses to be told"), std::string::npos) << events;
}

TEST(Refusals, AClientThatDialsTooOften) {
  NetworkWorld world(kConfig);
  CertsRequest more;
  more.folder = world.file("certs");
  more.clients = {"mallory"};
  world.network->make_certs(more);
  run_with(world, [&] {
    std::string last;
    for (int i = 0; i < 200 && last.find("too often") == std::string::npos; ++i) {
      Stranger stranger(world, world.file("certs"), "mallory");
      stranger.hello("", true);
      last = stranger.refusal();
    }
    EXPECT_NE(last.find("it dials too often"), std::string::npos) << last;
  });
}

TEST(Refusals, PlainTextOnOtherAddressesThanLoopback) {
  const std::unique_ptr<Network> network = load_network("a test");
  ServeRequest request;
  request.listen = "0.0.0.0:0";
  request.identity.insecure = true;
  request.quiet = true;
  EXPECT_THROW(network->serve(request), Error);
}

}  // namespace
}  // namespace coterie::grpc_refusals_test
