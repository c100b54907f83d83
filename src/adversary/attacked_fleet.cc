#include "adversary/attacked_fleet.h"

#include "fleet/errand.h"
#include "fleet/ledger.h"

namespace coterie {
namespace {

// What would arrive is shown to the liars before it is folded.
class LyingErrand : public Errand {
 public:
  LyingErrand(const Errand& honest, Liars& liars) : Errand(honest), liars_(liars) {}

  Outcome fold(ClientId client, Message& reply, Precision precision, unsigned worker) override {
    show(client, reply, precision);
    return Errand::fold(client, reply, precision, worker);
  }
  std::vector<Outcome> fold_block(std::span<const ClientId> clients,
                                  std::vector<std::unique_ptr<Message>>& replies, Precision precision,
                                  unsigned worker) override {
    for (std::size_t i = 0; i < clients.size(); ++i) show(clients[i], *replies[i], precision);
    return Errand::fold_block(clients, replies, precision, worker);
  }

  void merge(Peers& peers) override {
    Errand::merge(peers);
    liars_.merge(peers);
  }

 protected:
  void show(ClientId client, Message& reply, Precision precision) {
    Archive::rounder(precision)(reply);
    liars_.meet(client, [&](FieldVisitor& visitor) { Archive::show(visitor)(reply); });
  }

  Liars& liars_;
};

// The same, and nothing is folded.
class Rehearsal : public LyingErrand {
 public:
  using LyingErrand::LyingErrand;
  void open(unsigned) override {}
  Outcome fold(ClientId client, Message& reply, Precision precision, unsigned) override {
    show(client, reply, precision);
    return {};
  }
  std::vector<Outcome> fold_block(std::span<const ClientId> clients,
                                  std::vector<std::unique_ptr<Message>>& replies, Precision precision,
                                  unsigned) override {
    for (std::size_t i = 0; i < clients.size(); ++i) show(clients[i], *replies[i], precision);
    return std::vector<Outcome>(clients.size());
  }
  void merge(Peers& peers) override { liars_.merge(peers); }
};

}  // namespace

AttackedFleet::AttackedFleet(std::unique_ptr<Fleet> inner, std::unique_ptr<Liars> liars)
    : Fleet(ledger_of(*inner)), inner_(std::move(inner)), liars_(std::move(liars)) {}

std::vector<Desk> AttackedFleet::carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                                       const AskName& ask) {
  if (kind != AskKind::work) return carry_by(*inner_, errand, cohort, kind, ask);
  const std::vector<ClientId> first = liars_->begin(errand, cohort, ask, precision());
  if (!first.empty()) {
    Rehearsal rehearsal(errand, *liars_);
    carry_by(*inner_, rehearsal, first, AskKind::rehearse, ask);
    liars_->agree(cohort);
  }
  LyingErrand lying(errand, *liars_);
  return carry_by(*inner_, lying, cohort, kind, ask);
}

void AttackedFleet::spread(std::size_t count, const std::function<void(std::size_t)>& work) {
  inner_->spread(count, work);
}

// Votes that liars have seen name clusters by their old numbers.
void AttackedFleet::edit(Bytes what) {
  liars_->forget();
  Fleet::edit(std::move(what));
}

void AttackedFleet::forget() {
  liars_->forget();
  Fleet::forget();
}

void AttackedFleet::save(Archive& a) {
  inner_->save(a);
  a(*liars_);
}

void AttackedFleet::load(Archive& a) {
  inner_->load(a);
  a(*liars_);
}

}  // namespace coterie
