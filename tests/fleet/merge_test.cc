// Folds of several processes: what each of two, given half of the clients, ends with is what one ends with
// that is given all.
#include <gtest/gtest.h>

#include "coterie/fold.h"
#include "coterie/methods/slots.h"
#include "fleet/errand.h"
#include "support/plugins.h"
#include "support/two_ranks.h"

namespace coterie::merge_test {
namespace {

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
  TwoRanks().run([&](std::size_t rank, Peers& peers) {
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
  TwoRanks().run([](std::size_t rank, Peers& peers) {
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
  TwoRanks pair;
  Desk ended[2];
  pair.run([&](std::size_t rank, Peers& peers) {
    Desk desk;
    desk.accepted = {static_cast<ClientId>(rank), static_cast<ClientId>(rank + 2)};
    if (rank == 1) desk.refused = {{9, "its update has 3 values that are not finite"}};
    desk.up.payload = 10 + rank;
    ended[rank] = merge_desks({desk}, std::vector<ClientId>{0, 1, 2, 3, 9}, peers);
  });
  for (const Desk& desk : ended) {
    EXPECT_EQ(desk.accepted, (std::vector<ClientId>{0, 1, 2, 3}));
    ASSERT_EQ(desk.refused.size(), 1u);
    EXPECT_EQ(desk.refused[0].first, 9u);
    EXPECT_EQ(desk.up.payload, 21u);
  }
}

}  // namespace
}  // namespace coterie::merge_test
