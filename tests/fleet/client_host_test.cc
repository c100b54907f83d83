// The life of an order at the client, case by case (fleet/message.h), and what it refuses.
#include "fleet/client_host.h"

#include <gtest/gtest.h>

#include "coterie/methods/score.h"
#include "support/tiny_federation.h"

namespace coterie::client_host_test {
namespace {

// A client of "local", which keeps its own model: one row x = 1, y = 1, steps of a tenth of the way.
struct World {
  explicit World(std::string algorithm = "local", std::string init = "random")
      : program(ProgramChoices{.algorithm = std::move(algorithm), .init = std::move(init)}.text()) {}
  TinyFederation federation{{{{{1.0}}, {1.0}, 0}}};
  std::string program;
  std::string agreement = Agreement::of(federation, false).text();
  std::shared_ptr<const ClientProgram> known = std::make_shared<const ClientProgram>(program, agreement);
  ClientHost host{known, federation};
  Shelf shelf{{{0.0}}, Precision::f64};

  struct Asked {
    std::uint32_t version = 0, next = 0;
    std::string job = "train-alone";
    std::uint64_t run = 0;  // 0: the right one
    bool sent = true;       // the model to begin with
    std::uint32_t round = 1;
  };
  OrderMessage order(const Asked& asked) {
    const SealedItem item = seal_item(shelf[0], Precision::f64);
    host.forget_items();
    host.take_item(item.name, item.bytes);
    Items items = asked.sent ? Items::all() : Items::none();
    return {{asked.run == 0 ? known->run() : asked.run,
             asked.job,
             {Purpose::work, asked.round, 0},
             0,
             asked.version,
             asked.next},
            {},
            encode(items, Precision::f64),
            {asked.sent ? item.name : 0}};
  }
  ReplyMessage ask(const Asked& asked) {
    OrderMessage message = order(asked);
    return open_reply(host.answer(seal(message, Precision::f64)), Precision::f64);
  }
  double model(std::uint32_t version) {
    const Bytes state = host.state(0, version);
    const Engine engine = known->engine(federation);
    ClientView view(engine, 0, {}, state);
    return known->method().model_of(shelf, {1.0}, view).values()[0];
  }
};

TEST(ClientHost, AnAcceptedStateIsWhatTheNextOrderBuildsOn) {
  World it;
  EXPECT_EQ(it.ask({.version = 0, .next = 1}).fault, "");
  EXPECT_DOUBLE_EQ(it.model(1), 0.1);
  EXPECT_EQ(it.ask({.version = 1, .next = 2, .sent = false}).fault, "");
  EXPECT_DOUBLE_EQ(it.model(1), 0.1) << "it keeps the state that it had";
  EXPECT_DOUBLE_EQ(it.model(2), 0.1 + 0.1 * 0.9);
}

TEST(ClientHost, AfterALossTheSameOrderGivesTheSameReply) {
  World it;
  it.ask({.version = 0, .next = 1});
  const World::Asked again{.version = 1, .next = 2, .sent = false};
  OrderMessage message = it.order(again);
  const Bytes order = seal(message, Precision::f64);
  const Bytes first = it.host.answer(order);
  EXPECT_EQ(it.host.answer(order), first);
  EXPECT_DOUBLE_EQ(it.model(2), 0.19);
}

TEST(ClientHost, AStateThatWasNotAcceptedIsDropped) {
  World it;
  it.ask({.version = 0, .next = 1});
  it.ask({.version = 1, .next = 2, .sent = false});
  it.ask({.version = 1, .next = 3, .sent = false});  // 2 was refused
  EXPECT_DOUBLE_EQ(it.model(3), 0.19);
  EXPECT_TRUE(it.host.state(0, 2).empty());
}

TEST(ClientHost, ALateOrderChangesNothing) {
  World it;
  it.ask({.version = 0, .next = 1});
  it.ask({.version = 1, .next = 2, .sent = false});
  it.ask({.version = 2, .next = 5, .sent = false});
  const Bytes had = it.host.state(0, 2), made = it.host.state(0, 5);
  for (const World::Asked& late :
       {World::Asked{.version = 0, .next = 1}, World::Asked{.version = 1, .next = 2},
        World::Asked{.version = 2, .next = 4}}) {
    EXPECT_NE(it.ask(late).fault.find("late"), std::string::npos);
    EXPECT_EQ(it.host.state(0, 2), had);
    EXPECT_EQ(it.host.state(0, 5), made);
  }
}

TEST(ClientHost, KeepsWhatAServerThatStartsAgainMayName) {
  World it;
  it.host.keep_from(0, 1);
  it.ask({.version = 0, .next = 1});
  for (std::uint32_t ask = 2; ask <= 5; ++ask) it.ask({.version = ask - 1, .next = ask, .sent = false});
  const double once = it.model(2);
  EXPECT_EQ(it.host.states(0).size(), 5u);
  // The server is back, at its checkpoint after ask 1; its client has another life too.
  ClientHost again{it.known, it.federation};
  again.restore(0, it.host.states(0));
  OrderMessage message = it.order({.version = 1, .next = 2, .sent = false});
  EXPECT_EQ(open_reply(again.answer(seal(message, Precision::f64)), Precision::f64).fault, "");
  EXPECT_EQ(again.state(0, 2), it.host.state(0, 2)) << once;
  EXPECT_TRUE(again.state(0, 3).empty()) << "what came after was never accepted in this life";
}

TEST(ClientHost, SaysThatItHasLostItsState) {
  World it;
  EXPECT_TRUE(it.ask({.version = 3, .next = 5}).fault.starts_with(kLostState));
}

TEST(ClientHost, VersionZeroBeginsAnew) {
  World it;
  it.ask({.version = 0, .next = 1});
  it.ask({.version = 1, .next = 2, .sent = false});
  it.ask({.version = 0, .next = 3});  // the server forgot
  EXPECT_DOUBLE_EQ(it.model(3), 0.1);
}

TEST(ClientHost, SaysWhichVersionsItHas) {
  World it;
  it.ask({.version = 0, .next = 4});
  const std::string fault = it.ask({.version = 3, .next = 5}).fault;
  EXPECT_NE(fault.find("version 3"), std::string::npos) << fault;
  EXPECT_NE(fault.find("4"), std::string::npos) << fault;
}

TEST(ClientHost, WorkThatKeepsNothingLeavesStatesAlone) {
  World it;
  it.ask({.version = 0, .next = 1});
  const Bytes state = it.host.state(0, 1);
  EXPECT_EQ(it.ask({.version = 1, .next = 0, .sent = false}).fault, "");
  EXPECT_EQ(it.host.state(0, 1), state);
  it.ask({.version = 1, .next = 2, .sent = false});
  const Bytes made = it.host.state(0, 2);
  EXPECT_EQ(it.ask({.version = 1, .next = 0, .sent = false}).fault, "");
  EXPECT_EQ(it.host.state(0, 2), made) << "nor is the one dropped that waits to be accepted";
}

TEST(ClientHost, RefusesWhatItsProgramDoesNotKnow) {
  World it;
  EXPECT_NE(it.ask({.next = 1, .job = "train-alon"}).fault.find("did you mean \"train-alone\""),
            std::string::npos);
  EXPECT_NE(it.ask({.next = 1, .run = 77}).fault.find("another run"), std::string::npos);
  EXPECT_TRUE(it.host.state(0, 1).empty());
}

TEST(ClientHost, RefusesAModelOfAnotherWidth) {
  World it;
  it.shelf = Shelf({{0.0, 1.0, 2.0}}, Precision::f64);
  EXPECT_NE(it.ask({.next = 1}).fault.find("3 numbers where its model has 1 parameters"), std::string::npos);
}

TEST(ClientHost, RefusesAnItemThatWasNotSent) {
  World it;
  OrderMessage message = it.order({.next = 1});
  message.items = {12345};
  const ReplyMessage reply = open_reply(it.host.answer(seal(message, Precision::f64)), Precision::f64);
  EXPECT_NE(reply.fault.find("was not sent"), std::string::npos);
}

TEST(ClientHost, RefusesANoteThatIsNotTheJobs) {
  World it;
  OrderMessage message = it.order({.next = 1});
  const Bytes whole = message.note;
  for (const Bytes& note : {Bytes(3), [&] {
                              Bytes longer = whole;
                              longer.push_back(std::byte{0});
                              return longer;
                            }()}) {
    message.note = note;
    const ReplyMessage reply = open_reply(it.host.answer(seal(message, Precision::f64)), Precision::f64);
    EXPECT_NE(reply.fault, "") << note.size();
  }
}

TEST(ClientHost, ARunIsNamedAfterItsProgramAndItsAgreement) {
  const std::uint64_t name = run_name("a program", "an agreement");
  EXPECT_EQ(run_name("a program", "an agreement"), name);
  EXPECT_NE(run_name("a program", "another agreement"), name);
  EXPECT_NE(run_name("another program", "an agreement"), name);
  EXPECT_NE(run_name("a programan", " agreement"), name) << "nor by where one ends";
  EXPECT_EQ(run_name("a program", "an agreement", 0), name);
  EXPECT_NE(run_name("a program", "an agreement", 1), name) << "and by its life, where it has one";
  EXPECT_NE(run_name("a program", "an agreement", 2), run_name("a program", "an agreement", 1));
}

// A note of a job that a client's program has, as a server gone wrong might send it.
template <class Note>
std::string fault_of(const std::string& algorithm, const std::string& job, Note note, bool sent = true) {
  World it(algorithm);
  OrderMessage message = it.order({.next = 1, .job = job, .sent = sent});
  message.note = encode(note, Precision::f64);
  return open_reply(it.host.answer(seal(message, Precision::f64)), Precision::f64).fault;
}

TEST(ClientHost, RefusesPartsOfItsDataThatThereAreNot) {
  ScoreNote score;
  score.part = static_cast<Part>(200);
  EXPECT_NE(fault_of("fedavg", "score", score).find("cannot have"), std::string::npos);
}

TEST(ClientHost, RefusesToWorkOnNoModel) {
  World it("ifca", "restarts");
  OrderMessage message = it.order({.next = 1, .job = "choose", .sent = false});
  message.items.clear();
  const ReplyMessage reply = open_reply(it.host.answer(seal(message, Precision::f64)), Precision::f64);
  EXPECT_NE(reply.fault.find("no model"), std::string::npos) << reply.fault;
}

TEST(ClientHost, LivesOnWhenAnOrderAsksForTheImpossible) {
  World it;
  it.federation.fails = true;  // its data throws what is no Error
  EXPECT_NE(it.ask({.next = 1}).fault.find("could not do"), std::string::npos);
  it.federation.fails = false;
  EXPECT_EQ(it.ask({.next = 2}).fault, "");
}

TEST(ClientHost, RefusesDataOfAnotherWidthThanTheModels) {
  World it;
  const TinyFederation wide{{{{{1.0, 2.0}}, {1.0}, 0}}};
  ClientHost other{it.known, wide};
  const SealedItem item = seal_item(it.shelf[0], Precision::f64);
  other.take_item(item.name, item.bytes);
  OrderMessage message = it.order({.next = 1});
  const ReplyMessage reply = open_reply(other.answer(seal(message, Precision::f64)), Precision::f64);
  EXPECT_NE(reply.fault.find("its samples have 2 features"), std::string::npos) << reply.fault;
}

TEST(ClientView, RefusesASliceThatThereIsNot) {
  World it;
  const Engine engine = it.known->engine(it.federation);
  ClientView view(engine, 0, {}, {});
  EXPECT_THROW(view.use_slice(1, 1), Error);
}

TEST(ClientProgram, OfTheSameBytesIsTheSameProgram) {
  World it;
  const ClientProgram again(it.program, it.agreement);
  EXPECT_EQ(again.run(), it.known->run());
  EXPECT_NE(ClientProgram(ProgramChoices{.algorithm = "fedavg"}.text(), it.agreement).run(), again.run());
}

}  // namespace
}  // namespace coterie::client_host_test
