#include "fleet/local_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace coterie {

LocalFleet::LocalFleet(const Engine& engine, const Algorithm& algorithm, const FleetOptions& options,
                       std::string folder)
    : engine_(engine),
      algorithm_(algorithm),
      options_(options),
      store_(engine.federation.training(), std::move(folder)),
      versions_(engine.federation.training(), 0),
      edits_seen_(engine.federation.training(), 0) {
  memory_ = options.memory;
}

void LocalFleet::check_budget(const Errand& errand, std::size_t asked) const {
  double gigabytes = static_cast<double>(errand.bytes_each()) * static_cast<double>(asked) / 1e9;
  if (gigabytes > memory_) {
    throw Error(
        fmt::format("round {}: keeping the replies of {} needs {:.2f} GB, more than fleet.memory = {} GB; "
                    "ask fewer clients a round (rounds.cohort) or raise the budget",
                    round_, counted(asked, "client"), gigabytes, memory_));
  }
}

std::string LocalFleet::who(ClientId client) const {
  const std::string name = engine_.federation.name(client);
  return fmt::format("client {}{}", client, name.empty() ? "" : " (" + name + ")");
}

LocalFleet::Turn LocalFleet::turn(const Errand& errand, ClientId client, Kind kind, std::uint16_t ask) const {
  Turn turn;
  bool trains = client < versions_.size();
  turn.header = {errand.job().name(),
                 round_,
                 ask,
                 kind == Kind::evaluate ? Purpose::evaluate : purpose_,
                 client,
                 trains ? versions_[client] : 0};
  if (trains) turn.edits.assign(edits_.begin() + edits_seen_[client], edits_.end());
  return turn;
}

ClientView LocalFleet::view(const Turn& turn) const {
  ClientId client = turn.header.client;
  AskName name{turn.header.purpose, turn.header.round, turn.header.ask};
  ClientView view(engine_, client, name, client < versions_.size() ? store_.get(client) : Bytes());
  for (const Edit& edit : turn.edits) algorithm_.apply(edit, view);
  return view;
}

void LocalFleet::keep(ClientView& view, Kind kind) {
  if (kind != Kind::work) return;
  store_.put(view.id(), view.final_state());
  versions_[view.id()] = round_;
  edits_seen_[view.id()] = static_cast<std::uint32_t>(edits_.size());
}

void LocalFleet::in_parts(std::size_t parts, const std::function<void(std::size_t)>& work) {
  check(!open_, "parts of parts");
  open_.emplace();
  try {
    Fleet::in_parts(parts, work);
  } catch (...) {
    open_.reset();
    throw;
  }
  auto accounts = std::move(*open_);
  open_.reset();
  for (auto& [ask, account] : accounts) close(account, Kind::work);
}

std::vector<ClientId> LocalFleet::settle_accounts(std::vector<Desk>& desks, std::size_t asked, Kind kind,
                                                  std::uint16_t ask) {
  std::vector<ClientId> accepted;
  if (kind == Kind::rehearse) return accepted;
  Account alone;
  Account& account = open_ && kind == Kind::work ? (*open_)[ask] : alone;
  for (Desk& desk : desks) {
    accepted.insert(accepted.end(), desk.accepted.begin(), desk.accepted.end());
    account.refused.insert(account.refused.end(), desk.refused.begin(), desk.refused.end());
    if (kind == Kind::work) {
      traffic_.down += desk.down.payload;
      traffic_.up += desk.up.payload;
    } else {
      traffic_.eval += desk.down.payload + desk.up.payload;
    }
    traffic_.overhead += desk.down.overhead + desk.up.overhead;
  }
  std::sort(accepted.begin(), accepted.end());
  account.asked += asked;
  account.accepted += accepted.size();
  if (&account == &alone) close(account, kind);
  return accepted;
}

void LocalFleet::close(Account& account, Kind kind) {
  std::sort(account.refused.begin(), account.refused.end());
  for (auto& [client, reason] : account.refused) {
    report(
        {round_,
         "rejected",
         client,
         fmt::format("left out {}: {}; {} of {} used", who(client), reason, account.accepted, account.asked),
         {}});
  }
  const double needed = std::ceil(options_.quorum * static_cast<double>(account.asked) - 1e-9);
  if (kind == Kind::work && static_cast<double>(account.accepted) < needed) {
    const auto& [client, reason] = account.refused.front();
    bool diverged =
        reason.find("not finite") != std::string::npos || reason.find("aggregate.limit") != std::string::npos;
    throw BelowQuorum(fmt::format(
        "round {}: only {} of {} gave a usable reply, fewer than fleet.quorum = {} asks for; the "
        "first reason: {}: {}{}",
        round_, account.accepted, counted(account.asked, "client"), options_.quorum, who(client), reason,
        diverged ? "; training has diverged? lower local.rate. Liars are left out? lower fleet.quorum" : ""));
  }
}

void LocalFleet::forget() {
  Fleet::forget();
  for (std::size_t i = 0; i < versions_.size(); ++i) store_.put(static_cast<ClientId>(i), {});
  versions_.assign(versions_.size(), 0);
  edits_.clear();
  edits_seen_.assign(edits_seen_.size(), 0);
}

void LocalFleet::save(Archive& a) {
  a(versions_, edits_, edits_seen_);
  store_.save(a);
}

void LocalFleet::load(Archive& a) {
  a(versions_, edits_, edits_seen_);
  if (versions_.size() != engine_.federation.training() || edits_seen_.size() != versions_.size()) {
    throw Error("the checkpoint is of a federation with " + std::to_string(versions_.size()) +
                " clients, not " + std::to_string(engine_.federation.training()));
  }
  store_.load(a);
}

}  // namespace coterie
