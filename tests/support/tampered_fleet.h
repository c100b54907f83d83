// The fleet `tampered`: replies can be altered on their way, to test what a server refuses.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "coterie/registry.h"
#include "fleet/client_host.h"
#include "fleet/fleets.h"
#include "fleet/wire_fleet.h"

namespace coterie {

class TamperedFleet : public WireFleet {
 public:
  // Called with the client, the job and the encoded reply, which it may change.
  using Tamper = std::function<void(ClientId, const std::string&, Bytes&)>;
  static inline Tamper tamper;

  explicit TamperedFleet(const FleetContext& context)
      : WireFleet(context.ledger()), host_(context.program, context.shards) {}
  void save(Archive& a) override { ledger().save(a); }
  void load(Archive& a) override { ledger().load(a); }

 protected:
  void exchange(WireAsk& ask) override {
    for (const ClientId client : ask.waiting()) {
      host_.forget_items();
      const std::vector<ItemName> wanted = ask.items_of(client);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (wanted[k] != 0) host_.take_item(wanted[k], ask.items()[k].bytes);
      }
      ReplyMessage reply = open_reply(host_.answer(ask.order(client)), precision());
      if (tamper && reply.fault.empty()) tamper(client, reply.header.job, reply.reply);
      ask.arrived(client, seal(reply, precision()));
    }
  }

 private:
  ClientHost host_;
};

class Tampered : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<TamperedFleet>(context);
  }
};

inline const Registration<FleetKind> kTampered{"tampered", "for tests: replies can be altered on their way",
                                               [] { return std::make_unique<Tampered>(); }};

// Alters replies while it lives. Reply lists the fields of the job's own.
template <class Reply>
class Tampering {
 public:
  Tampering(ClientId liar, std::string job, std::function<void(Reply&)> lie) {
    TamperedFleet::tamper = [liar, job = std::move(job), lie = std::move(lie)](
                                ClientId client, const std::string& name, Bytes& bytes) {
      if (client != liar || name != job) return;
      Reply reply = decode<Reply>(bytes, Precision::f64);
      lie(reply);
      bytes = encode(reply, Precision::f64);
    };
  }
  ~Tampering() { TamperedFleet::tamper = nullptr; }
  Tampering(const Tampering&) = delete;
  Tampering& operator=(const Tampering&) = delete;
};

}  // namespace coterie
