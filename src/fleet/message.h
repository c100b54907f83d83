// The wire form of an ask: one order to each client, one reply back. Whatever carries the bytes (a test
// fleet, MPI, gRPC) uses these, so sizes and checks are the same everywhere.
//
// The life of an order
//
//   1. The server counts its asks over the whole run. A state's version is the number of the ask that made
//      it; version 0 is no state. The server's books (Ledger) have, for each client, the version that counts.
//      An order names the version it builds on, and `next`, the version that the client will have if the
//      server accepts the reply: the number of this ask, or 0 when the work keeps nothing.
//   2. The client checks the order before it works (ClientHost): checksum, run, whether it is late, job,
//   shelf items by
//      content, the note's fields. A job checks what it is about to use: the width of a model, the number of
//      a cluster.
//   3. The client keeps two states: the one it had, which the order names, and the one it made, as `next`.
//      An order that names the state it made tells it that the server accepted that one; an order that names
//      the state it had, that the server did not. An order that names version 0 makes it begin anew.
//   4. The server checks the reply, folds it, and the version that counts becomes `next`. Numbers of asks
//      only grow, so a version never names two states, and an order that is older than what a client has made
//      is known by its number.
//
//   case        what happens
//   accepted    as above
//   lost        an order or a reply does not arrive, or arrives damaged (its checksum does not match): the
//               server asks again, with the same order. The client works again from the state it had: same
//               bits
//   late        a reply to an earlier ask: its header is not the one that the server waits for; ignored. An
//               order of an earlier ask: the client changes nothing and says so, in a reply that is late too.
//               A serial number, which counts asks of every kind, tells evaluations of one round apart
//   repeated    a second copy of a reply: the client has been dealt with; ignored. A second copy of an order:
//               as after a loss
//   refused     a fold refuses the reply, or the client could not work (its reply says why): it is left out,
//               with an event. The version that counts stays; the client finds out by its next order
//   forgotten   Fleet::before_rounds is over: the versions that count become 0, edits are dropped. The next
//               order makes the client begin anew
//   resumed     a server that is started again goes on from its checkpoint, in a new life of the run, so that
//               no order or reply of the life before is taken for one of this. It may name an older version
//               than the last it accepted: clients keep states as far back as the last checkpoint
//               (ClientHost::keep_from). A client that no longer has the version says so (kLostState) and is
//               asked again, with version 0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coterie/fleet.h"

namespace coterie {

// Names an ask of one client; a reply repeats it, so that a late answer to another ask is recognised.
struct MessageHeader {
  std::uint64_t run = 0;
  std::string job;
  AskName ask;
  ClientId client = 0;
  std::uint32_t version = 0;
  std::uint32_t next = 0;
  std::uint32_t serial = 0;  // counts asks of every kind, so that those that keep nothing differ too

  bool operator==(const MessageHeader&) const = default;
  void fields(Archive& a) {
    a.overhead([&] { a(run, job, ask.purpose, ask.round, ask.ask, client, version, next, serial); });
  }
};

// Names a vector of the shelf by its content, so that a process that has it need not be sent it again.
using ItemName = std::uint64_t;

// A vector of the shelf, encoded once for all clients.
struct SealedItem {
  ItemName name = 0;
  Bytes bytes;
};
SealedItem seal_item(const Shared& item, Precision precision);
// Refuses bytes that are not what the name says.
Shared open_item(ItemName name, std::span<const std::byte> bytes, Precision precision);

struct OrderMessage {
  MessageHeader header;
  std::vector<Edit> edits;  // that the client's state has not undergone
  Bytes note;
  std::vector<ItemName> items;  // the shelf; 0 where an item is not for this client

  void fields(Archive& a) {
    a(header, edits, note);
    a.overhead([&] { a(items); });
  }
};

// How the reply of a client begins that no longer has the state an order builds on.
inline constexpr std::string_view kLostState = "it has lost its state: ";

struct ReplyMessage {
  MessageHeader header;
  std::string fault;  // why the client could not work; "" when it could
  Bytes reply;

  void fields(Archive& a) {
    a(header);
    a.overhead([&] { a(fault); });
    a(reply);
  }
};

// Encodes with a checksum at the end; opening refuses what is cut short or altered.
Bytes seal(OrderMessage& message, Precision precision);
Bytes seal(ReplyMessage& message, Precision precision);
OrderMessage open_order(std::span<const std::byte> bytes, Precision precision);
ReplyMessage open_reply(std::span<const std::byte> bytes, Precision precision);

// What an order takes with the items that it names, and a reply, counted without encoding: notes and replies
// are counted by their own fields.
Size order_size(const MessageHeader& header, const std::vector<Edit>& edits, const Size& note,
                const Shelf& shelf, Precision precision);
Size reply_size(const MessageHeader& header, const Size& reply, Precision precision);

}  // namespace coterie
