// The commands that need a network: an add-on brings them, and the program only parses their arguments.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/elsewhere.h"

namespace coterie {

// Where a side's certificates are: DIR/ca.crt, DIR/NAME.crt, DIR/NAME.key, and at the server DIR/revoked.
struct Identity {
  std::string certs;      // the folder; "": none, with `insecure`
  std::string name;       // "server" by default
  bool insecure = false;  // plaintext, and clients are who they say: on loopback only, unless forced
  bool anywhere = false;
};

struct ServeRequest {
  std::string listen;  // HOST:PORT; port 0: any
  Identity identity;
  std::string metrics;  // HOST:PORT of a page for Prometheus; "": none
  std::string log;      // a file with a line of JSON for each event; "": none
  double wait = 0;      // seconds to wait for those of a run that goes on; then it goes on without
  bool quiet = false;
};

struct JoinRequest {
  std::string server;
  Identity identity;
  std::string policy;   // a TOML file; "": everything is allowed
  std::string out;      // where what was learnt is put; "": nowhere
  std::string state;    // where the client's state lives; "": in memory
  double patience = 0;  // seconds without a server before it gives up; 0: never
  bool quiet = false;
  // Reads the client's own file as the server's config says; throws Error when it cannot be read so.
  std::function<std::unique_ptr<OwnData>(const std::string& reading)> open;
  std::function<bool()> stopped;  // whether the program was asked to stop
};

struct CertsRequest {
  std::string folder;
  std::vector<std::string> servers;  // names and addresses of the server, as clients will dial it
  std::vector<std::string> clients;
  std::vector<std::string> revoke;  // clients whose certificates count no longer
  std::int64_t days = 365;
};

struct CheckRequest {
  std::string server;
  Identity identity;
};

// A server that listens until it is destroyed.
class Server : public Elsewhere {
 public:
  virtual int port() const = 0;
  // Tells every client that there is nothing more to do, and waits until they have heard it.
  virtual void close(const std::string& why) = 0;
  // From now on newcomers are sent this (src/use/welcome.h).
  virtual void welcome(const Bytes& run) = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  virtual std::unique_ptr<Server> serve(const ServeRequest& request) const = 0;
  // Returns when the run is over; false when it was asked to stop before.
  virtual bool join(const JoinRequest& request) const = 0;
  // Returns what was made, one line each.
  virtual std::vector<std::string> make_certs(const CertsRequest& request) const = 0;
  // What a server welcomes newcomers with. Throws Error when it has nothing, or is not there.
  virtual Bytes fetch(const CheckRequest& request) const = 0;
  // One line for each step of a connection, and whether all went well.
  virtual bool check(const CheckRequest& request,
                     const std::function<void(const std::string&)>& say) const = 0;
};

// Loads the add-on; throws BadConfig that names the packages and `make grpc` where it is not built.
std::unique_ptr<Network> load_network(const std::string& command);

}  // namespace coterie
