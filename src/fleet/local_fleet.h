// What all fleets share whose clients are shards in this process: states, edits, byte counts, quorum.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coterie/algorithm.h"
#include "fleet/fleets.h"
#include "fleet/message.h"
#include "fleet/state_store.h"

namespace coterie {

class LocalFleet : public Fleet {
 public:
  // `algorithm` is asked for its jobs and to bring states up to date; `folder` is where client states live.
  LocalFleet(const Engine& engine, const Algorithm& algorithm, const FleetOptions& options,
             std::string folder);

  std::size_t clients() const override { return engine_.federation.training(); }
  std::size_t samples(ClientId client) const override { return engine_.federation.info(client).train; }
  Precision precision() const override { return engine_.precision; }
  void in_parts(std::size_t parts, const std::function<void(std::size_t)>& work) override;
  void edit(Bytes what) override {
    Fleet::forget();  // the liars: votes that they have seen name clusters by their old numbers
    edits_.push_back({round_, std::move(what)});
  }
  void forget() override;
  void save(Archive& a) override;
  void load(Archive& a) override;

 protected:
  // One turn of one client, as its order names it.
  struct Turn {
    MessageHeader header;
    std::vector<Edit> edits;
  };
  // What a worker has seen; merged in order of client by settle_accounts().
  struct Desk {
    std::vector<ClientId> accepted;
    std::vector<std::pair<ClientId, std::string>> refused;
    Size down;
    Size up;
  };

  // "client 3", or "client 3 (anna)" where it stands for an owner.
  std::string who(ClientId client) const;
  // Refuses an ask whose replies would not fit into the memory budget.
  void check_budget(const Errand& errand, std::size_t asked) const;
  Turn turn(const Errand& errand, ClientId client, Kind kind, std::uint16_t ask) const;
  // The client as it was after its last accepted reply, edits applied.
  ClientView view(const Turn& turn) const;
  // Keeps the state that a client reached, now that its reply was accepted.
  void keep(ClientView& view, Kind kind);
  // Counts bytes, logs what was refused, and enforces the quorum; the latter two after the last part of an
  // ask in parts. Returns who was accepted.
  std::vector<ClientId> settle_accounts(std::vector<Desk>& desks, std::size_t asked, Kind kind,
                                        std::uint16_t ask);

  const Engine& engine_;
  const Algorithm& algorithm_;
  FleetOptions options_;

 private:
  // How an ask went.
  struct Account {
    std::size_t asked = 0;
    std::size_t accepted = 0;
    std::vector<std::pair<ClientId, std::string>> refused;
  };
  void close(Account& account, Kind kind);

  StateStore store_;
  std::vector<std::uint32_t> versions_;  // round of the last accepted reply; 0: never
  std::vector<Edit> edits_;
  std::vector<std::uint32_t> edits_seen_;  // how many of them each client's state has undergone
  std::optional<std::map<std::uint16_t, Account>> open_;  // by number, while asks are made in parts
};

}  // namespace coterie
