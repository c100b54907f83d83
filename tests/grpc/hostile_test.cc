// Peers that send whatever the protocol can say, in any order and with any content: the other side may end
// the stream, and lives on. COTERIE_HOSTILE_SECONDS sets how long (3).
#include <coterie.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/plugins.h"
#include "coterie/registry.h"
#include "fleet/client_program.h"
#include "fleet/joined_roster.h"
#include "fleet/message.h"
#include "grpc/world.h"
#include "run/meeting.h"

namespace coterie::grpc_hostile_test {
namespace {

constexpr const char* kConfig =
    "seed = 4\n[data]\nsource = \"digits\"\ntest_share = 0\n[clients]\ncount = 3\npartition = "
    "\"iid\"\nsamples = 60\n"
    "[model]\nkind = \"softmax\"\n[algorithm]\nkind = \"fedavg\"\n[local]\nrate = 0.1\nbatch = 16\n"
    "[rounds]\ncount = 3\n";

double seconds_to_go_on() {
  const char* text = std::getenv("COTERIE_HOSTILE_SECONDS");
  return text == nullptr ? 3.0 : std::atof(text);
}

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
  // Small numbers, large ones, and those at the edges.
  std::uint64_t number() {
    constexpr std::uint64_t kEdges[] = {0, 1, 255, 1 << 20, ~std::uint32_t{0}, ~std::uint64_t{0}};
    return below(3) == 0 ? kEdges[below(std::size(kEdges))] : below(2000);
  }
  std::string bytes(std::size_t most) {
    std::string text(below(most + 1), '\0');
    for (char& c : text) c = static_cast<char>(below(256));
    return text;
  }
  // As it was, cut, longer, or with a byte changed.
  std::string altered(std::string text) {
    switch (below(4)) {
      case 0:
        return text;
      case 1:
        return text.substr(0, below(text.size() + 1));
      case 2:
        return text + bytes(20);
      default:
        if (!text.empty()) text[below(text.size())] ^= static_cast<char>(1 << below(8));
        return text;
    }
  }

 private:
  std::mt19937 engine_;
};

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

v1::FromClient message_of_a_client(Chance& chance) {
  v1::FromClient message;
  switch (chance.below(5)) {
    case 0: {
      v1::Hello& hello = *message.mutable_hello();
      hello.set_protocol(chance.below(8) == 0 ? static_cast<std::uint32_t>(chance.number()) : 1);
      hello.set_version(chance.below(8) == 0 ? chance.bytes(40) : engine_version());
      hello.set_name(chance.below(2) == 0 ? "client-2" : chance.bytes(30));
      hello.set_run(chance.number());
      for (std::size_t k = chance.below(4); k > 0; --k) hello.add_items(chance.number());
      hello.set_visit(chance.below(8) == 0);
      hello.set_newcomer(chance.below(8) == 0);
      break;
    }
    case 1: {
      Introduction told{"x",
                        {Task::classification, 64, 10, 8, 8, 1},
                        static_cast<std::uint32_t>(chance.number()),
                        static_cast<std::uint32_t>(chance.number()),
                        static_cast<std::uint32_t>(chance.number()),
                        chance.number(),
                        {},
                        std::nullopt};
      message.set_told(chance.altered(text_of(encode(told, Precision::f64))));
      break;
    }
    case 2:
      message.mutable_reply()->set_size(chance.number());
      message.mutable_reply()->set_first(chance.bytes(300));
      break;
    case 3:
      message.set_piece(chance.bytes(2000));
      break;
    default:
      break;
  }
  return message;
}

// In plain text, so that thousands of streams go through in a second. The name is the run's third client,
// whose place is left free; what others say in its name can at most keep it out for a while.
TEST(Hostile, ClientsDoNotHarmTheServer) {
  NetworkWorld world(kConfig, false);
  std::thread server([&] { EXPECT_TRUE(world.serve().front().finished); });
  while (world.port == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  world.join(world.join_request("client-0"));
  world.join(world.join_request("client-1"));
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_to_go_on());
  const auto channel =
      grpc::CreateChannel("127.0.0.1:" + std::to_string(world.port), grpc::InsecureChannelCredentials());
  const auto stub = v1::Federation::NewStub(channel);
  unsigned streams = 0;
  for (; std::chrono::steady_clock::now() < until; ++streams) {
    Chance chance(streams);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
    const auto stream = stub->Hold(&context);
    // Whoever is called as a client of the run may not stay, or the run would begin with it.
    for (std::size_t k = 1 + chance.below(6); k > 0; --k) {
      v1::FromClient message = message_of_a_client(chance);
      if (message.has_hello() && message.hello().name() == "client-2")
        message.mutable_hello()->set_name("mallory");
      if (message.has_told()) message.set_told(chance.bytes(60));
      if (!stream->Write(message)) break;
    }
    if (chance.below(2) == 0) stream->WritesDone();
    context.TryCancel();
    v1::FromServer rest;
    while (stream->Read(&rest)) {
    }
    stream->Finish();
  }
  EXPECT_GT(streams, 10u);
  world.join(world.join_request("client-2"));
  server.join();
}

class HostileServer : public v1::Federation::Service {
 public:
  HostileServer() {
    Problems problems;
    const Config config = read_config(
        parse_toml("seed = 4\n[data]\nsource = \"csv\"\nfile = \"own\"\ntarget = \"y\"\nstandardise = "
                   "\"none\"\n[clients]\ncount = 2\n[model]\nkind = \"softmax\"\n[algorithm]\nkind = "
                   "\"fedavg\"\n[local]\nrate = 0.1\n",
                   "test"),
        "test", problems);
    problems.raise_if_any();
    reading_ = reading_text(config);
    program_ = config.text();
  }
  // What the client that is to be deceived has.
  void know(const Introduction& told) {
    Introduction named = told;
    named.name = "victim";
    const JoinedRoster roster({named}, 0);
    agreement_ = Agreement::of(roster, false).text();
    run_ = ClientProgram(program_, agreement_).run();
    classes_ = roster.classes();
  }
  std::string reading() const { return reading_; }

  grpc::Status Hold(grpc::ServerContext*,
                    grpc::ServerReaderWriter<v1::FromServer, v1::FromClient>* stream) override {
    Chance chance(streams++);
    v1::FromClient told;
    stream->Read(&told);
    // Most begin as they should, so that what follows is looked at.
    std::vector<v1::FromServer> messages;
    if (chance.below(8) != 0) messages.push_back(reading_message(chance));
    if (chance.below(4) != 0) messages.push_back(setup_message(chance));
    for (std::size_t k = chance.below(12); k > 0; --k) add_messages(chance, messages);
    for (const v1::FromServer& one : messages) {
      if (!stream->Write(one)) break;
    }
    return grpc::Status::OK;
  }

  std::atomic<unsigned> streams{0};

 private:
  v1::FromServer reading_message(Chance& chance) const {
    v1::FromServer message;
    message.mutable_reading()->set_text(chance.below(4) == 0 ? chance.altered(reading_) : reading_);
    message.mutable_reading()->set_name("victim");
    return message;
  }
  v1::FromServer setup_message(Chance& chance) const {
    v1::FromServer message;
    v1::Setup& setup = *message.mutable_setup();
    const bool sound = chance.below(3) != 0;
    setup.set_run(sound ? run_ : chance.number());
    setup.set_life(sound ? 0 : chance.number());
    setup.set_client(static_cast<std::uint32_t>(chance.below(3)));
    setup.set_program(sound ? program_ : chance.altered(program_));
    setup.set_agreement(sound ? agreement_ : chance.altered(agreement_));
    for (const std::string& one : classes_) setup.add_classes(sound ? one : chance.altered(one));
    setup.set_draft(chance.below(4) == 0);
    return message;
  }
  void add_messages(Chance& chance, std::vector<v1::FromServer>& messages) const {
    v1::FromServer message, piece;
    std::string content;
    switch (chance.below(7)) {
      case 0:
        return messages.push_back(reading_message(chance));
      case 1:
        return messages.push_back(setup_message(chance));
      case 2: {  // a model, or nearly
        content = chance.altered(text_of(encode(kModel, Precision::f32)));
        message.mutable_item()->set_name(chance.below(3));
        message.mutable_item()->set_size(chance.below(4) == 0 ? chance.number() : content.size());
        break;
      }
      case 3: {
        OrderMessage order;
        order.header.run = run_;
        order.header.job = chance.below(4) == 0 ? chance.bytes(10) : "train";
        order.header.client = static_cast<ClientId>(chance.below(3));
        order.header.next = static_cast<std::uint32_t>(chance.below(3));
        content = chance.altered(text_of(seal(order, Precision::f32)));
        message.mutable_order()->set_size(chance.below(4) == 0 ? chance.number() : content.size());
        message.mutable_order()->set_keep_from(static_cast<std::uint32_t>(chance.number()));
        message.mutable_order()->add_forget(chance.below(3));
        break;
      }
      case 4:
        message.set_piece(chance.bytes(500));
        return messages.push_back(message);
      case 5:
        message.mutable_refusal()->set_why(chance.bytes(100));
        message.mutable_refusal()->set_final(chance.below(2) == 0);
        return messages.push_back(message);
      default:
        message.mutable_over()->set_why(chance.bytes(100));
        if (chance.below(2) == 0) message.clear_what();
        return messages.push_back(message);
    }
    piece.set_piece(content);
    messages.push_back(message);
    messages.push_back(piece);
  }

  mutable Numbers kModel{Room<float>(6, 0.5f)};
  std::string reading_, program_, agreement_;
  std::uint64_t run_ = 0;
  std::vector<std::string> classes_;
};

TEST(Hostile, ServersDoNotHarmAClient) {
  TempFolder folder;
  const std::string file = folder.file("own.csv");
  write_atomically(file, "a,b,y\n1,2,no\n3,4,yes\n5,6,no\n7,8,yes\n9,1,no\n");
  HostileServer service;
  const auto open = [&](const std::string& reading) { return open_own_data(reading, {file, std::nullopt}); };
  service.know(open(service.reading())->told());
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);

  const std::unique_ptr<Network> network = load_network("a test");
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_to_go_on());
  std::size_t ends = 0, refusals = 0;
  for (; std::chrono::steady_clock::now() < until; ++ends) {
    JoinRequest request;
    request.server = "127.0.0.1:" + std::to_string(port);
    request.identity = {"", "victim", true, false};
    request.quiet = true;
    request.patience = 1e-6;  // one stream each
    request.out = folder.file("out");
    request.state = folder.file("state");
    request.open = open;
    request.stopped = [] { return false; };
    try {
      network->join(request);
    } catch (const Error& e) {
      ++refusals;
      EXPECT_STRNE(e.what(), "");
    }
  }
  EXPECT_GT(ends, 5u);
  EXPECT_GT(refusals, 0u);
  server->Shutdown();
  // Nothing that a server says makes a client write elsewhere than where it was told to.
  for (const std::string& one : names_in(folder.path()))
    EXPECT_TRUE(one == "own.csv" || one == "out" || one == "state") << one;
}

}  // namespace
}  // namespace coterie::grpc_hostile_test
