#include "fleets/grpc/addresses.h"

#include <fmt/format.h>

#include "base/text.h"

namespace coterie::net {

std::pair<std::string, std::string> host_and_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const bool two = colon != std::string::npos && address.find(':') != colon && address.front() != '[';
  const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos && std::stoi(port) <= 65535;
  if (colon == 0 || two || !digits)
    throw Error(fmt::format("{} is no address; write HOST:PORT, such as 0.0.0.0:7070", in_quotes(address)));
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {host, port};
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void check_loopback(const std::string& address, const Identity& identity) {
  const auto [host, port] = host_and_port(address);
  if (!identity.insecure || identity.anywhere || is_loopback(host)) return;
  throw Error(fmt::format(
      "--insecure sends everything in plain text and lets anybody in, so it is for this machine alone "
      "(127.0.0.1), not for {}; use --certs, or --insecure-anywhere in a network that you trust",
      host));
}

}  // namespace coterie::net
