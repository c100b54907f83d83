// The wire form of an ask: one order to each client, one reply back. Whatever carries the bytes (a test
// fleet, MPI, gRPC) uses these, so sizes and checks are the same everywhere.
#pragma once

#include <string>
#include <vector>

#include "coterie/fleet.h"

namespace coterie {

// Names an ask; a reply repeats it, so that a late answer to another ask is recognised.
struct MessageHeader {
  std::string job;
  std::uint32_t round = 0;
  std::uint16_t ask = 0;
  Purpose purpose = Purpose::work;  // work, restart or evaluate: the client's stream
  ClientId client = 0;
  std::uint32_t version = 0;  // the state this builds on: the round of the client's last accepted reply

  bool operator==(const MessageHeader&) const = default;
  void fields(Archive& a) {
    a.overhead([&] { a(job, round, ask, purpose, client, version); });
  }
};

struct OrderMessage {
  MessageHeader header;
  std::vector<Edit> edits;  // after the client's version
  Bytes note;
  Shelf shelf;  // with holes where an item is not for this client

  void fields(Archive& a) { a(header, edits, note, shelf); }
};

struct ReplyMessage {
  MessageHeader header;
  Bytes reply;

  void fields(Archive& a) { a(header, reply); }
};

// Encodes with a checksum at the end; open_message refuses what is cut short or altered.
Bytes seal(OrderMessage& message, Precision precision);
Bytes seal(ReplyMessage& message, Precision precision);
OrderMessage open_order(std::span<const std::byte> bytes, Precision precision);
ReplyMessage open_reply(std::span<const std::byte> bytes, Precision precision);

// What seal() would make of these, counted without encoding: notes and replies are counted by their own
// fields.
Size order_size(const MessageHeader& header, const std::vector<Edit>& edits, const Size& note,
                const Shelf& shelf, Precision precision);
Size reply_size(const MessageHeader& header, const Size& reply, Precision precision);

}  // namespace coterie
