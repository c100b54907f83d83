#include "fleet/client_host.h"

#include <fmt/format.h>

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
  if (header.next != 0) clients_[header.client].made = {header.next, view.final_state()};
  return encode(*reply, program_->precision());
}

void ClientHost::check_not_late(const MessageHeader& header) const {
  const auto found = clients_.find(header.client);
  if (found == clients_.end()) return;
  const Client& client = found->second;
  const std::uint32_t newest = std::max(client.had.version, client.made.version);
  if (header.next != 0 && header.next < newest) {
    throw Error(fmt::format("the order is late: it belongs to ask {}, but the client has answered ask {}",
                            header.next, newest));
  }
}

Bytes ClientHost::state_for(const MessageHeader& header) {
  if (header.version == 0) return {};
  Client& client = clients_[header.client];
  if (header.version == client.made.version) {
    client.had = std::move(client.made);
    client.made = {};
  } else if (header.version != client.had.version) {
    throw Error(fmt::format("the order builds on version {} of the client's state, but the client has {}{}",
                            header.version, client.had.version,
                            client.made.version == 0 ? "" : fmt::format(" and {}", client.made.version)));
  }
  return client.had.state;
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
  for (const Kept* kept : {&found->second.had, &found->second.made}) {
    if (kept->version == version) return kept->state;
  }
  return {};
}

void ClientHost::restore(ClientId client, std::uint32_t version, Bytes state) {
  clients_[client] = {{version, std::move(state)}, {}};
}

}  // namespace coterie
