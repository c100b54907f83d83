// A process that serves clients and knows nothing but the bytes it is given over the socket named by its
// argument: first the program, the agreement and the data; then, again and again, the number of shelf items
// with their names and contents, and an order, which it answers.
#include <cstdlib>
#include <cstring>

#include "fleet/client_host.h"
#include "support/channel.h"
#include "support/packed_samples.h"

namespace coterie {
namespace {

class GivenShards : public Shards {
 public:
  explicit GivenShards(const Channel& server) {
    const auto clients = static_cast<std::size_t>(std::stoul(server.receive_text()));
    for (std::size_t i = 0; i < 3 * clients; ++i) {
      parts_.push_back(std::make_shared<const Samples>(
          decode<PackedSamples>(server.receive().value(), Precision::f64).samples));
    }
  }
  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t) const override {
    return parts_.at(3 * client + static_cast<std::size_t>(part));
  }

 private:
  std::vector<std::shared_ptr<const Samples>> parts_;
};

void serve(const Channel& server) {
  const std::string program = server.receive_text(), agreement = server.receive_text();
  const GivenShards shards(server);
  ClientHost host(std::make_shared<const ClientProgram>(program, agreement), shards);
  while (const auto count = server.receive()) {
    host.forget_items();
    for (std::size_t k = 0; k < count->size(); ++k) {
      const auto name = static_cast<ItemName>(std::stoull(server.receive_text()));
      host.take_item(name, server.receive().value());
    }
    server.send(host.answer(server.receive().value()));
  }
}

}  // namespace
}  // namespace coterie

int main(int, char** arguments) {
  coterie::serve(coterie::Channel(std::atoi(arguments[1])));
  return 0;
}
