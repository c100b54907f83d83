// The fleet `threads`: clients are shards in this process, worked on by all cores.
#include "fleet/own_clients.h"

namespace coterie {
namespace {

class ThreadsFleet : public Fleet {
 public:
  explicit ThreadsFleet(const FleetContext& context) : Fleet(context.ledger()), clients_(context) {}

  void spread(std::size_t count, const std::function<void(std::size_t)>& work) override {
    clients_.spread(count, work);
  }
  void save(Archive& a) override {
    ledger().save(a);
    clients_.states().save(a);
  }
  void load(Archive& a) override {
    ledger().load(a);
    clients_.states().load(a);
  }

 protected:
  std::vector<Desk> carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                          const AskName& name) override {
    return clients_.carry(ledger(), errand, cohort, kind == AskKind::work, name);
  }

 private:
  OwnClients clients_;
};

class Threads : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<ThreadsFleet>(context);
  }
};

const Registration<FleetKind> kThreads{"threads",
                                       "clients are shards in this process, worked on by all cores",
                                       [] { return std::make_unique<Threads>(); }};

}  // namespace
}  // namespace coterie
