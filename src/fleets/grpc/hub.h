// The server's end of the network: who may dial in, who has, and what goes to and from each.
//
// gRPC's threads run the streams (Line); the run's thread asks (GrpcFleet). One mutex is between them: what
// is done under it is short.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "fleet/network.h"
#include "fleet/wire_fleet.h"
#include "fleets/grpc/frames.h"
#include "fleets/grpc/service.h"
#include "fleets/grpc/watch.h"

namespace coterie::net {

class Line;
using Clock = std::chrono::steady_clock;

// What a run has set up with its clients.
struct Rules {
  std::size_t inbox = 32;  // replies in hand at once
  double stall = 60;       // seconds that a reply under way may make no progress
  double largest = 4;      // GB that one reply may take
};

class Hub : public Server {
 public:
  explicit Hub(const ServeRequest& request);
  ~Hub() override;

  int port() const override { return port_; }
  std::vector<Introduction> gather(const Invitation& invitation) override;
  void close(const std::string& why) override;
  void welcome(const Bytes& run) override;
  void say(const std::string& text) override { watch_.say(text); }
  void show(std::size_t round, std::size_t rounds, const std::string& status) override {
    watch_.show(round, rounds, status);
  }

  // --- for the fleet
  // ---------------------------------------------------------------------------------------- From now on
  // clients work by this setup; `names` has them by number. Those that are there are told at once.
  void begin(const Setup& setup, const std::vector<std::string>& names, const Rules& rules);
  void end();

  struct Event {
    enum class Kind { reply, joined, left } kind;
    ClientId client = 0;
    Bytes reply = {};
  };
  // The next thing that happens, or nothing until then.
  std::optional<Event> next(Clock::time_point until);
  // A reply has been dealt with: there is room for another.
  void release();
  // Sends an order, with the items that this client lacks; false when it is not there. `shelf`: the frames of
  // each item, made when they are first needed. A second order of one ask goes out only where `again` says
  // so.
  using Shelved = std::map<ItemName, std::vector<Frame>>;
  bool send(ClientId client, WireAsk& ask, Shelved& shelf, std::uint32_t keep_from, bool again = false);
  // Since when a client is not there; nothing when it is.
  std::optional<Clock::time_point> absent(ClientId client);
  // Names of items that clients may keep: those of this ask and of the one before.
  void new_ask(const WireAsk& ask);
  Watch& watch() { return watch_; }

  // --- for lines, under the lock
  // ----------------------------------------------------------------------------
  std::mutex& lock() { return mutex_; }
  // What is wrong with a hello; "" when nothing is. `final`: there is no use in trying again.
  void came(Line& line) { lines_.insert(&line); }
  std::string refuse(Line& line, const Hello& hello, bool& final);
  void greet(Line& line);
  void send_welcome(Line& line);
  void told(Line& line, Introduction told);
  void arrived(Line& line, Bytes reply);
  bool may_receive(Line& line);
  void gone(Line& line);
  const Rules& rules() const { return rules_; }

 private:
  // Ends streams whose reply is stuck, those that do not say who they are, and those that were revoked.
  void end_bad_lines();  // under the lock
  void look_after_lines();
  void invite(Line& line);
  void tell_over(Line& line);
  void set_up(Line& line);
  void admit_parked();
  void drop_events();
  bool expected(const std::string& name) const;

  ServeRequest request_;
  Watch watch_;
  int port_ = 0;
  std::unique_ptr<Federation::Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Gate> gate_;

  std::mutex mutex_;
  std::condition_variable changed_, ending_;
  std::set<Line*> lines_;                       // all streams
  std::map<std::string, Line*> present_;        // those that have said who they are
  std::map<std::string, Introduction> told_;    // of whoever has joined
  std::map<std::string, Introduction> before_;  // of a run that goes on
  std::map<std::string, Introduction> taken_;   // of those that the run has
  std::map<std::string, Clock::time_point> left_;
  std::optional<Invitation> invitation_;
  std::optional<Setup> setup_;
  std::vector<std::string> names_;  // by number
  std::map<std::string, ClientId> numbers_;
  Rules rules_;
  std::deque<Event> events_;
  std::size_t in_hand_ = 0;                // replies on their way in, or waiting to be folded
  std::deque<Line*> parked_;               // replies that wait for room
  std::set<ItemName> keep_, keep_before_;  // items of this ask, and of the one before
  std::uint64_t ask_ = 0;
  std::vector<std::string> arrivals_;  // names, in the order in which they joined first
  std::string over_;                   // why there is nothing more to do
  std::set<std::string> heard_;        // who was told
  std::vector<Frame> welcome_;         // what newcomers are sent; empty: nothing
  bool closing_ = false;
  std::thread looks_;
};

}  // namespace coterie::net
