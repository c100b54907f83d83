#include "fleet/client_host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace coterie {

void ClientHost::take_item(ItemName name, std::span<const std::byte> bytes) {
  items_[name] = open_item(name, bytes, program_->precision());
}

Bytes ClientHost::answer(std::span<const std::byte> bytes) {
  const OrderMessage order = open_order(bytes, program_->precision());
  ReplyMessage reply{order.header, "", {}};
  try {
    reply.reply = work(order);
  } catch (const Error& e) {
    reply.fault = e.what();
  } catch (const std::exception& e) {  // whatever the order asks for, the client lives on
    reply.fault = std::string("it could not do what the order asks: ") + e.what();
  }
  return seal(reply, program_->precision());
}

Bytes ClientHost::work(const OrderMessage& order) {
  const MessageHeader& header = order.header;
  if (header.run != program_->run())
    throw Error("the order belongs to another run than the client's program");
  check_not_late(header);
  const AnyJob& job = program_->job(header.job);
  const Shelf shelf = shelf_of(order);
  std::unique_ptr<Message> note = job.blank_note();
  Archive reader = Archive::reader(order.note, program_->precision());
  reader(*note);
  reader.expect_end();

  ClientView view(engine_, header.client, header.ask, state_for(header));
  for (const Edit& edit : order.edits) program_->method().apply(edit, view);
  std::unique_ptr<Message> reply = job.work(shelf, *note, view);
  if (header.next != 0) keep(header, view.final_state());
  if (worked_) worked_(order, shelf, view);
  return encode(*reply, program_->precision());
}

void ClientHost::check_not_late(const MessageHeader& header) const {
  const auto found = clients_.find(header.client);
  if (found == clients_.end() || header.next == 0 || header.next >= found->second.newest) return;
  throw Error(fmt::format("the order is late: it belongs to ask {}, but the client has answered ask {}",
                          header.next, found->second.newest));
}

Bytes ClientHost::state_for(const MessageHeader& header) {
  if (header.version == 0) return {};
  const States& states = clients_[header.client].states;
  if (const auto found = states.find(header.version); found != states.end()) return found->second;
  std::vector<std::uint32_t> versions;
  for (const auto& [version, state] : states) versions.push_back(version);
  throw Error(fmt::format("{}the order builds on version {} of the client's state, but the client has {}",
                          kLostState, header.version,
                          versions.empty() ? "none" : fmt::format("{}", fmt::join(versions, " and "))));
}

// The order says which state counts: what came after it was not accepted, and what came before it is kept
// only where a server may go back that far.
void ClientHost::keep(const MessageHeader& header, Bytes made) {
  Client& client = clients_[header.client];
  States& states = client.states;
  states.erase(states.upper_bound(header.version), states.end());
  states.erase(states.begin(), states.lower_bound(std::min(header.version, client.from)));
  states[header.next] = std::move(made);
  client.newest = std::max(client.newest, header.next);
}

Shelf ClientHost::shelf_of(const OrderMessage& order) const {
  Shelf shelf;
  for (const ItemName name : order.items) {
    if (name == 0) {
      shelf.add(Shared());
      continue;
    }
    const auto found = items_.find(name);
    if (found == items_.end()) throw Error("the order names an item of the shelf that was not sent");
    shelf.add(found->second);
  }
  return shelf;
}

Bytes ClientHost::state(ClientId client, std::uint32_t version) const {
  const auto found = clients_.find(client);
  if (version == 0 || found == clients_.end()) return {};
  const auto state = found->second.states.find(version);
  return state == found->second.states.end() ? Bytes() : state->second;
}

void ClientHost::restore(ClientId client, std::uint32_t version, Bytes state) {
  clients_[client] = {{}, version, kNone};
  if (version != 0) clients_[client].states[version] = std::move(state);
}

}  // namespace coterie
