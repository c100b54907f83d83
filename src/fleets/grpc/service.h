// The service: hands each stream that dials in to the hub, once the gate has let it through.
#pragma once

#include <coterie.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include "fleet/network.h"

namespace coterie::net {

using v1::Federation;
using v1::FromClient;
using v1::FromServer;
using v1::Hello;
using v1::Item;
using v1::Order;
using v1::Over;
using v1::Reading;
using v1::Refusal;
using v1::Reply;
using v1::Setup;

class Hub;

// Who may come in: certificates, those that were revoked, and how often each may dial.
class Gate {
 public:
  explicit Gate(const Identity& identity);
  std::shared_ptr<grpc::ServerCredentials> credentials() const;
  // The name in the certificate of a stream; "" without certificates. Throws Error when it may not come in,
  // TooOften when it may later.
  std::string let_in(const grpc::ServerContextBase& context);
  struct TooOften : Error {
    using Error::Error;
  };
  // Whether a name was revoked since.
  bool revoked(const std::string& name);

 private:
  void read_revoked();
  void count(const std::string& name);

  Identity identity_;
  std::string list_;  // the file of those that are revoked
  std::mutex mutex_;
  std::int64_t read_at_ = -1;  // the file's time of change, when it was read
  std::int64_t unread_ = -1;   // and when it could not be
  std::set<std::string> revoked_;
  // How many streams each name has dialled lately: one is forgotten every second.
  std::map<std::string, std::pair<double, std::chrono::steady_clock::time_point>> dialled_;
};

std::unique_ptr<Federation::Service> make_service(Hub& hub, Gate& gate);

}  // namespace coterie::net
