// How a client reaches a server.
#pragma once

#include <grpcpp/grpcpp.h>

#include "fleet/network.h"

namespace coterie::net {

// A new connection each time, with no back-off of its own.
std::shared_ptr<grpc::Channel> dial(const std::string& server, const Identity& identity);

}  // namespace coterie::net
