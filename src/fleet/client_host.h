// A client as it lives behind a wire: a program, a shard of data, and the two states that message.h tells of.
// What it is sent are bytes, and what it answers are bytes.
#pragma once

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
  // Works on an order and returns the sealed reply, which says so when it could not. Throws MalformedMessage
  // when the order did not arrive whole: then there is nothing to reply to.
  Bytes answer(std::span<const std::byte> order);

  // The state of a client by its version, for checkpoints; empty for version 0.
  Bytes state(ClientId client, std::uint32_t version) const;
  void restore(ClientId client, std::uint32_t version, Bytes state);

 private:
  struct Kept {
    std::uint32_t version = 0;
    Bytes state;
  };
  struct Client {
    Kept had;
    Kept made;
  };
  // Throws Error when the client has answered a later ask.
  void check_not_late(const MessageHeader& header) const;
  // What the order builds on; throws Error when the client no longer has it.
  Bytes state_for(const MessageHeader& header);
  Shelf shelf_of(const OrderMessage& order) const;
  Bytes work(const OrderMessage& order);

  std::shared_ptr<const ClientProgram> program_;
  Engine engine_;
  std::map<ItemName, Shared> items_;
  std::map<ClientId, Client> clients_;
};

}  // namespace coterie
