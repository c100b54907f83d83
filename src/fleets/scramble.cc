// The fleet `scramble`: a network at its worst, in one process, to test algorithms and the wire. Every order
// and reply is encoded and decoded; clients are asked in random order, and their replies arrive in another;
// some replies are lost, cut short, altered or delivered twice, and then asked for again. The result has the
// same bits as that of `threads`.
#include <algorithm>

#include "fleet/local_fleet.h"

namespace coterie {
namespace {

class ScrambleFleet : public LocalFleet {
 public:
  using LocalFleet::LocalFleet;

 protected:
  std::vector<ClientId> perform(Errand& errand, std::span<const ClientId> cohort, Kind kind,
                                std::uint16_t ask) override {
    check_budget(errand, cohort.size());
    Stream chance(engine_.seed, {Purpose::fault, round_, ask, kind == Kind::work ? 0u : 1u});
    std::vector<Desk> desks(1);
    Desk& desk = desks[0];
    errand.open(1);
    std::vector<ClientId> waiting(cohort.begin(), cohort.end());
    bool first_try = true;
    while (!waiting.empty()) {
      chance.shuffle(std::span(waiting));
      std::vector<Mail> mail;
      for (ClientId client : waiting)
        mail.push_back(send(errand, client, kind, ask, first_try ? &desk : nullptr));
      chance.shuffle(std::span(mail));
      std::vector<ClientId> again;
      for (Mail& one : mail) {
        bool arrived = deliver(errand, one, kind, chance, desk);
        if (!arrived) again.push_back(one.turn.header.client);
        if (arrived && chance.bernoulli(0.2)) deliver(errand, one, kind, chance, desk);  // a second copy
      }
      waiting = std::move(again);
      first_try = false;
    }
    errand.close();
    return settle_accounts(desks, cohort.size(), kind, ask);
  }

 private:
  struct Mail {
    Turn turn;
    ClientView view;  // the client after its work; its state counts once the reply is accepted
    Bytes reply;
    std::string fault;  // why the client could not answer
    bool done = false;  // its reply was dealt with: further copies mean nothing
  };

  const AnyJob& job_at_client(const Errand& errand, const std::string& name) const {
    for (const AnyJob* job : algorithm_.jobs()) {
      if (job->name() == name) return *job;
    }
    check(errand.job().name() == name, "the client half knows no job " + name);
    return errand.job();
  }

  Mail send(Errand& errand, ClientId client, Kind kind, std::uint16_t ask, Desk* count) {
    Turn turn = this->turn(errand, client, kind, ask);
    OrderMessage order{turn.header, turn.edits, errand.note(client, precision()),
                       errand.shelf().only(errand.items(client))};
    Bytes wire = seal(order, precision());
    if (count != nullptr) {
      Size size = order_size(turn.header, turn.edits, errand.note_size(client, precision()), order.shelf,
                             precision());
      check(size.payload + size.overhead == wire.size(), "an order's counted size is not its encoded size");
      count->down.payload += size.payload;
      count->down.overhead += size.overhead;
    }
    OrderMessage arrived = open_order(wire, precision());
    Turn known{arrived.header, arrived.edits};
    Mail mail{known, view(known), {}, {}, false};
    try {
      ReplyMessage reply{
          arrived.header,
          job_at_client(errand, arrived.header.job).run(arrived.shelf, arrived.note, mail.view)};
      mail.reply = seal(reply, precision());
    } catch (const Error& e) {
      mail.fault = e.what();
    }
    return mail;
  }

  // Returns false when the reply did not arrive whole and must be asked for again.
  bool deliver(Errand& errand, Mail& mail, Kind kind, Stream& chance, Desk& desk) {
    ClientId client = mail.turn.header.client;
    if (mail.done) return true;
    if (!mail.fault.empty()) {
      desk.refused.emplace_back(client, mail.fault);
      return mail.done = true;
    }
    if (chance.bernoulli(0.1)) return false;  // lost
    if (chance.bernoulli(0.1)) {
      Bytes damaged = mail.reply;
      if (chance.bernoulli(0.5)) {
        damaged.resize(chance.below(damaged.size()));
      } else {
        damaged[chance.below(damaged.size())] ^= std::byte{0x10};
      }
      check(!arrives(damaged), "a damaged reply was taken for a whole one");
      return false;
    }
    check(arrives(mail.reply), "a whole reply was refused");
    mail.done = true;
    ReplyMessage reply = open_reply(mail.reply, precision());
    check(reply.header == mail.turn.header, "a reply names another ask");
    Outcome outcome = errand.receive(client, reply.reply, precision(), 0);
    Size size = reply_size(reply.header, outcome.up, precision());
    check(size.payload + size.overhead == mail.reply.size(),
          "a reply's counted size is not its encoded size");
    desk.up.payload += size.payload;
    desk.up.overhead += size.overhead;
    if (outcome.refused.empty()) {
      keep(mail.view, kind);
      desk.accepted.push_back(client);
    } else {
      desk.refused.emplace_back(client, outcome.refused);
    }
    return true;
  }

  bool arrives(const Bytes& bytes) const {
    try {
      open_reply(bytes, precision());
      return true;
    } catch (const MalformedMessage&) {
      return false;
    }
  }
};

}  // namespace

std::unique_ptr<Fleet> make_scramble_fleet(const Engine& engine, const Algorithm& algorithm,
                                           const FleetOptions& options, const std::string& folder) {
  return std::make_unique<ScrambleFleet>(engine, algorithm, options, folder);
}

}  // namespace coterie
