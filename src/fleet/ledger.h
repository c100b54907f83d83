// The books that every fleet must keep, whatever carries its messages: which round and ask it is, bytes,
// refusals and the quorum, events, the memory budget, edits, and which version of its state each client is
// known to have.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coterie/fleet.h"
#include "coterie/source.h"
#include "fleet/message.h"

namespace coterie {

class Ledger {
 public:
  struct Limits {
    double quorum = 0.5;  // share of those asked whose replies must be usable
    double memory = 4;    // GB that the replies of an ask may take
  };
  Ledger(const Roster& roster, Precision precision, std::uint64_t run, const Limits& limits);

  const Roster& roster() const { return roster_; }
  Precision precision() const { return precision_; }
  const Limits& limits() const { return limits_; }

  // --- where the run is -----------------------------------------------------------------------------------
  std::uint32_t round() const { return round_; }
  void begin_round(std::uint32_t round, Purpose purpose, std::uint16_t first_ask);
  // The name of the next ask of the round.
  AskName next_ask() {
    ++asks_;
    ++serial_;
    return {purpose_, round_, ask_++};
  }
  AskName evaluation() {
    ++serial_;
    return {Purpose::evaluate, round_, 0};
  }

  // --- one ask --------------------------------------------------------------------------------------------
  // Refuses an ask whose replies would not fit into the memory budget.
  void check_budget(std::uint64_t bytes_each, std::size_t asked) const;
  // The order's header for one client; `keep`: the work may change the client's state.
  MessageHeader header(const std::string& job, ClientId client, const AskName& ask, bool keep) const;
  // The edits that the client's state has not undergone.
  std::vector<Edit> edits_for(ClientId client) const;

  // Of work that clients keep (`training`), the state that an accepted client made becomes the one that
  // counts. Counts bytes, logs what was refused, and enforces the quorum; the latter two after the last turn
  // of an ask in turns. Returns who was accepted, ascending.
  std::vector<ClientId> close_ask(std::vector<Desk>& desks, std::size_t asked, bool training,
                                  std::uint16_t ask);
  void in_turns(std::size_t turns, const std::function<void(std::size_t)>& work);

  // --- the rest -------------------------------------------------------------------------------------------
  void edit(Bytes what) { edits_.push_back({round_, std::move(what)}); }
  // No client has a state any more.
  void forget();
  // A client no longer has the state that counts: it begins anew.
  void lose(ClientId client) { standings_.at(client) = {}; }
  void report(Event event);
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  Traffic& traffic() { return traffic_; }
  void save(Archive& a) { a(asks_, serial_, standings_, edits_); }
  void load(Archive& a);

 private:
  // What the server knows of a client's state.
  struct Standing {
    std::uint32_t version = 0;  // of the state that counts (message.h); 0: none, the client begins anew
    std::uint32_t edits = 0;    // how many of the edits that state has undergone
    void fields(Archive& a) { a(version, edits); }
  };
  // How an ask went.
  struct Account {
    std::size_t asked = 0;
    std::size_t accepted = 0;
    std::vector<std::pair<ClientId, std::string>> refused;
  };
  void accept(ClientId client);
  void close(Account& account, bool training);
  // "client 3", or "client 3 (anna)" where it stands for an owner.
  std::string who(ClientId client) const;

  const Roster& roster_;
  Precision precision_;
  std::uint64_t run_;
  Limits limits_;
  std::uint32_t round_ = 0;
  Purpose purpose_ = Purpose::work;
  std::uint16_t ask_ = 0;
  std::uint32_t asks_ = 0;  // for work, since the run began
  std::uint32_t serial_ = 0;
  Traffic traffic_;
  std::vector<Event> events_;
  std::vector<Standing> standings_;  // of training clients
  std::vector<Edit> edits_;
  std::optional<std::map<std::uint16_t, Account>> open_;  // by number, while asks are made in turns
};

}  // namespace coterie
