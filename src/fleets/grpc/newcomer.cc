#include "fleets/grpc/newcomer.h"

#include <fmt/format.h>

#include "base/plugins.h"
#include "fleets/grpc/addresses.h"
#include "fleets/grpc/dial.h"

namespace coterie::net {

Bytes fetch(const CheckRequest& request) {
  check_loopback(request.server, request.identity);
  const auto channel = dial(request.server, request.identity);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20))) {
    throw Error(fmt::format("{0} is not there; `coterie check {0}` tells which step of the connection fails",
                            request.server));
  }
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = hold(channel, context);
  FromClient hello;
  hello.mutable_hello()->set_protocol(kProtocol);
  hello.mutable_hello()->set_version(engine_version());
  hello.mutable_hello()->set_name(request.identity.name);
  hello.mutable_hello()->set_newcomer(true);
  std::string why;
  Incoming incoming;
  bool whole = false, sane = write(*stream, hello);
  for (FromServer message; sane && read(*stream, message);) {
    if (message.has_refusal()) why = message.refusal().why();
    if (message.has_item()) incoming.expect(message.item().size());
    if (message.has_piece()) sane = incoming.add(message.piece());
    whole = whole || message.has_over();
  }
  if (!sane) context.TryCancel();
  stream->WritesDone();
  const grpc::Status status = finish(*stream);
  if (!why.empty()) throw Error(why);
  if (!whole || !sane || !incoming.whole())
    throw Error(fmt::format("{}: the line broke: {}", request.server, status.error_message()));
  return incoming.take();
}

}  // namespace coterie::net
