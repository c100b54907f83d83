#include "fleet/own_clients.h"

#include <algorithm>
#include <optional>

namespace coterie {
namespace {

bool has_all(const Items& items, const Shelf& shelf) {
  for (std::size_t k = 0; k < shelf.size(); ++k) {
    if (!items.has(k)) return false;
  }
  return true;
}

}  // namespace

std::vector<Desk> OwnClients::carry(const Ledger& ledger, Errand& errand, std::span<const ClientId> clients,
                                    bool keep, const AskName& name) {
  std::vector<std::span<const ClientId>> blocks = cut(clients);
  if (backwards_) std::reverse(blocks.begin(), blocks.end());
  backwards_ = !backwards_;
  std::vector<Desk> desks(pool_.size());
  Frames frames;
  if (!clients.empty()) {
    const MessageHeader first = ledger.header(errand.job(), clients[0], name, true);
    frames = {order_size(first, {}, {}, errand.shelf(), ledger.precision()),
              reply_size(first, {}, ledger.precision())};
  }
  const Ask ask{ledger, errand, program_->job(errand.job()), name, keep, frames};
  errand.open(pool_.size());
  pool_.for_each(blocks.size(), [&](std::size_t b, unsigned worker) {
    std::vector<Turn> turns;
    for (const ClientId client : blocks[b]) turns.push_back(turn(ask, client, desks[worker]));
    if (ask.job.has_block() && block_ > 1) {
      work_block(ask, turns, worker, desks[worker]);
    } else {
      for (Turn& one : turns) work_one(ask, one, worker, desks[worker]);
    }
  });
  return desks;
}

std::vector<std::span<const ClientId>> OwnClients::cut(std::span<const ClientId> clients) const {
  std::vector<std::span<const ClientId>> blocks;
  for (std::size_t begin = 0; begin < clients.size();) {
    std::size_t end = begin + 1;
    while (end < clients.size() && clients[end] / block_ == clients[begin] / block_) ++end;
    blocks.push_back(clients.subspan(begin, end - begin));
    begin = end;
  }
  return blocks;
}

OwnClients::Turn OwnClients::turn(const Ask& ask, ClientId client, Desk& desk) const {
  const Errand& errand = ask.errand;
  const Precision precision = ask.ledger.precision();
  Turn turn{ask.ledger.header(errand.job(), client, ask.name, ask.keep), ask.ledger.edits_for(client),
            errand.letter(client, precision)};
  const Items& items = turn.letter.items;
  desk.down += turn.edits.empty() && has_all(items, errand.shelf())
                   ? ask.frames.order
                   : order_size(turn.header, turn.edits, {}, errand.shelf().only(items), precision);
  desk.down += encoded_size(*turn.letter.note, precision);
  return turn;
}

Bytes OwnClients::state_of(const MessageHeader& header) const {
  return header.version == 0 ? Bytes() : store_.get(header.client);
}
// The client as it was after its last accepted reply, edits applied.
ClientView OwnClients::view(const Turn& turn, Bytes state) const {
  ClientView view(engine_, turn.header.client, turn.header.ask, std::move(state));
  for (const Edit& edit : turn.edits) program_->method().apply(edit, view);
  return view;
}

// Books one client's outcome, and keeps the state that it reached if its reply was accepted.
void OwnClients::book(const Ask& ask, const Outcome& outcome, ClientView& view, Desk& desk) {
  desk.up += ask.frames.reply;
  desk.up += outcome.up;
  if (!outcome.refused.empty()) {
    desk.refused.emplace_back(view.id(), outcome.refused);
    return;
  }
  if (ask.keep) store_.put(view.id(), view.final_state());
  desk.accepted.push_back(view.id());
}

// A client that fails sends nothing and costs its own turn only. A state that cannot be read or kept is no
// client's fault: that ends the run.
void OwnClients::work_one(const Ask& ask, Turn& turn, unsigned worker, Desk& desk) {
  std::optional<ClientView> client;
  Outcome outcome;
  Bytes state = state_of(turn.header);
  try {
    client.emplace(view(turn, std::move(state)));
    const auto reply = ask.job.work(ask.errand.shelf().only(turn.letter.items), *turn.letter.note, *client);
    outcome = ask.errand.fold(turn.header.client, *reply, ask.ledger.precision(), worker);
  } catch (const Error& e) {
    desk.refused.emplace_back(turn.header.client, e.what());
    return;
  }
  book(ask, outcome, *client, desk);
}

void OwnClients::work_block(const Ask& ask, std::vector<Turn>& turns, unsigned worker, Desk& desk) {
  std::vector<ClientView> views;
  std::vector<ClientId> clients;
  std::vector<Shelf> shelves;
  std::vector<std::unique_ptr<Message>> notes;
  std::vector<Outcome> outcomes;
  views.reserve(turns.size());
  std::vector<Bytes> states;
  for (const Turn& turn : turns) states.push_back(state_of(turn.header));
  try {
    for (Turn& turn : turns) {
      views.push_back(view(turn, std::move(states[views.size()])));
      clients.push_back(turn.header.client);
      shelves.push_back(ask.errand.shelf().only(turn.letter.items));
      notes.push_back(std::move(turn.letter.note));
    }
    std::vector<std::unique_ptr<Message>> replies = ask.job.work_block(shelves, notes, views);
    outcomes = ask.errand.fold_block(clients, replies, ask.ledger.precision(), worker);
  } catch (const Error&) {
    // Some client failed before anything was folded: find out which, one by one.
    for (Turn& turn : turns) {
      turn.letter = ask.errand.letter(turn.header.client, ask.ledger.precision());
      work_one(ask, turn, worker, desk);
    }
    return;
  }
  for (std::size_t i = 0; i < views.size(); ++i) book(ask, outcomes[i], views[i], desk);
}

}  // namespace coterie
