#include <fmt/format.h>

#include "fleets/grpc/client.h"

namespace coterie::net {
namespace {

// One client of a federation in this process.
class Share : public OwnData {
 public:
  Share(const FleetContext& context, ClientId self) : shards_(context.shards) {
    const ClientInfo info = context.roster.info(self);
    told_.shape = context.roster.shape();
    told_.train = info.train;
    told_.validation = info.validation;
    told_.test = info.test;
  }
  Introduction told() const override { return told_; }
  void agree(ClientId, const Agreement&, const std::vector<std::string>&) override {}
  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override {
    return shards_.samples(client, part, round);
  }

 private:
  const Shards& shards_;
  Introduction told_;
};

ServeRequest on_this_machine() {
  ServeRequest request;
  request.listen = "127.0.0.1:0";
  request.identity.insecure = true;
  request.quiet = true;
  return request;
}

}  // namespace

std::string Trial::name_of(ClientId client) { return fmt::format("client-{:09}", client); }

Trial::Trial(const FleetContext& context) : hub_(std::make_unique<Hub>(on_this_machine())) {
  const std::size_t count = context.roster.size();
  const std::string address = fmt::format("127.0.0.1:{}", hub_->port());
  for (ClientId i = 0; i < count; ++i) {
    const std::string states =
        context.folder.empty() ? "" : fmt::format("{}/states-{}.bin", context.folder, i);
    clients_.push_back(std::make_unique<Client>(
        name_of(i),
        [&context = context, i](const std::string&) { return std::make_unique<Share>(context, i); }, states,
        conduct_));
  }
  for (auto& client : clients_) {
    threads_.emplace_back([&one = *client, address] {
      grpc::ChannelArguments arguments;
      arguments.SetMaxReceiveMessageSize(kLongestMessage);
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
      const auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
      std::string why;
      // A connection may fail where many are made at once.
      while (one.hold(channel, why) == Client::End::broken)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
  }
  Invitation invitation;
  invitation.count = count;
  hub_->gather(invitation);
}

Trial::~Trial() {
  for (auto& client : clients_) client->stop();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace coterie::net
