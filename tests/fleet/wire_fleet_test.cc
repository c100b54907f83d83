// What a server takes from the wire: replies of those it waits for, each from its own sender.
#include "fleet/wire_fleet.h"

#include <gtest/gtest.h>

#include "support/tiny_federation.h"

namespace coterie::wire_fleet_test {
namespace {

struct EchoNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct EchoReply {
  double told = 0;
  void fields(Archive& a) { a(told); }
};
const Job<EchoNote, EchoReply> kEcho("echo", nullptr);

struct World {
  TinyFederation federation{{{{{1.0}}, {1.0}, 0}, {{{2.0}}, {1.0}, 0}}};
  Ledger ledger{federation, Precision::f64, 7, {}};
  Collect<EchoReply, double> told{[](EchoReply& reply) { return reply.told; }};
  Shelf shelf;
  Errand errand{kEcho,
                shelf,
                [](ClientId) {
                  return Letter{Items::none(), std::make_unique<MessageOf<EchoNote>>()};
                },
                {&told}};
  std::vector<ClientId> cohort{0, 1};
  AskName name = ledger.next_ask();
  WireAsk ask{ledger, errand, cohort, name, true};

  World() { errand.open(1); }
  // What an honest client answers.
  Bytes reply(ClientId client, double told) {
    EchoReply content{told};
    ReplyMessage message{ledger.header("echo", client, name, true), "", encode(content, Precision::f64)};
    return seal(message, Precision::f64);
  }
};

TEST(WireAsk, NobodyAnswersForSomebodyElse) {
  World it;
  it.ask.order(0);
  it.ask.order(1);
  EXPECT_EQ(it.ask.arrived(1, it.reply(0, 666)), WireAsk::Arrival::ignored);
  EXPECT_EQ(it.ask.arrived(0, it.reply(0, 5)), WireAsk::Arrival::done);
  EXPECT_EQ(it.ask.waiting(), (std::vector<ClientId>{1}));
}

TEST(WireAsk, NobodyAnswersBeforeBeingAsked) {
  World it;
  ReplyMessage blank;  // what a pending order looks like before it is made
  EXPECT_EQ(it.ask.arrived(0, seal(blank, Precision::f64)), WireAsk::Arrival::ignored);
  EXPECT_EQ(it.ask.waiting().size(), 2u);
}

// Whoever is dealt with, or was not asked, is not asked again because of what it sends.
TEST(WireAsk, DamagedBytesCountForThoseItWaitsFor) {
  World it;
  it.ask.order(0);
  const Bytes damaged(10, std::byte{7});
  EXPECT_EQ(it.ask.arrived(0, damaged), WireAsk::Arrival::damaged);
  EXPECT_EQ(it.ask.arrived(1, damaged), WireAsk::Arrival::ignored);
  EXPECT_EQ(it.ask.arrived(5, damaged), WireAsk::Arrival::ignored);
  EXPECT_EQ(it.ask.arrived(0, it.reply(0, 5)), WireAsk::Arrival::done);
  EXPECT_EQ(it.ask.arrived(0, damaged), WireAsk::Arrival::ignored);
  EXPECT_EQ(it.ask.waiting(), (std::vector<ClientId>{1}));
}

TEST(WireAsk, AnAnswerToAnEarlierEvaluationIsLate) {
  World it;
  const AskName first = it.ledger.evaluation();
  const MessageHeader earlier = it.ledger.header("score", 0, first, false);
  const AskName second = it.ledger.evaluation();
  EXPECT_EQ(first, second) << "the streams are the same";
  EXPECT_NE(it.ledger.header("score", 0, second, false), earlier);
}

TEST(Ledger, AStateCountsOnceTheAskIsClosed) {
  World it;
  std::vector<Desk> desks(1);
  desks[0].accepted = {1};
  desks[0].refused = {{0, "lost"}};
  EXPECT_EQ(it.ledger.close_ask(desks, 2, true, it.name.ask), (std::vector<ClientId>{1}));
  EXPECT_EQ(it.ledger.header("echo", 0, it.name, true).version, 0u);
  EXPECT_EQ(it.ledger.header("echo", 1, it.name, true).version, 1u);
}

}  // namespace
}  // namespace coterie::wire_fleet_test
