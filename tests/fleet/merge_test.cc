// Folds of several processes: what each of two, given half of the clients, ends with is what one ends with
// that is given all.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "coterie/fold.h"
#include "coterie/methods/slots.h"
#include "fleet/errand.h"
#include "support/plugins.h"

namespace coterie::merge_test {
namespace {

// Two processes, as threads.
class Pair {
 public:
  class Side : public Peers {
   public:
    Side(Pair& pair, std::size_t rank) : pair_(pair), rank_(rank) {}
    void sum(std::span<std::int64_t> numbers) override {
      pair_.numbers_[rank_].assign(numbers.begin(), numbers.end());
      pair_.meet_.arrive_and_wait();
      for (std::size_t j = 0; j < numbers.size(); ++j)
        numbers[j] = pair_.numbers_[0].at(j) + pair_.numbers_[1].at(j);
      pair_.meet_.arrive_and_wait();
    }
    std::vector<Bytes> gather(const Bytes& own) override {
      pair_.bytes_[rank_] = own;
      pair_.meet_.arrive_and_wait();
      std::vector<Bytes> all = {pair_.bytes_[0], pair_.bytes_[1]};
      pair_.meet_.arrive_and_wait();
      return all;
    }

   private:
    Pair& pair_;
    std::size_t rank_;
  };
  template <class Work>
  void run(const Work& work) {
    std::thread other([&] {
      Side side(*this, 1);
      work(1, side);
    });
    Side side(*this, 0);
    work(0, side);
    other.join();
  }

 private:
  std::barrier<> meet_{2};
  std::vector<std::int64_t> numbers_[2];
  Bytes bytes_[2];
};

struct Reply {
  Numbers model;
  double loss = 0;
  void fields(Archive& a) { a(model, loss); }
};
Reply reply_of(ClientId client) {
  const double x = 0.1 * (client + 1);
  return {Vec{x, -x * x, 1 / x}, 3 * x};
}

template <class MakeSlots>
void expect_alike(const MakeSlots& make) {
  const auto fill = [](Slots& slots, const std::vector<ClientId>& clients) {
    slots.open(1);
    for (const ClientId i : clients) slots.add(0, i, i % 2, 1.0 + i, reply_of(i).model);
  };
  auto whole = make();
  fill(*whole, {0, 1, 2, 3, 4});
  whole->close();
  Pair().run([&](std::size_t rank, Peers& peers) {
    auto half = make();
    fill(*half, rank == 0 ? std::vector<ClientId>{1, 3} : std::vector<ClientId>{0, 2, 4});
    half->merge(peers);
    half->close();
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(half->mean(k), whole->mean(k)) << rank;
      EXPECT_EQ(half->weight(k), whole->weight(k)) << rank;
      EXPECT_EQ(half->members(k), whole->members(k)) << rank;
    }
  });
}

TEST(Merge, SumsOfTwoProcessesAreThoseOfOne) {
  expect_alike([] { return std::make_unique<Sums>(3, 3, 20); });
}

TEST(Merge, RobustRulesOfTwoProcessesSeeAllClients) {
  const auto rule = make_plugin<Aggregator>("geometric-median");
  expect_alike([&] { return std::make_unique<Robust>(std::vector<std::size_t>(3, 3), *rule); });
}

TEST(Merge, CollectedItemsComeInOrderOfClients) {
  Pair().run([](std::size_t rank, Peers& peers) {
    Collect<Reply, Reply> replies([](Reply& reply) { return std::move(reply); });
    replies.open(2);
    for (const ClientId i : rank == 0 ? std::vector<ClientId>{3, 1} : std::vector<ClientId>{4, 0, 2}) {
      Reply reply = reply_of(i);
      replies.add(i % 2, i, reply);
    }
    replies.merge(peers);
    replies.close();
    ASSERT_EQ(replies.items.size(), 5u);
    for (ClientId i = 0; i < 5; ++i) {
      EXPECT_EQ(replies.items[i].first, i);
      EXPECT_EQ(Vec(replies.items[i].second.model), Vec(reply_of(i).model));
      EXPECT_EQ(replies.items[i].second.loss, reply_of(i).loss);
    }
  });
}

TEST(Merge, DesksOfAllProcessesAreInEach) {
  Pair pair;
  std::vector<Desk> ended[2];
  pair.run([&](std::size_t rank, Peers& peers) {
    Desk desk;
    desk.accepted = {static_cast<ClientId>(rank), static_cast<ClientId>(rank + 2)};
    if (rank == 1) desk.refused = {{9, "its update has 3 values that are not finite"}};
    desk.up.payload = 10 + rank;
    ended[rank] = merge_desks({desk}, peers);
  });
  for (const std::vector<Desk>& desks : ended) {
    ASSERT_EQ(desks.size(), 2u);
    EXPECT_EQ(desks[0].accepted, (std::vector<ClientId>{0, 2}));
    EXPECT_EQ(desks[1].accepted, (std::vector<ClientId>{1, 3}));
    EXPECT_TRUE(desks[0].refused.empty());
    EXPECT_EQ(desks[1].refused.at(0).first, 9u);
    EXPECT_EQ(desks[0].up.payload + desks[1].up.payload, 21u);
  }
}

}  // namespace
}  // namespace coterie::merge_test
