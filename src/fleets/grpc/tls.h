// Mutual TLS: both sides show a certificate of the federation's own CA.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include "fleet/network.h"

namespace coterie::net {

// The three files of an identity; throws Error that says which is missing or can be read by others.
struct KeyFiles {
  std::string ca, certificate, key;  // as PEM
};
KeyFiles read_keys(const Identity& identity);

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Identity& identity);
std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const Identity& identity);
// The common name of the certificate at the other end; "" when there is none.
std::string certified_name(const grpc::AuthContext& context);

}  // namespace coterie::net
