// A federation of four clients with little data, and runs of any method on it whose messages go through the
// hands of whoever wants to see or to forge them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fleet/client_host.h"
#include "fleet/wire_fleet.h"
#include "run/session.h"

namespace coterie::fuzz {

// The config of a run of two rounds; throws Error when no method has this name.
Config small_config(const std::string& algorithm);
// The data, made once.
std::shared_ptr<const Federation> small_federation();

// Brings the sealed order for a client of an ask to its host, and the sealed reply back.
using Carry = std::function<Bytes(ClientHost& host, WireAsk& ask, ClientId client)>;

class WiredRun {
 public:
  WiredRun(const std::string& algorithm, Carry carry);
  Session& operator*() { return *session_; }
  Session* operator->() { return session_.get(); }

 private:
  Config config_;
  std::unique_ptr<Session> session_;
};

// The same bytes with the checksum that belongs to them at their end.
Bytes with_checksum(std::span<const std::byte> body);

}  // namespace coterie::fuzz
