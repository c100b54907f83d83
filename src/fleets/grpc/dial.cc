#include "fleets/grpc/dial.h"

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

std::unique_ptr<Stream> hold(const std::shared_ptr<grpc::ChannelInterface>& channel,
                             grpc::ClientContext& context) {
  // As generated code does it, but with bytes for messages.
  const grpc::internal::RpcMethod method("/coterie.v1.Federation/Hold",
                                         grpc::internal::RpcMethod::BIDI_STREAMING);
  return std::unique_ptr<Stream>(
      grpc::internal::ClientReaderWriterFactory<Frame, Frame>::Create(channel.get(), method, &context));
}

bool write(Stream& stream, const FromClient& message) { return stream.Write(frame_of(message)); }

bool read(Stream& stream, FromServer& message) {
  Frame frame;
  if (!stream.Read(&frame)) return false;
  if (!parse(frame, message)) throw Error("the server sent what is no message of this protocol");
  return true;
}

grpc::Status finish(Stream& stream) {
  Frame rest;
  while (stream.Read(&rest)) rest.Clear();
  return stream.Finish();
}

}  // namespace coterie::net
