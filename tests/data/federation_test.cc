#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "data/error_text.h"
#include "support/deals.h"
#include "support/federations.h"

namespace coterie::federation_test {
namespace {

using Numbers = std::vector<std::size_t>;

TEST(Federation, NeedsTwoClasses) {
  EXPECT_EQ(error_text<Error>([] { build(pool_spec(numbered_pool(12, 1), 3)); }),
            "data: the target has fewer than two classes: there is nothing to tell apart");
  EXPECT_EQ(error_text<Error>([] { build(pool_spec(numbered_pool(12, 2), 3)); }), "");
}

// All that a federation hands out, as numbers.
std::vector<double> contents(const Federation& federation, std::uint32_t round = 0) {
  std::vector<double> all;
  for (ClientId i = 0; i < federation.size(); ++i) {
    for (Part part : {Part::train, Part::validation, Part::test}) {
      const auto samples = federation.samples(i, part, round);
      std::vector<double> row(samples->shape.width);
      for (std::size_t r = 0; r < samples->size(); ++r) {
        samples->copy_row(r, std::span<double>(row));
        all.insert(all.end(), row.begin(), row.end());
        all.push_back(samples->targets[r]);
      }
    }
  }
  return all;
}

TEST(Federation, DealsAPoolCompletelyAndOnce) {
  const auto federation = build(pool_spec(numbered_pool(100, 5, 10), 7));
  ASSERT_EQ(federation->training(), 7u);
  EXPECT_EQ(all_rows(*federation, {0, 1, 2, 3, 4, 5, 6}), first_numbers(100));
  for (ClientId i = 0; i < 7; ++i) {
    const auto samples = federation->samples(i, Part::train, 1);
    for (std::size_t r = 0; r < samples->size(); ++r)
      EXPECT_EQ(samples->label(r), row_number(*samples, r) % 5);
  }
}

TEST(Federation, HoldsOutTestRowsOfAPoolWithoutAny) {
  const auto federation = build(pool_spec(numbered_pool(1797, 10), 3));
  Numbers trained = all_rows(*federation, {0, 1, 2});
  EXPECT_EQ(trained.size(), 1437u);
  ASSERT_EQ(federation->size(), 4u);
  for (std::size_t row : all_rows(*federation, {3})) trained.push_back(row);
  std::sort(trained.begin(), trained.end());
  EXPECT_EQ(trained, first_numbers(1797));
}

TEST(Federation, HasNoSharedTestSetWithoutTestRows) {
  FederationSpec spec = pool_spec(numbered_pool(40, 2), 4);
  spec.data.test_share = 0;
  EXPECT_EQ(build(spec)->size(), 4u);
  EXPECT_EQ(all_rows(*build(spec), {0, 1, 2, 3}), first_numbers(40));
  spec.unseen.count = 1;
  EXPECT_NE(error_of([&] { build(spec); }).find("need 2 test rows, there are 0"), std::string::npos);
}

TEST(Federation, CutsPartsByTheirShares) {
  FederationSpec spec = pool_spec(numbered_pool(30, 2, 2), 3);
  spec.clients.train = 0.7;
  spec.clients.validation = 0.1;
  spec.clients.test = 0.2;
  const auto federation = build(spec);
  for (ClientId i = 0; i < 3; ++i) {
    const ClientInfo info = federation->info(i);
    EXPECT_EQ(info.train, 7u);
    EXPECT_EQ(info.validation, 1u);
    EXPECT_EQ(info.test, 2u);
    EXPECT_EQ(info.role, Role::train);
    EXPECT_EQ(rows_of(*federation, i, Part::train).size(), 7u);
    EXPECT_EQ(rows_of(*federation, i, Part::validation).size(), 1u);
    EXPECT_EQ(rows_of(*federation, i, Part::test).size(), 2u);
  }
}

// An owner's rows come in file order, which may be one class after the other.
TEST(Federation, CutsPartsAtRandom) {
  Pool pool = numbered_pool(100, 2, 2);
  pool.owners.assign(100, 0);
  const auto federation = build(pool_spec(std::move(pool), 1, "natural"));
  const Numbers rows = rows_of(*federation, 0, Part::test);
  ASSERT_EQ(rows.size(), 20u);
  EXPECT_LT(*std::min_element(rows.begin(), rows.end()), 50u);
  EXPECT_GE(*std::max_element(rows.begin(), rows.end()), 50u);
}

TEST(Federation, GivesSmallClientsTrainingFirstThenTest) {
  FederationSpec spec =
      pool_spec(numbered_pool(6, 2, 2), 3, "quantity", "sizes = [\"1\", \"2\", \"3\"]\nshuffle = false");
  spec.clients.train = 0.8;
  spec.clients.validation = 0.1;
  spec.clients.test = 0.1;
  const auto federation = build(spec);
  const auto parts = [&](ClientId i) {
    return Numbers{federation->info(i).train, federation->info(i).validation, federation->info(i).test};
  };
  EXPECT_EQ(parts(0), (Numbers{1, 0, 0}));
  EXPECT_EQ(parts(1), (Numbers{1, 0, 1}));
  EXPECT_EQ(parts(2), (Numbers{1, 1, 1}));
}

TEST(Federation, RefusesPartsThatDoNotSumToOne) {
  FederationSpec spec = pool_spec(numbered_pool(30, 2, 2), 3);
  spec.clients.validation = 0.1;
  EXPECT_NE(error_of([&] { build(spec); }).find("sum to 1.1"), std::string::npos);
}

TEST(Federation, SameSeedSameDataAnotherSeedOther) {
  FederationSpec spec = pool_spec(numbered_pool(60, 3), 6);
  spec.unseen.count = 2;
  add_shift(spec, "rotate");
  add_shift(spec, "label-noise");
  EXPECT_EQ(contents(*build(spec, 5)), contents(*build(spec, 5)));
  EXPECT_NE(contents(*build(spec, 5)), contents(*build(spec, 6)));
  spec.data.seed = 5;
  const auto pinned = contents(*build(spec, 6));
  spec.data.seed.reset();
  EXPECT_EQ(pinned, contents(*build(spec, 5)));
}

TEST(Federation, OneClientAndOneClusterIsTheWholePool) {
  const auto federation = build(pool_spec(numbered_pool(20, 2, 5), 1));
  EXPECT_EQ(federation->truth().clusters, 1u);
  EXPECT_EQ(federation->truth().names, (std::vector<std::string>{"all"}));
  EXPECT_EQ(all_rows(*federation, {0}), first_numbers(20));
  EXPECT_EQ(federation->size(), 2u);
}

TEST(Federation, TakesTheNumberOfClientsFromThePartition) {
  FederationSpec spec = pool_spec(numbered_pool(30, 2, 2), 1, "quantity", "sizes = [\"4x5\"]");
  spec.clients.count.reset();
  EXPECT_EQ(build(spec)->training(), 4u);
  spec.clients.count = 5;
  EXPECT_THROW(build(spec), Error);
  FederationSpec plain = pool_spec(numbered_pool(30, 2, 2), 1);
  plain.clients.count.reset();
  EXPECT_EQ(build(plain)->training(), 10u);
  Pool pool = numbered_pool(30, 2, 2);
  for (std::uint32_t i = 0; i < 30; ++i) pool.owners.push_back(i / 10);
  FederationSpec natural = pool_spec(std::move(pool), 1, "natural");
  natural.clients.count.reset();
  const auto federation = build(natural);
  EXPECT_EQ(federation->training(), 3u);
  EXPECT_EQ(all_rows(*federation, {1}), first_numbers(10, 10));
}

// Owners of 2, 8 and 20 rows.
Pool owned_pool() {
  Pool pool = numbered_pool(30, 2);
  for (std::uint32_t i = 0; i < 30; ++i) pool.owners.push_back(i < 2 ? 0 : i < 10 ? 1 : 2);
  pool.owner_names = {"small", "middle", "large"};
  return pool;
}

TEST(Federation, OwnersKeepAllTheirRowsUnlessSomeAreToBeHeldOut) {
  FederationSpec spec = pool_spec(owned_pool(), 3, "natural");
  auto federation = build(spec);
  EXPECT_EQ(federation->size(), 3u) << "no shared test set";
  EXPECT_EQ(all_rows(*federation, {0, 1, 2}), first_numbers(30));
  EXPECT_EQ(federation->name(0), "small");
  EXPECT_EQ(federation->name(2), "large");
  EXPECT_TRUE(federation->notes().empty());

  // A quarter of each owner's, rounded down: 0, 2 and 5.
  spec.data.test_share = 0.25;
  federation = build(spec);
  ASSERT_EQ(federation->size(), 4u);
  EXPECT_EQ(all_rows(*federation, {0}).size(), 2u);
  EXPECT_EQ(all_rows(*federation, {1}).size(), 6u);
  EXPECT_EQ(all_rows(*federation, {2}).size(), 15u);
  EXPECT_EQ(all_rows(*federation, {3}).size(), 7u);
  EXPECT_EQ(all_rows(*federation, {0, 1, 2, 3}), first_numbers(30));
  EXPECT_EQ(federation->name(3), "");
}

TEST(Federation, NamesOwnersThatTakeNoPart) {
  const auto some = build(pool_spec(owned_pool(), 2, "natural", "minimum = 5"));
  EXPECT_EQ(some->name(0), "middle");
  ASSERT_EQ(some->notes().size(), 1u);
  EXPECT_NE(some->notes()[0].find("1 of 3 owners take no part"), std::string::npos) << some->notes()[0];
  EXPECT_NE(some->notes()[0].find("small"), std::string::npos);

  const auto mixed = build(pool_spec(owned_pool(), 3, "iid"));
  EXPECT_EQ(mixed->name(0), "");
  ASSERT_EQ(mixed->notes().size(), 1u);
  EXPECT_NE(mixed->notes()[0].find("natural"), std::string::npos);
}

TEST(Federation, ReuseCoversThePoolOncePerCluster) {
  FederationSpec spec = pool_spec(numbered_pool(60, 3, 2), 12);
  add_shift(spec, "rotate");
  spec.clients.reuse = "per-cluster";
  const auto federation = build(spec);
  ASSERT_EQ(federation->truth().clusters, 4u);
  std::set<Numbers> hands;
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(members(*federation, k).size(), 3u);
    EXPECT_EQ(all_rows(*federation, members(*federation, k)), first_numbers(60));
    for (ClientId i : members(*federation, k)) hands.insert(all_rows(*federation, {i}));
  }
  EXPECT_EQ(hands.size(), 12u);  // each cluster's deal is its own
}

TEST(Federation, OnDemandEqualsCached) {
  FederationSpec spec = pool_spec(numbered_pool(60, 3), 6);
  spec.unseen.count = 3;
  add_shift(spec, "rotate", "angles = [0, 45, 90]");
  add_shift(spec, "label-noise", "rates = [0.3]");
  spec.data.redeal = "epoch";
  const auto cached = build(spec);
  spec.data.cache = 0;
  const auto made = build(spec);
  for (std::uint32_t round : {0, 1, 2, 7, 2})
    EXPECT_EQ(contents(*cached, round), contents(*made, round)) << round;
  EXPECT_EQ(cached->samples(0, Part::test, 1), cached->samples(0, Part::test, 2));  // the very same object
  EXPECT_NE(made->samples(0, Part::test, 1), made->samples(0, Part::test, 1));
}

TEST(Federation, ServesManyThreadsAtOnce) {
  FederationSpec spec = pool_spec(numbered_pool(400, 4), 20);
  spec.data.redeal = "epoch";
  spec.data.cache = 3e-6;  // room for a few clients only
  add_shift(spec, "rotate");
  const auto federation = build(spec);
  std::vector<std::vector<double>> expected;
  for (std::uint32_t round = 1; round <= 4; ++round) expected.push_back(contents(*build(spec), round));
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 8; ++i) {
        const std::uint32_t round = (t + i) % 4 + 1;
        if (contents(*federation, round) != expected[round - 1]) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0, 0, 0}));
}

// --- data that is dealt again ---------------------------------------------------------------------------

// torch.randperm(12) after torch.manual_seed(0) is 8 0 5 9 7 4 2 10 3 1 11 6, after 1: 1 4 6 8 11 0 5 3 2 9
// 10 7.
TEST(Federation, RedealAsPyTorchGivesItsRows) {
  FederationSpec spec = pool_spec(numbered_pool(12, 2, 2), 3);
  spec.clients.train = 1;
  spec.clients.test = 0;
  spec.data.redeal = "pytorch";
  spec.data.redeal_every = 2;
  const auto federation = build(spec);
  using Rows = std::vector<std::size_t>;
  for (std::uint32_t round : {1, 2}) {
    EXPECT_EQ(rows_of(*federation, 0, Part::train, round), (Rows{8, 9, 2, 1}));
    EXPECT_EQ(rows_of(*federation, 2, Part::train, round), (Rows{5, 4, 3, 6}));
  }
  EXPECT_EQ(rows_of(*federation, 0, Part::train, 3), (Rows{1, 8, 5, 9}));
  EXPECT_EQ(rows_of(*federation, 1, Part::train, 4), (Rows{4, 11, 3, 10}));

  // The permutation of each epoch is that of rows which the permutation of seed 0 has put in order.
  spec.data.redeal = "pytorch-shuffled";
  const auto shuffled = build(spec);
  EXPECT_EQ(rows_of(*shuffled, 0, Part::train, 1), (Rows{3, 1, 5, 0}));
  EXPECT_EQ(rows_of(*shuffled, 1, Part::train, 3), (Rows{7, 6, 9, 11}));

  spec.data.redeal = "pytorch";
  spec.clients.count = 5;
  EXPECT_NE(error_of([&] { build(spec); }).find("redeal = \"pytorch\" deals all 12 rows to the 5 clients"),
            std::string::npos);
}

TEST(Federation, RedealGivesFreshRowsButKeepsJudgedOnesApart) {
  FederationSpec spec = pool_spec(numbered_pool(200, 4, 4), 10);
  spec.clients.train = 0.6;
  spec.clients.validation = 0.2;
  spec.clients.test = 0.2;
  spec.data.redeal = "epoch";
  spec.data.redeal_every = 3;
  const auto federation = build(spec);
  std::set<std::size_t> judged;
  for (ClientId i = 0; i < 10; ++i) {
    for (Part part : {Part::validation, Part::test}) {
      for (std::size_t row : rows_of(*federation, i, part)) judged.insert(row);
      EXPECT_EQ(rows_of(*federation, i, part, 1), rows_of(*federation, i, part, 50));
    }
  }
  ASSERT_EQ(judged.size(), 80u);
  for (std::uint32_t round : {1, 4, 7, 100}) {
    std::set<std::size_t> trained;
    for (ClientId i = 0; i < 10; ++i) {
      const Numbers rows = rows_of(*federation, i, Part::train, round);
      EXPECT_EQ(rows.size(), 12u);
      for (std::size_t row : rows) {
        EXPECT_TRUE(trained.insert(row).second);
        EXPECT_EQ(judged.count(row), 0u);
      }
    }
    EXPECT_EQ(trained.size(), 120u);
  }
  EXPECT_EQ(rows_of(*federation, 0, Part::train, 4), rows_of(*federation, 0, Part::train, 6));
  EXPECT_NE(rows_of(*federation, 0, Part::train, 3), rows_of(*federation, 0, Part::train, 4));
  EXPECT_EQ(rows_of(*federation, 0, Part::train, 0), rows_of(*federation, 0, Part::train, 3));
}

TEST(Federation, RedealReachesRowsThatNobodyHadAtFirst) {
  FederationSpec spec = pool_spec(numbered_pool(1000, 2, 2), 2);
  spec.clients.samples = 10;
  spec.data.redeal = "epoch";
  const auto federation = build(spec);
  std::set<std::size_t> seen;
  for (std::uint32_t round = 1; round <= 20; ++round) {
    for (std::size_t row : rows_of(*federation, 0, Part::train, round)) seen.insert(row);
  }
  EXPECT_GT(seen.size(), 100u);
}

TEST(Federation, RedealKeepsEachClientsClasses) {
  FederationSpec spec = pool_spec(numbered_pool(400, 10, 2), 8, "dirichlet", "alpha = 0.3");
  spec.data.redeal = "epoch";
  const auto federation = build(spec);
  bool moved = false;
  for (ClientId i = 0; i < 8; ++i) {
    std::vector<double> before = federation->samples(i, Part::train, 1)->targets;
    std::vector<double> after = federation->samples(i, Part::train, 9)->targets;
    moved = moved || rows_of(*federation, i, Part::train, 1) != rows_of(*federation, i, Part::train, 9);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after);
  }
  EXPECT_TRUE(moved);
}

TEST(Federation, RedealPerClusterKeepsEachClustersJudgedRowsApart) {
  FederationSpec spec = pool_spec(numbered_pool(100, 2, 2), 8);
  add_shift(spec, "rotate", "angles = [0, 90]");
  spec.clients.reuse = "per-cluster";
  spec.data.redeal = "epoch";
  const auto federation = build(spec);
  for (std::uint32_t k = 0; k < 2; ++k) {
    Numbers rows;
    for (ClientId i : members(*federation, k)) {
      for (std::size_t row : rows_of(*federation, i, Part::test, 3)) rows.push_back(row);
      for (std::size_t row : rows_of(*federation, i, Part::train, 3)) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, first_numbers(100));
  }
}

TEST(Federation, RedealRefusesNaturalClients) {
  Pool pool = numbered_pool(30, 2, 2);
  for (std::uint32_t i = 0; i < 30; ++i) pool.owners.push_back(i / 10);
  FederationSpec spec = pool_spec(std::move(pool), 3, "natural");
  spec.data.redeal = "epoch";
  EXPECT_NE(error_of([&] { build(spec); }).find("redeal"), std::string::npos);
}

// --- options --------------------------------------------------------------------------------------------

TEST(Federation, ReadsItsOptions) {
  ClientsOptions clients;
  set_options(clients,
              "count = 48\nsamples = 20\nparts = { train = 0.9, test = 0.1 }\nreuse = \"per-cluster\"");
  EXPECT_EQ(clients.count, 48);
  EXPECT_EQ(clients.samples, 20);
  EXPECT_EQ(clients.train, 0.9);
  EXPECT_EQ(clients.test, 0.1);
  EXPECT_EQ(clients.reuse, "per-cluster");
  UnseenOptions unseen;
  set_options(unseen, "count = 8\nsettle = \"same\"");
  EXPECT_EQ(unseen.count, 8);
  EXPECT_EQ(unseen.settle, "same");
  DataOptions data;
  set_options(data, "seed = 3\nredeal = \"epoch\"\nredeal_every = 7\ncache = 0.5");
  EXPECT_EQ(data.seed, 3);
  EXPECT_EQ(data.redeal_every, 7);
}

TEST(Federation, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](auto options, const std::string& toml, const std::string& word) {
    const std::string error = error_of([&] { set_options(options, toml); });
    EXPECT_NE(error.find(word), std::string::npos) << toml << " -> " << error;
  };
  refuses(ClientsOptions{}, "count = 0", "count");
  refuses(ClientsOptions{}, "parts = { train = 0.9 }", "must be 1");
  refuses(ClientsOptions{}, "parts = { train = 0, test = 1 }", "train");
  refuses(ClientsOptions{}, "reuse = \"always\"", "per-cluster");
  refuses(UnseenOptions{}, "count = -1", "count");
  refuses(UnseenOptions{}, "share = 2", "share");
  refuses(DataOptions{}, "redeal_every = 0", "redeal_every");
  refuses(DataOptions{}, "test_share = -0.1", "test_share");
}

}  // namespace
}  // namespace coterie::federation_test
