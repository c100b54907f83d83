// The skeleton of a fleet: how bytes get to the clients and back. Here they are at the other end of a
// function call; put a network in its place. Copy it to src/fleets/NAME.cc and change the name "skeleton".
#include "fleet/client_host.h"
#include "fleet/fleets.h"
#include "fleet/wire_fleet.h"

namespace coterie {
namespace {

class NearFleet : public WireFleet {
 public:
  explicit NearFleet(const FleetContext& context)
      : WireFleet(context.ledger()), there_(context.program, context.shards) {}

  // What the server must keep in order to go on; the clients keep their own states.
  void save(Archive& a) override { ledger().save(a); }
  void load(Archive& a) override { ledger().load(a); }

 protected:
  void exchange(WireAsk& ask) override {
    for (const auto& [name, bytes] : ask.items()) {
      if (name != 0) there_.take_item(name, bytes);
    }
    for (const auto client : ask.waiting()) {
      // The order goes out; the reply, or whatever becomes of it, comes back.
      if (ask.arrived(client, there_.answer(ask.order(client))) != WireAsk::Arrival::done) {
        ask.give_up(client, "its reply did not arrive");
      }
    }
    there_.forget_items();
  }

 private:
  ClientHost there_;
};

class Near : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<NearFleet>(context);
  }
};

const Registration<FleetKind> kNear{"skeleton", "clients at the other end of a function call",
                                    [] { return std::make_unique<Near>(); }};

}  // namespace
}  // namespace coterie
