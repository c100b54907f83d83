// Addresses as people write them: "host:port", "[::1]:7070".
#pragma once

#include <string>
#include <utility>

#include "fleet/network.h"

namespace coterie::net {

// Throws Error when it is no address with a port.
std::pair<std::string, std::string> host_and_port(const std::string& address);
bool is_loopback(const std::string& host);
// Plaintext is for one machine: throws Error when `identity` is insecure and the address leaves it.
void check_loopback(const std::string& address, const Identity& identity);

}  // namespace coterie::net
