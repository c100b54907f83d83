#include "fleets/grpc/tls.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/disk.h"

namespace coterie::net {
namespace {

std::string read_one(const std::string& path, bool secret) {
  if (!is_file(path)) {
    throw Error(
        fmt::format("{}: there is no such file; `coterie certs` makes a CA and certificates for a trial, and "
                    "docs/deploy.md says what each file is",
                    path));
  }
  struct stat file {};
  if (secret && stat(path.c_str(), &file) == 0 && (file.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw Error(fmt::format("{}: others can read this key; run: chmod 600 {}", path, path));
  }
  return read_file(path);
}

}  // namespace

KeyFiles read_keys(const Identity& identity) {
  if (identity.certs.empty()) throw Error("--certs DIR is needed, or --insecure on this machine alone");
  const std::string own = identity.certs + "/" + identity.name;
  return {read_one(identity.certs + "/ca.crt", false), read_one(own + ".crt", false),
          read_one(own + ".key", true)};
}

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Identity& identity) {
  const KeyFiles keys = read_keys(identity);
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = keys.ca;
  options.pem_key_cert_pairs.push_back({keys.key, keys.certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const Identity& identity) {
  if (identity.insecure) return grpc::InsecureChannelCredentials();
  const KeyFiles keys = read_keys(identity);
  return grpc::SslCredentials({keys.ca, keys.key, keys.certificate});
}

std::string certified_name(const grpc::AuthContext& context) {
  if (!context.IsPeerAuthenticated()) return "";
  const auto names = context.FindPropertyValues("x509_common_name");
  return names.size() == 1 ? std::string(names.front().data(), names.front().size()) : "";
}

}  // namespace coterie::net
