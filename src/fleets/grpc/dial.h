// How a client reaches a server.
#pragma once

#include <grpcpp/grpcpp.h>

#include "fleet/network.h"
#include "fleets/grpc/frames.h"
#include "fleets/grpc/service.h"

namespace coterie::net {

// A new connection each time, with no back-off of its own.
std::shared_ptr<grpc::Channel> dial(const std::string& server, const Identity& identity);

// A stream of the service, whose messages are parsed here: gRPC takes one that it cannot parse for the end of
// the stream, and then waits for the true end, which a server may never send.
using Stream = grpc::ClientReaderWriter<Frame, Frame>;
std::unique_ptr<Stream> hold(const std::shared_ptr<grpc::ChannelInterface>& channel,
                             grpc::ClientContext& context);
bool write(Stream& stream, const FromClient& message);
// False at the end. Throws Error when what came is no message of the protocol.
bool read(Stream& stream, FromServer& message);
// Reads on to the end, whatever comes.
grpc::Status finish(Stream& stream);

}  // namespace coterie::net
