// A client as it lives behind a wire: a program, a shard of data, and the states that message.h tells of.
// What it is sent are bytes, and what it answers are bytes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "fleet/client_program.h"
#include "fleet/message.h"

namespace coterie {

class ClientHost {
 public:
  // One host can serve several clients. `shards` must outlive it.
  ClientHost(std::shared_ptr<const ClientProgram> program, const Shards& shards)
      : program_(std::move(program)), engine_(program_->engine(shards)) {}
  ClientHost(const ClientHost&) = delete;
  ClientHost& operator=(const ClientHost&) = delete;

  // A vector of the shelf that orders may name from now on, until forget_items(). Throws MalformedMessage.
  void take_item(ItemName name, std::span<const std::byte> bytes);
  void forget_items() { items_.clear(); }
  void forget_item(ItemName name) { items_.erase(name); }
  // Works on an order and returns the sealed reply, which says so when it could not. Throws MalformedMessage
  // when the order did not arrive whole: then there is nothing to reply to.
  Bytes answer(std::span<const std::byte> order);

  // The state of a client by its version, for checkpoints; empty for version 0.
  Bytes state(ClientId client, std::uint32_t version) const;
  void restore(ClientId client, std::uint32_t version, Bytes state);

  // All states of a client, by version: the one it had, the one it made, and older ones that keep_from()
  // asked for.
  using States = std::map<std::uint32_t, Bytes>;
  const States& states(ClientId client) { return clients_[client].states; }
  void restore(ClientId client, States states) { clients_[client] = {std::move(states), 0, kNone}; }
  // A server that is started again may go on from an older version than the last it accepted: keep what it
  // may name.
  void keep_from(ClientId client, std::uint32_t version) { clients_[client].from = version; }

  // Called with every order that was worked on.
  using Worked = std::function<void(const OrderMessage&, const Shelf&, ClientView&)>;
  void on_work(Worked worked) { worked_ = std::move(worked); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Client {
    States states;
    std::uint32_t newest = 0;    // of all that it made
    std::uint32_t from = kNone;  // of those that may still be named
  };
  // Throws Error when the client has answered a later ask.
  void check_not_late(const MessageHeader& header) const;
  // What the order builds on; throws Error when the client no longer has it.
  Bytes state_for(const MessageHeader& header);
  void keep(const MessageHeader& header, Bytes made);
  Shelf shelf_of(const OrderMessage& order) const;
  Bytes work(const OrderMessage& order);

  std::shared_ptr<const ClientProgram> program_;
  Engine engine_;
  std::map<ItemName, Shared> items_;
  std::map<ClientId, Client> clients_;
  Worked worked_;
};

}  // namespace coterie
