// What the commands of the program call.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "coterie/registry.h"
#include "fleets/grpc/certs.h"
#include "fleets/grpc/check.h"
#include "fleets/grpc/hub.h"
#include "fleets/grpc/join.h"
#include "fleets/grpc/newcomer.h"

namespace coterie {
namespace {

class GrpcNetwork : public Network {
 public:
  // gRPC writes of every handshake that fails, and protobuf of every text that is none; what matters of it
  // goes to the log and to whoever is refused.
  GrpcNetwork() {
    setenv("GRPC_VERBOSITY", "NONE", 0);
    google::protobuf::SetLogHandler(nullptr);
  }
  std::unique_ptr<Server> serve(const ServeRequest& request) const override {
    return std::make_unique<net::Hub>(request);
  }
  bool join(const JoinRequest& request) const override { return net::join(request); }
  std::vector<std::string> make_certs(const CertsRequest& request) const override {
    return net::make_certs(request);
  }
  Bytes fetch(const CheckRequest& request) const override { return net::fetch(request); }
  bool check(const CheckRequest& request, const std::function<void(const std::string&)>& say) const override {
    return net::check_server(request, say);
  }
};

const Registration<Network> kNetwork{"grpc", "gRPC with mutual TLS",
                                     [] { return std::make_unique<GrpcNetwork>(); }};

}  // namespace
}  // namespace coterie
