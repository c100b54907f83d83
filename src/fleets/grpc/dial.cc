#include "fleets/grpc/dial.h"

#include "fleets/grpc/frames.h"
#include "fleets/grpc/tls.h"

namespace coterie::net {

std::shared_ptr<grpc::Channel> dial(const std::string& server, const Identity& identity) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLongestMessage);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(server, channel_credentials(identity), arguments);
}

}  // namespace coterie::net
