#include "fleet/wire_fleet.h"

namespace coterie {

WireAsk::WireAsk(Ledger& ledger, Errand& errand, std::span<const ClientId> cohort, const AskName& ask,
                 bool keep)
    : ledger_(ledger), errand_(errand), ask_(ask), keep_(keep) {
  for (const ClientId client : cohort) clients_[client];
  for (std::size_t k = 0; k < errand.shelf().size(); ++k) {
    items_.push_back(errand.shelf().has(k) ? seal_item(errand.shelf()[k], ledger.precision()) : SealedItem());
  }
}

std::vector<ClientId> WireAsk::waiting() const {
  std::vector<ClientId> all;
  for (const auto& [client, pending] : clients_) {
    if (!pending.done) all.push_back(client);
  }
  return all;
}

WireAsk::Pending& WireAsk::pending(ClientId client) {
  Pending& pending = clients_.at(client);
  if (pending.asked) return pending;
  pending.asked = true;
  const Letter letter = errand_.letter(client, ledger_.precision());
  pending.header = ledger_.header(errand_.job(), client, ask_, keep_);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    pending.items.push_back(letter.items.has(k) ? items_[k].name : 0);
  }
  OrderMessage order{pending.header, ledger_.edits_for(client), encode(*letter.note, ledger_.precision()),
                     pending.items};
  pending.order = seal(order, ledger_.precision());
  desk_.down += order_size(pending.header, order.edits, encoded_size(*letter.note, ledger_.precision()),
                           errand_.shelf().only(letter.items), ledger_.precision());
  return pending;
}

const Bytes& WireAsk::order(ClientId client) { return pending(client).order; }
std::vector<ItemName> WireAsk::items_of(ClientId client) { return pending(client).items; }

WireAsk::Arrival WireAsk::arrived(ClientId from, std::span<const std::byte> bytes) {
  const auto own = clients_.find(from);
  if (own == clients_.end() || !own->second.asked || own->second.done) return Arrival::ignored;
  Pending& asked = own->second;
  ReplyMessage reply;
  try {
    reply = open_reply(bytes, ledger_.precision());
  } catch (const MalformedMessage&) {
    return Arrival::damaged;
  }
  const ClientId client = reply.header.client;
  if (client != from || asked.header != reply.header) return Arrival::ignored;
  if (reply.fault.starts_with(kLostState) && asked.header.version != 0) {
    ledger_.lose(client);
    ledger_.report({0, "lost-state", client, reply.fault.substr(0, 500), {}});
    asked = {};
    return Arrival::anew;
  }
  if (!reply.fault.empty()) {
    constexpr std::size_t kMost = 500;  // of a text that somebody else wrote
    give_up(client, reply.fault.substr(0, kMost));
    return Arrival::done;
  }
  asked.done = true;
  asked.order = {};  // nobody needs it any more, and a note may have a model in it
  Outcome outcome;
  try {
    outcome = errand_.fold(client, *errand_.decode(reply.reply, ledger_.precision()), ledger_.precision(), 0);
  } catch (const MalformedMessage& e) {
    outcome.refused = std::string("its reply is malformed: ") + e.what();
  } catch (const Error& e) {
    outcome.refused = e.what();
  }
  desk_.up += reply_size(reply.header, outcome.up, ledger_.precision());
  if (outcome.refused.empty()) {
    desk_.accepted.push_back(client);
  } else {
    desk_.refused.emplace_back(client, outcome.refused);
  }
  return Arrival::done;
}

void WireAsk::give_up(ClientId client, const std::string& reason) {
  clients_.at(client).done = true;
  desk_.refused.emplace_back(client, reason);
}

std::vector<Desk> WireFleet::carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                                   const AskName& ask) {
  errand.open(1);
  WireAsk wire(ledger(), errand, cohort, ask, kind == AskKind::work);
  exchange(wire);
  check(wire.waiting().empty(), "a fleet must deal with every client it was given");
  return {std::move(wire.desk())};
}

}  // namespace coterie
