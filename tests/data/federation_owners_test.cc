// Clients that are owners of rows: whole owners left out, true clusters and parts that the data names.
#include <gtest/gtest.h>

#include "data/error_text.h"
#include "data/pool_population.h"
#include "support/federations.h"

namespace coterie::federation_owners_test {
namespace {

using Numbers = std::vector<std::size_t>;

class OpenedPool : public Source {
 public:
  explicit OpenedPool(Pool pool) : pool_(std::move(pool)) {}
  void options(Options&) override {}
  std::unique_ptr<Population> open(const SourceContext&) const override {
    return std::make_unique<PoolPopulation>(pool_);
  }

 private:
  Pool pool_;
};

// Five owners of six rows each: rows 0 .. 5 are a's.
Pool five_owners() {
  Pool pool = numbered_pool(30, 2);
  for (std::uint32_t i = 0; i < 30; ++i) {
    pool.owners.push_back(i / 6);
    pool.numbers.push_back(i + 1);
  }
  pool.owner_names = {"a", "b", "c", "d", "e"};
  return pool;
}

FederationSpec natural(Pool pool) {
  FederationSpec spec = pool_spec({}, 1, "natural");
  spec.source = std::make_unique<OpenedPool>(std::move(pool));
  spec.clients.count.reset();
  return spec;
}

Numbers rows_of_client(const Federation& federation, ClientId client) {
  return all_rows(federation, {client});
}

TEST(FederationOwners, UnseenClientsAreWholeOwners) {
  FederationSpec spec = natural(five_owners());
  spec.unseen.count = 2;
  const auto federation = build(spec);
  EXPECT_EQ(federation->training(), 3u);
  ASSERT_EQ(federation->size(), 5u);
  Numbers all;
  for (ClientId i = 0; i < 5; ++i) {
    const Numbers own = rows_of_client(*federation, i);
    const std::size_t owner = own.front() / 6;
    EXPECT_EQ(own, first_numbers(6, 6 * owner)) << i;
    EXPECT_EQ(federation->name(i), std::string(1, static_cast<char>('a' + owner)));
    EXPECT_EQ(federation->info(i).role, i < 3 ? Role::train : Role::unseen);
  }
  EXPECT_EQ(all_rows(*federation, {0, 1, 2, 3, 4}), first_numbers(30));
  EXPECT_EQ(federation->info(3).train, 3u) << "half to choose by";
  EXPECT_TRUE(federation->notes().empty());
  // Chosen by the seed.
  std::set<std::string> chosen;
  for (std::uint64_t seed = 1; seed < 20; ++seed) chosen.insert(build(spec, seed)->name(3));
  EXPECT_GT(chosen.size(), 2u);
}

// A client of several owners is called after the first of them; everybody takes part.
TEST(FederationOwners, GroupedOwnersAreOneClient) {
  FederationSpec spec = natural(five_owners());
  spec.partition = make_plugin<Partition>("grouped", "order = \"listed\"");
  const auto federation = build(spec);
  ASSERT_EQ(federation->training(), 3u);
  EXPECT_EQ(rows_of_client(*federation, 1), first_numbers(12, 12));
  EXPECT_EQ(federation->name(0), "a + 1");
  EXPECT_EQ(federation->name(1), "c + 1");
  EXPECT_EQ(federation->name(2), "e");
  EXPECT_TRUE(federation->notes().empty());
  EXPECT_EQ(federation->size(), 3u) << "no shared test set: parts of each client test";

  Pool pool = five_owners();
  pool.owner_truth = {0, 0, 1, 1, 0};
  pool.truth_names = {"x", "y"};
  spec.source = std::make_unique<OpenedPool>(pool);
  EXPECT_EQ(build(spec)->truth().clusters, 2u);
  pool.owner_truth = {0, 0, 1, 0, 0};
  spec.source = std::make_unique<OpenedPool>(pool);
  EXPECT_NE(
      error_text<Error>([&] { build(spec); }).find("client 1 is made of owners of different true clusters"),
      std::string::npos);
}

// Pieces in order of a property are no owners, whoever owns the rows, and cannot be dealt again.
TEST(FederationOwners, ContinuousPiecesAreNobodys) {
  FederationSpec spec = natural(five_owners());
  spec.partition = make_plugin<Partition>("continuous", "by = \"mean\"");
  spec.clients.count = 3;
  const auto federation = build(spec);
  EXPECT_EQ(federation->training(), 3u);
  EXPECT_EQ(federation->name(0), "");
  Numbers all = all_rows(*federation, {0, 1, 2});
  EXPECT_EQ(all.size(), 24u) << "a fifth is the shared test set";
  const Numbers least = rows_of_client(*federation, 0), most = rows_of_client(*federation, 2);
  EXPECT_LT(*std::max_element(least.begin(), least.end()), *std::min_element(most.begin(), most.end()));
  spec.data.redeal = "epoch";
  EXPECT_NE(error_text<Error>([&] { build(spec); }).find("ties each row"), std::string::npos);
}

TEST(FederationOwners, UnseenClientsCanBeNamed) {
  FederationSpec spec = natural(five_owners());
  spec.unseen.names = {"d", "b"};
  const auto federation = build(spec);
  ASSERT_EQ(federation->training(), 3u);
  EXPECT_EQ(federation->name(2), "e");
  EXPECT_EQ(federation->name(3), "b");
  EXPECT_EQ(federation->name(4), "d");
  EXPECT_EQ(rows_of_client(*federation, 4), first_numbers(6, 18));

  const auto refusal = [&](std::vector<std::string> names) {
    spec.unseen.names = std::move(names);
    return error_text<Error>([&] { build(spec); });
  };
  EXPECT_NE(refusal({"f"}).find("client \"f\" is unknown"), std::string::npos);
  EXPECT_NE(refusal({"a", "a"}).find("twice"), std::string::npos);
  EXPECT_NE(refusal({"a", "b", "c", "d", "e"}).find("nobody is left"), std::string::npos);
  spec.unseen.names.clear();
  spec.unseen.count = 6;
  EXPECT_NE(error_text<Error>([&] { build(spec); }).find("only 5 have 2 samples"), std::string::npos);
  spec.unseen.count = 1;
  spec.unseen.samples = 3;
  EXPECT_NE(error_text<Error>([&] { build(spec); }).find("leave it out"), std::string::npos);

  FederationSpec dealt = pool_spec(five_owners(), 3, "iid");
  dealt.unseen.names = {"a"};
  EXPECT_NE(error_text<Error>([&] { build(dealt); }).find("natural"), std::string::npos);
}

Pool true_owners() {
  Pool pool = five_owners();
  pool.owner_truth = {1, 0, 1, 2, 0};
  pool.truth_names = {"north", "south", "west"};
  return pool;
}

TEST(FederationOwners, TheDataNamesTrueClusters) {
  const auto federation = build(natural(true_owners()));
  EXPECT_EQ(federation->truth().clusters, 3u);
  EXPECT_EQ(federation->truth().names, (std::vector<std::string>{"north", "south", "west"}));
  const std::uint32_t expected[] = {1, 0, 1, 2, 0};
  for (ClientId i = 0; i < 5; ++i) EXPECT_EQ(federation->info(i).truth, expected[i]) << i;
}

TEST(FederationOwners, UnseenOwnersKeepTheirTrueCluster) {
  FederationSpec spec = natural(true_owners());
  spec.unseen.names = {"a", "d"};  // nobody who trains is of the west
  spec.data.test_share = 0.5;
  const auto federation = build(spec);
  ASSERT_EQ(federation->training(), 3u);
  EXPECT_EQ(federation->truth().clusters, 3u);
  EXPECT_EQ(federation->info(3).truth, 1u);
  EXPECT_EQ(federation->info(4).truth, 2u);
  // A shared test set holds rows of its own cluster: b and e, c, nobody.
  ASSERT_EQ(federation->size(), 8u);
  for (std::size_t row : rows_of_client(*federation, 5)) EXPECT_TRUE(row / 6 == 1 || row / 6 == 4);
  EXPECT_EQ(rows_of_client(*federation, 5).size(), 6u);
  for (std::size_t row : rows_of_client(*federation, 6)) EXPECT_EQ(row / 6, 2u);
  EXPECT_EQ(rows_of_client(*federation, 7).size(), 0u);
}

TEST(FederationOwners, TrueClustersNeedOwners) {
  FederationSpec spec = natural(true_owners());
  spec.partition = make_plugin<Partition>("iid");
  EXPECT_NE(error_text<Error>([&] { build(spec); }).find("partition = \"natural\""), std::string::npos);
}

// Of each owner's rows the first three train, then one to validate, then two to test.
Pool marked_owners() {
  Pool pool = five_owners();
  for (std::uint32_t i = 0; i < 30; ++i) {
    pool.parts.push_back(i % 6 < 3 ? Part::train : i % 6 == 3 ? Part::validation : Part::test);
  }
  return pool;
}

TEST(FederationOwners, TheDataNamesParts) {
  FederationSpec spec = natural(marked_owners());
  spec.unseen.names = {"e"};
  const auto federation = build(spec);
  const auto sorted = [&](ClientId client, Part part) {
    Numbers rows = rows_of(*federation, client, part);
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  EXPECT_EQ(sorted(1, Part::train), (Numbers{6, 7, 8}));
  EXPECT_EQ(sorted(1, Part::validation), (Numbers{9}));
  EXPECT_EQ(sorted(1, Part::test), (Numbers{10, 11}));
  EXPECT_EQ(federation->info(1).validation, 1u);
  // An unseen client chooses by what it may see.
  EXPECT_EQ(sorted(4, Part::train), (Numbers{24, 25, 26, 27}));
  EXPECT_EQ(sorted(4, Part::test), (Numbers{28, 29}));

  spec.data.test_share = 0.2;
  EXPECT_NE(error_text<Error>([&] { build(spec); }).find("data.test_share"), std::string::npos);
  Pool untrained = marked_owners();
  for (std::size_t i = 12; i < 18; ++i) untrained.parts[i] = Part::test;
  const std::string text = error_text<Error>([&] { build(natural(std::move(untrained))); });
  EXPECT_NE(text.find("client \"c\" has no sample to train on"), std::string::npos) << text;
  EXPECT_NE(text.find("unseen.names"), std::string::npos);
}

TEST(FederationOwners, TellsWhereEachRowWent) {
  FederationSpec spec = natural(marked_owners());
  spec.unseen.names = {"e"};
  const auto federation = build(spec);
  const std::vector<Federation::RowPlace> places = federation->places();
  ASSERT_EQ(places.size(), 30u);
  for (const Federation::RowPlace& place : places) {
    EXPECT_EQ(place.client, (place.row - 1) / 6);
    const std::uint32_t in_client = (place.row - 1) % 6;
    const Part expected = in_client < 3                          ? Part::train
                          : in_client == 3 && place.client != 4u ? Part::validation
                          : in_client == 3                       ? Part::train
                                                                 : Part::test;
    EXPECT_EQ(place.part, expected) << place.row;
  }
  EXPECT_TRUE(build(pool_spec(numbered_pool(30, 2), 3))->places().empty()) << "rows without numbers";
}

}  // namespace
}  // namespace coterie::federation_owners_test
