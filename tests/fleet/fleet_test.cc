// The promises of every fleet, on an algorithm made for the purpose: it keeps state at clients, edits it, and
// asks twice in a round.
#include "coterie/fleet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <set>

#include "coterie/methods/slots.h"
#include "fleet/message.h"
#include "support/tiny_federation.h"

namespace coterie::fleet_test {
namespace {

struct CountState {
  std::uint32_t turns = 0;
  Vec memory;
  void fields(Archive& a) { a(turns, memory); }
};
struct CountNote {
  Items items;
  Vec own;  // for this client alone
  void fields(Archive& a) { a(items, own); }
};
struct CountReply {
  std::uint32_t turns = 0;
  Numbers sum;
  double draw = 0;
  void fields(Archive& a) { a(turns, sum, draw); }
};

struct TestMethod : Algorithm {
  Job<CountNote, CountReply> job{
      "count", [](const Shelf& shelf, const CountNote& note, ClientView& view) {
        auto& state = view.state<CountState>();
        ++state.turns;
        state.memory.resize(shelf[0].size());
        for (std::size_t j = 0; j < state.memory.size(); ++j) {
          state.memory[j] = 0.5 * state.memory[j] + shelf[0].values()[j] + note.own[0];
        }
        if (view.id() == poison) state.memory[0] = std::nan("");
        if (view.id() == huge) state.memory[0] = 1e12;
        if (view.id() == failing) throw Error("this client's disk is full");
        if (view.id() == echo) return CountReply{1, state.memory, note.own[0]};
        const double draw = view.stream().uniform();
        return CountReply{state.turns, state.memory, view.id() == adrift ? std::nan("") : draw};
      }};
  // At the clients, whose instances are not the server's.
  static inline ClientId poison = 1000;
  static inline ClientId failing = 1000;
  static inline ClientId huge = 1000;    // sends a number beyond any limit
  static inline ClientId echo = 1000;    // says what it was told
  static inline ClientId adrift = 1000;  // sends one number that is not finite, which no fold looks at

  void options(Options&) override {}
  std::vector<const AnyJob*> jobs() const override { return {&job}; }
  void apply(const Edit& edit, ClientView& view) const override {
    auto& state = view.state<CountState>();
    state.turns += static_cast<std::uint32_t>(edit.what.size()) * 100;
  }
  void start(Fleet&, Start start) override { models_ = std::move(start.models); }
  void round(Fleet& fleet, const Round& round) override {
    for (int ask = 0; ask < 2; ++ask) {
      Sums sums(1, models_[0].size(), static_cast<double>(round.cohort.size()));
      IntoSlots<CountReply> fold(sums, &CountReply::sum, [](ClientId, const CountReply&) {
        return SlotWeight{0, 1};
      });
      Collect<CountReply, std::pair<std::uint32_t, double>> tally(
          [](CountReply& r) { return std::pair(r.turns, r.draw); });
      auto note = [&](ClientId i) { return CountNote{Items::only({0}), {0.1 * i}}; };
      accepted = fleet.ask(job, round.cohort, Shelf({models_[0], models_[0]}, fleet.precision()), note,
                           {&fold, &tally});
      models_[0] = sums.mean_or(0, models_[0]);
      for (const auto& [client, pair] : tally.items) log.emplace_back(client, pair.first, pair.second);
    }
  }
  Offer offer() const override { return {models_}; }
  void fields(Archive& a) override { a(models_); }

  std::vector<Vec> models_;
  std::vector<ClientId> accepted;
  std::vector<std::tuple<ClientId, std::uint32_t, double>> log;
};

const Registration<Algorithm> kTestMethod{"counting", "for tests of fleets",
                                          [] { return std::make_unique<TestMethod>(); }};

std::vector<TinyFederation::Client> clients(std::size_t count) {
  return std::vector<TinyFederation::Client>(count, {{{1.0}}, {1.0}, 0});
}

struct Made {
  explicit Made(TinyRun::Choices choices, std::size_t count = 20) {
    choices.algorithm = "counting";
    run = std::make_unique<TinyRun>(clients(count), choices);
    method = dynamic_cast<TestMethod*>(run->algorithm.get());
    TestMethod::poison = TestMethod::failing = TestMethod::huge = TestMethod::adrift = TestMethod::echo =
        1000;
    run->start({{0.3, -0.7}});
  }
  TestMethod* method;
  std::unique_ptr<TinyRun> run;
};

TinyRun::Choices on(const std::string& kind, unsigned threads = 1, Precision precision = Precision::f32) {
  TinyRun::Choices choices;
  choices.fleet.kind = kind;
  choices.fleet.threads = threads;
  choices.precision = precision;
  return choices;
}

const std::vector<ClientId> kSome = {0, 3, 4, 9, 10, 17};
const std::vector<ClientId> kOthers = {1, 3, 5, 17, 18};

TEST(Fleet, SameBitsOnEveryFleetAndAnyThreads) {
  for (Precision precision : {Precision::f32, Precision::f64}) {
    Made reference(on("threads", 1, precision));
    for (auto& cohort : {kSome, kOthers, kSome}) reference.run->round(cohort);
    for (auto choices :
         {on("threads", 2, precision), on("threads", 7, precision), on("scramble", 1, precision)}) {
      Made other(choices);
      for (auto& cohort : {kSome, kOthers, kSome}) other.run->round(cohort);
      EXPECT_EQ(other.method->models_, reference.method->models_);
      EXPECT_EQ(other.method->log, reference.method->log);
      EXPECT_EQ(other.run->fleet->traffic().down, reference.run->fleet->traffic().down);
      EXPECT_EQ(other.run->fleet->traffic().up, reference.run->fleet->traffic().up);
      EXPECT_EQ(other.run->fleet->traffic().overhead, reference.run->fleet->traffic().overhead);
    }
  }
}

TEST(Fleet, AsksOnlyTheCohortAndStateIsTheClientsOwn) {
  Made made(on("threads"));
  made.run->round({3, 5});
  made.run->round({5});
  // (client, turns): two asks a round.
  std::vector<std::pair<ClientId, std::uint32_t>> turns;
  for (const auto& [client, count, draw] : made.method->log) turns.emplace_back(client, count);
  EXPECT_EQ(turns, (std::vector<std::pair<ClientId, std::uint32_t>>{
                       {3, 1}, {5, 1}, {3, 2}, {5, 2}, {5, 3}, {5, 4}}));
}

TEST(Fleet, EveryAskHasItsOwnStream) {
  Made made(on("threads"));
  made.run->round({3, 5});
  made.run->round({3, 5});
  std::set<double> draws;
  for (const auto& [client, count, draw] : made.method->log) draws.insert(draw);
  EXPECT_EQ(draws.size(), made.method->log.size());
}

TEST(Fleet, CountsItemsNamedAndNotes) {
  Made made(on("threads"));
  made.run->round({3, 5, 7});
  // Two asks of three clients: one item of two floats and a note of one float down; a count, two floats and a
  // double up.
  EXPECT_EQ(made.run->fleet->traffic().down, 2u * 3 * (2 * 4 + 4));
  EXPECT_EQ(made.run->fleet->traffic().up, 2u * 3 * (4 + 2 * 4 + 8));
  CountNote note{Items::only({0}), {0.1}};
  CountReply reply{1, Vec{1, 2}, 0.5};
  const Shelf sent = Shelf({{1, 2}, {3, 4}}, Precision::f32).only(Items::only({0}));
  const MessageHeader header{0, "count", {}, 0, 0, 0};
  const Size down = order_size(header, {}, encoded_size(note, Precision::f32), sent, Precision::f32);
  const Size up = reply_size(header, encoded_size(reply, Precision::f32), Precision::f32);
  EXPECT_EQ(made.run->fleet->traffic().overhead, 2u * 3 * (down.overhead + up.overhead));
}

TEST(Fleet, LeavesOutAReplyThatIsNotFiniteAndItsState) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    made.method->poison = 5;
    made.run->round({3, 5, 7});
    EXPECT_EQ(made.method->accepted, (std::vector<ClientId>{3, 7}));
    EXPECT_TRUE(std::isfinite(made.method->models_[0][0]));
    auto events = made.run->fleet->take_events();
    ASSERT_EQ(events.size(), 2u);  // one for each ask
    EXPECT_EQ(events[0].kind, "rejected");
    EXPECT_EQ(events[0].client, ClientId{5});
    EXPECT_NE(events[0].text.find("not finite"), std::string::npos);
    made.method->poison = 1000;
    made.method->log.clear();
    made.run->round({5});
    EXPECT_EQ(std::get<1>(made.method->log[0]), 1u) << "the refused turns must not have counted";
  }
}

TEST(Fleet, ARefusedTurnLeavesTheStateBefore) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    made.run->round({3, 5, 7});  // two turns
    TestMethod::poison = 5;
    made.run->round({3, 5, 7});
    TestMethod::poison = 1000;
    made.method->log.clear();
    made.run->round({5});
    EXPECT_EQ(std::get<1>(made.method->log.at(0)), 3u) << kind;
  }
}

// The first of two folds refuses one client; of the other a number is wrong that none of them looks at.
TEST(Fleet, EveryFoldAndEveryNumberMustBeRight) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    TestMethod::huge = 5;
    TestMethod::adrift = 7;
    made.run->round({3, 5, 7, 9});
    EXPECT_EQ(made.method->accepted, (std::vector<ClientId>{3, 9})) << kind;
  }
}

TEST(Fleet, TellsOfRefusalsInTheOrderOfClients) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    TestMethod::huge = 9;
    TestMethod::adrift = 3;
    for (int t = 0; t < 5; ++t) made.run->round({3, 5, 6, 7, 9});
    const std::vector<Event> events = made.run->fleet->take_events();
    ASSERT_EQ(events.size(), 20u);
    for (std::size_t n = 0; n < events.size(); ++n)
      EXPECT_EQ(events[n].client, n % 2 == 0 ? ClientId{3} : ClientId{9}) << kind << n;
  }
}

TEST(Fleet, OneClientsFaultCostsItsTurnOnly) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    made.method->failing = 3;
    made.run->round({3, 5, 7});
    EXPECT_EQ(made.method->accepted, (std::vector<ClientId>{5, 7}));
    EXPECT_NE(made.run->fleet->take_events()[0].text.find("disk is full"), std::string::npos);
  }
}

TEST(Fleet, BelowTheQuorumTheRunStops) {
  TinyRun::Choices choices = on("threads");
  choices.fleet.options.quorum = 0.9;
  Made made(choices);
  made.method->failing = 3;
  EXPECT_THROW(made.run->round({3, 5, 7}), Error);
}

// Cohorts {3, 5}, {7} and nobody, asked in parts: as {3, 5, 7} asked at once.
TEST(Fleet, PartsOfAnAskAreOneAsk) {
  const std::vector<std::vector<ClientId>> parts = {{3, 5}, {7}, {}};
  auto in_turns = [&](Made& made) {
    made.run->fleet->begin_round(1);
    made.run->fleet->in_turns(parts.size(), [&](std::size_t p) {
      made.run->algorithm->round(*made.run->fleet, {1, 1, parts[p]});
    });
  };
  for (const char* fleet : {"threads", "scramble"}) {
    TinyRun::Choices choices = on(fleet);
    choices.fleet.options.quorum = 0.6;
    Made whole(choices), cut(choices);
    for (Made* made : {&whole, &cut}) made->method->failing = 7;
    whole.run->round({3, 5, 7});
    in_turns(cut);
    auto sorted = [](Made& made) {
      auto log = made.method->log;
      std::sort(log.begin(), log.end());
      return log;
    };
    EXPECT_EQ(sorted(cut), sorted(whole)) << "turns and draws";
    std::vector<std::string> texts[2];
    for (const Event& event : whole.run->fleet->take_events()) texts[0].push_back(event.text);
    for (const Event& event : cut.run->fleet->take_events()) texts[1].push_back(event.text);
    EXPECT_EQ(texts[1], texts[0]);
    EXPECT_EQ(texts[1].size(), 2u) << "two asks";
    EXPECT_NE(texts[1].at(0).find("2 of 3 used"), std::string::npos);

    choices.fleet.options.quorum = 0.7;
    Made few(choices);
    few.method->failing = 7;
    EXPECT_THROW(in_turns(few), BelowQuorum);
    EXPECT_NO_THROW(few.run->round({3, 5})) << "it is over";
  }
}

TEST(Fleet, RefusesAnAskBeyondItsMemoryBudget) {
  TinyRun::Choices choices = on("threads");
  choices.fleet.options.memory = 1e-9;
  Made made(choices);
  EXPECT_THROW(made.run->round({3, 5, 7}), Error);
}

// 0.1 * 7 as a float, whether it travelled or not.
TEST(Fleet, NotesAreRoundedToTheRunsPrecision) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    TestMethod::echo = 7;
    made.run->round({7});
    EXPECT_EQ(std::get<2>(made.method->log.at(0)), static_cast<double>(static_cast<float>(0.1 * 7))) << kind;
  }
}

TEST(Fleet, EditsReachClientsThatWereNotAsked) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    made.run->round({3, 5});
    made.run->fleet->edit(Bytes(2));  // after the replies of round 1
    made.run->round({3});
    made.run->fleet->edit(Bytes(1));
    made.method->log.clear();
    made.run->round({3, 4, 5});
    std::vector<std::pair<ClientId, std::uint32_t>> turns;
    for (const auto& [client, count, draw] : made.method->log) turns.emplace_back(client, count);
    // Client 3 had 2 turns, the first edit, 2 turns, and now the second edit; 5 gets both edits now; 4 was
    // never asked and gets both as well.
    std::vector<std::pair<ClientId, std::uint32_t>> expected = {{3, 305}, {4, 301}, {5, 303},
                                                                {3, 306}, {4, 302}, {5, 304}};
    EXPECT_EQ(turns, expected);
  }
}

// Of a start nothing stays but its models: neither states nor the edits that they would have undergone.
TEST(Fleet, StatesAndEditsOfAStartDoNotOutliveIt) {
  for (const char* kind : {"threads", "scramble"}) {
    Made made(on(kind));
    made.run->fleet->before_rounds([&](const Fleet::Begin& begin) {
      begin(1, 0);
      made.run->algorithm->round(*made.run->fleet, {1, 1, {3, 5}});
      made.run->fleet->edit(Bytes(2));
      made.run->algorithm->round(*made.run->fleet, {1, 1, {3}});
    });
    made.method->log.clear();
    made.run->round({3, 5});
    EXPECT_EQ(std::get<1>(made.method->log.at(0)), 1u) << kind;
    EXPECT_EQ(std::get<1>(made.method->log.at(1)), 1u) << kind;
  }
}

TEST(Fleet, SavedAndLoadedGoesOnWithTheSameBits) {
  Made whole(on("threads"));
  for (auto& cohort : {kSome, kOthers, kSome}) whole.run->round(cohort);
  // States in memory do not outlive a fleet: an own folder would. See the run's tests for kill and resume.
  Made first(on("threads"));
  first.run->round(kSome);
  first.run->round(kOthers);
  Archive out = Archive::writer(Precision::f64);
  first.run->fleet->save(out);
  first.run->round(kSome);
  EXPECT_EQ(first.method->models_, whole.method->models_);
  EXPECT_EQ(first.method->log, whole.method->log);
}

TEST(Fleet, SavedHostsGoOnInAnotherFleet) {
  Made whole(on("scramble")), first(on("scramble")), second(on("scramble"));
  for (Made* made : {&whole, &first}) {
    made->run->round(kSome);
    made->run->round(kOthers);
  }
  Archive out = Archive::writer(Precision::f64);
  first.run->fleet->save(out);
  const Bytes saved = out.take();
  Archive in = Archive::reader(saved, Precision::f64);
  second.run->fleet->load(in);
  in.expect_end();
  second.method->models_ = first.method->models_;
  second.run->rounds = 2;
  whole.method->log.clear();
  for (Made* made : {&whole, &second}) made->run->round(kSome);
  EXPECT_EQ(second.method->models_, whole.method->models_);
  EXPECT_EQ(second.method->log, whole.method->log);
}

TEST(Fleet, EvaluationLeavesNoTrace) {
  Made plain(on("threads"));
  Made judged(on("threads"));
  for (int round = 0; round < 3; ++round) {
    plain.run->round(kSome);
    judged.run->round(kSome);
    Collect<CountReply, std::uint32_t> turns([](CountReply& r) { return r.turns; });
    auto note = [](ClientId) { return CountNote{Items::all(), {1.0}}; };
    judged.run->fleet->ask_eval(judged.method->job, kOthers, Shelf(judged.method->models_, Precision::f32),
                                note, {&turns});
    EXPECT_EQ(turns.items.size(), kOthers.size());
  }
  EXPECT_EQ(plain.method->models_, judged.method->models_);
  EXPECT_EQ(plain.method->log, judged.method->log);
  EXPECT_EQ(plain.run->fleet->traffic().down, judged.run->fleet->traffic().down);
  EXPECT_EQ(plain.run->fleet->traffic().eval, 0u);
  EXPECT_EQ(judged.run->fleet->traffic().eval, 3u * 5 * ((2 * 4 + 4) + (4 + 2 * 4 + 8))) << "down and up";
}

TEST(Fleet, EvaluationsHaveNoQuorum) {
  TinyRun::Choices choices = on("threads");
  choices.fleet.options.quorum = 1;
  Made made(choices);
  TestMethod::failing = 5;
  Collect<CountReply, std::uint32_t> turns([](CountReply& r) { return r.turns; });
  auto note = [](ClientId) { return CountNote{Items::all(), {1.0}}; };
  made.run->fleet->ask_eval(made.method->job, std::vector<ClientId>{3, 5},
                            Shelf(made.method->models_, Precision::f32), note, {&turns});
  EXPECT_EQ(turns.items.size(), 1u);
}

}  // namespace
}  // namespace coterie::fleet_test
