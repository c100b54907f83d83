// The fleet `scramble`: a network at its worst, to test algorithms and the wire. Every client has a program
// of its own, made from bytes, and two states; nothing else is at its side. Orders and replies are encoded,
// go in random order, and some are lost, cut short, altered, repeated or come late (message.h). The result
// has the same bits as that of `threads`.
#include <algorithm>

#include "fleet/client_host.h"
#include "fleet/fleets.h"
#include "fleet/wire_fleet.h"

namespace coterie {
namespace {

class ScrambleFleet : public WireFleet {
 public:
  explicit ScrambleFleet(const FleetContext& context)
      : WireFleet(context.ledger()), context_(context), hosts_(context.roster.size()) {}

  void save(Archive& a) override {
    ledger().save(a);
    for (ClientId i = 0; i < clients(); ++i) {
      const std::uint32_t version = ledger().header("", i, {}, false).version;
      Bytes state = hosts_[i] ? hosts_[i]->state(i, version) : Bytes();
      a(state);
    }
  }
  void load(Archive& a) override {
    ledger().load(a);
    for (ClientId i = 0; i < clients(); ++i) {
      Bytes state;
      a(state);
      host(i).restore(i, ledger().header("", i, {}, false).version, std::move(state));
    }
  }

 protected:
  void exchange(WireAsk& ask) override {
    Stream chance(1, {Purpose::fault, round(), 0, exchanges_++});
    for (std::vector<ClientId> waiting = ask.waiting(); !waiting.empty(); waiting = ask.waiting()) {
      chance.shuffle(std::span(waiting));
      std::vector<Mail> mail = std::exchange(late_, {});
      for (const ClientId client : waiting) {
        if (chance.bernoulli(0.1)) continue;  // the order is lost
        const int copies = chance.bernoulli(0.1) ? 2 : 1;
        if (chance.bernoulli(0.1)) refuse_damaged(client, ask.order(client), chance);
        for (int c = 0; c < copies; ++c) mail.emplace_back(client, answer(ask, client));
        if (chance.bernoulli(0.1)) remember(ask, client);
      }
      if (old_order_ && chance.bernoulli(0.5)) mail.push_back(answer_old());
      chance.shuffle(std::span(mail));
      for (const Mail& reply : mail) deliver(ask, reply, chance);
    }
  }

 private:
  using Mail = std::pair<ClientId, Bytes>;  // from whom, and the sealed reply

  ClientHost& host(ClientId client) {
    if (!hosts_[client]) {
      hosts_[client] =
          std::make_unique<ClientHost>(std::make_shared<const ClientProgram>(
                                           context_.program_text, context_.agreement_text, context_.life),
                                       context_.shards);
    }
    return *hosts_[client];
  }

  Bytes answer(WireAsk& ask, ClientId client) {
    ClientHost& there = host(client);
    there.forget_items();
    const std::vector<ItemName> wanted = ask.items_of(client);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (wanted[k] != 0) there.take_item(wanted[k], ask.items()[k].bytes);
    }
    return there.answer(ask.order(client));
  }

  // An order that will come again after its ask is over.
  void remember(WireAsk& ask, ClientId client) { old_order_ = {client, ask.order(client)}; }
  Mail answer_old() {
    const auto [client, order] = *std::exchange(old_order_, std::nullopt);
    return {client, host(client).answer(order)};
  }

  static Bytes damage(Bytes bytes, Stream& chance) {
    if (chance.bernoulli(0.5)) {
      bytes.resize(chance.below(bytes.size()));
    } else {
      bytes[chance.below(bytes.size())] ^= std::byte{0x10};
    }
    return bytes;
  }
  void refuse_damaged(ClientId client, const Bytes& order, Stream& chance) {
    try {
      host(client).answer(damage(order, chance));
    } catch (const MalformedMessage&) {
      return;
    }
    check(false, "a client worked on a damaged order");
  }

  void deliver(WireAsk& ask, const Mail& mail, Stream& chance) {
    const auto& [from, reply] = mail;
    if (chance.bernoulli(0.1)) return;  // lost
    if (chance.bernoulli(0.1)) {
      const bool wanted = ask.waits_for(from);
      const WireAsk::Arrival came = ask.arrived(from, damage(reply, chance));
      check(came == WireAsk::Arrival::ignored || (wanted && came == WireAsk::Arrival::damaged),
            "a damaged reply was taken for a whole one");
      check(ask.waits_for(from) == wanted, "a damaged reply ended a client's turn");
      return;
    }
    ask.arrived(from, reply);
    if (chance.bernoulli(0.2)) {
      check(ask.arrived(from, reply) == WireAsk::Arrival::ignored, "a second copy of a reply was taken");
    }
    if (chance.bernoulli(0.1)) late_.push_back(mail);
  }

  FleetContext context_;
  std::vector<std::unique_ptr<ClientHost>> hosts_;  // by client, made when first asked
  std::vector<Mail> late_;                          // replies that come again in a later exchange
  std::optional<std::pair<ClientId, Bytes>> old_order_;
  std::uint32_t exchanges_ = 0;
};

class Scramble : public FleetKind {
 public:
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<ScrambleFleet>(context);
  }
};

const Registration<FleetKind> kScramble{
    "scramble", "for tests: messages are encoded, reordered, lost, damaged and repeated",
    [] { return std::make_unique<Scramble>(); }};

}  // namespace
}  // namespace coterie
