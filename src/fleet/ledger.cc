#include "fleet/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/excerpt.h"
#include "base/text.h"
#include "fleet/errand.h"

namespace coterie {

Ledger::Ledger(const Roster& roster, Precision precision, std::uint64_t run, const Limits& limits)
    : roster_(roster), precision_(precision), run_(run), limits_(limits), standings_(roster.training()) {}

void Ledger::begin_round(std::uint32_t round, Purpose purpose, std::uint16_t first_ask) {
  round_ = round;
  purpose_ = purpose;
  ask_ = first_ask;
}

void Ledger::check_budget(std::uint64_t bytes_each, std::size_t asked) const {
  const double gigabytes = static_cast<double>(bytes_each) * static_cast<double>(asked) / 1e9;
  if (gigabytes > limits_.memory) {
    throw Error(
        fmt::format("round {}: keeping the replies of {} needs {:.2f} GB, more than fleet.memory = {} GB; "
                    "ask fewer clients a round (rounds.cohort) or raise the budget",
                    round_, counted(asked, "client"), gigabytes, limits_.memory));
  }
}

MessageHeader Ledger::header(const std::string& job, ClientId client, const AskName& ask, bool keep) const {
  MessageHeader header{run_, job, ask, client, 0, 0, serial_};
  if (client < standings_.size()) {
    header.version = standings_[client].version;
    if (keep) header.next = asks_;
  }
  return header;
}

std::vector<Edit> Ledger::edits_for(ClientId client) const {
  if (client >= standings_.size()) return {};
  return {edits_.begin() + standings_[client].edits, edits_.end()};
}

void Ledger::accept(ClientId client) {
  Standing& standing = standings_[client];
  standing.version = asks_;
  standing.edits = static_cast<std::uint32_t>(edits_.size());
}

void Ledger::in_turns(std::size_t turns, const std::function<void(std::size_t)>& work) {
  check(!open_, "turns of turns");
  open_.emplace();
  const std::uint16_t first = ask_;
  std::optional<std::uint16_t> next;
  try {
    for (std::size_t p = 0; p < turns; ++p) {
      ask_ = first;
      work(p);
      check(next.value_or(ask_) == ask_, "every turn makes the same asks");
      next = ask_;
    }
  } catch (...) {
    open_.reset();
    throw;
  }
  auto accounts = std::move(*open_);
  open_.reset();
  for (auto& [ask, account] : accounts) close(account, true);
}

std::vector<ClientId> Ledger::close_ask(std::vector<Desk>& desks, std::size_t asked, bool training,
                                        std::uint16_t ask) {
  std::vector<ClientId> accepted;
  Account alone;
  Account& account = open_ && training ? (*open_)[ask] : alone;
  for (Desk& desk : desks) {
    if (training) {
      for (const ClientId client : desk.accepted) accept(client);
    }
    if (accepted.empty()) {
      accepted = std::move(desk.accepted);
    } else {
      accepted.insert(accepted.end(), desk.accepted.begin(), desk.accepted.end());
    }
    account.refused.insert(account.refused.end(), desk.refused.begin(), desk.refused.end());
    if (training) {
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
  if (&account == &alone) close(account, training);
  return accepted;
}

void Ledger::close(Account& account, bool training) {
  std::sort(account.refused.begin(), account.refused.end());
  for (auto& [client, reason] : account.refused) {
    report(
        {round_,
         "rejected",
         client,
         fmt::format("left out {}: {}; {} of {} used", who(client), reason, account.accepted, account.asked),
         {}});
  }
  const double needed = std::ceil(limits_.quorum * static_cast<double>(account.asked) - 1e-9);
  if (training && static_cast<double>(account.accepted) < needed) {
    const auto& [client, reason] = account.refused.front();
    throw BelowQuorum(fmt::format(
        "round {}: only {} of {} gave a usable reply, fewer than fleet.quorum = {} asks for; the "
        "first reason: {}: {}",
        round_, account.accepted, counted(account.asked, "client"), limits_.quorum, who(client), reason));
  }
}

std::string Ledger::who(ClientId client) const {
  const std::string name = roster_.name(client);
  return fmt::format("client {}{}", client, name.empty() ? "" : " (" + excerpt(name, 60) + ")");
}

void Ledger::forget() {
  standings_.assign(standings_.size(), {});
  edits_.clear();
}

void Ledger::report(Event event) {
  event.round = round_;
  events_.push_back(std::move(event));
}

void Ledger::load(Archive& a) {
  a(asks_, serial_, standings_, edits_);
  if (standings_.size() != roster_.training()) {
    throw Error("the checkpoint belongs to a federation with " + std::to_string(standings_.size()) +
                " clients, not " + std::to_string(roster_.training()));
  }
}

}  // namespace coterie
