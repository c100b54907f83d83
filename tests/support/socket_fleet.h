// A fleet whose clients live in a process of their own, started afresh, at the other end of a socket pair.
// All that a new way to carry bytes takes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include "fleet/fleets.h"
#include "fleet/wire_fleet.h"
#include "support/channel.h"
#include "support/packed_samples.h"

namespace coterie {

class SocketFleet : public WireFleet {
 public:
  explicit SocketFleet(const FleetContext& context) : WireFleet(context.ledger()) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw Error("no socket pair");
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      const std::string there = std::to_string(ends[1]);
      execl(COTERIE_CLIENT_PROCESS, COTERIE_CLIENT_PROCESS, there.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    clients_ = std::make_unique<Channel>(ends[0]);
    clients_->send(context.program_text);
    clients_->send(context.agreement_text);
    clients_->send(std::to_string(context.roster.size()));
    for (ClientId i = 0; i < context.roster.size(); ++i) {
      for (const Part part : {Part::train, Part::validation, Part::test}) {
        PackedSamples packed{*context.shards.samples(i, part, 0)};
        clients_->send(encode(packed, Precision::f64));
      }
    }
  }
  ~SocketFleet() override {
    clients_.reset();
    waitpid(process_, nullptr, 0);
  }

  void save(Archive& a) override { ledger().save(a); }
  void load(Archive& a) override { ledger().load(a); }

 protected:
  void exchange(WireAsk& ask) override {
    for (const ClientId client : ask.waiting()) {
      const std::vector<ItemName> names = ask.items_of(client);
      const auto sent = names.size() - static_cast<std::size_t>(std::count(names.begin(), names.end(), 0u));
      clients_->send(Bytes(sent));
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k] == 0) continue;
        clients_->send(std::to_string(names[k]));
        clients_->send(ask.items()[k].bytes);
      }
      clients_->send(ask.order(client));
      const auto reply = clients_->receive();
      if (!reply) throw Error("the process of the clients has ended");
      ask.arrived(client, *reply);
    }
  }

 private:
  pid_t process_ = 0;
  std::unique_ptr<Channel> clients_;
};

class SocketKind : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<SocketFleet>(context);
  }
};

}  // namespace coterie
