// What fleets share whose clients are reached by bytes alone. Such a fleet says how bytes go there and back
// (exchange); what is in them, who has answered, and what becomes of each answer is decided here.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fleet/errand.h"
#include "fleet/ledger.h"
#include "fleet/message.h"

namespace coterie {

// One ask, as a carrier of bytes sees it.
class WireAsk {
 public:
  // `keep`: the work may change the clients' states.
  WireAsk(Ledger& ledger, Errand& errand, std::span<const ClientId> cohort, const AskName& ask, bool keep);

  // Who has not been dealt with yet, ascending.
  std::vector<ClientId> waiting() const;
  bool waits_for(ClientId client) const {
    const auto found = clients_.find(client);
    return found != clients_.end() && !found->second.done;
  }
  std::size_t asked() const { return clients_.size(); }
  std::size_t accepted() const { return desk_.accepted.size(); }
  const std::string& job() const { return errand_.job(); }
  // The shelf, each item encoded once. An order names those that its client needs.
  const std::vector<SealedItem>& items() const { return items_; }
  // The sealed order for a client: the same bytes however often it is asked for.
  const Bytes& order(ClientId client);
  std::vector<ItemName> items_of(ClientId client);

  enum class Arrival {
    done,     // the client has been dealt with: its reply was folded, or left out with a reason
    damaged,  // it did not arrive whole: ask again
    anew,     // the client has lost its state: ask again, and it begins anew
    ignored,  // it is late, or a second copy; damaged or not
  };
  // What came from a client. A reply that names another client is ignored: nobody answers for somebody else.
  Arrival arrived(ClientId from, std::span<const std::byte> reply);
  // Gives up on a client.
  void give_up(ClientId client, const std::string& reason);

  Desk& desk() { return desk_; }

 private:
  struct Pending {
    MessageHeader header;
    Bytes order;
    std::vector<ItemName> items;
    bool asked = false;
    bool done = false;
  };
  Pending& pending(ClientId client);

  Ledger& ledger_;
  Errand& errand_;
  AskName ask_;
  bool keep_;
  std::vector<SealedItem> items_;
  std::map<ClientId, Pending> clients_;
  Desk desk_;
};

class WireFleet : public Fleet {
 public:
  using Fleet::Fleet;

 protected:
  // Carries orders and replies until nobody is waiting.
  virtual void exchange(WireAsk& ask) = 0;

 private:
  std::vector<Desk> carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                          const AskName& ask) final;
};

}  // namespace coterie
