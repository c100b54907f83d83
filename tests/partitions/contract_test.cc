// What every partition keeps to, whoever wrote it.
#include <gtest/gtest.h>

#include <chrono>

#include "base/option_readers.h"
#include "coterie/partition.h"
#include "support/deals.h"

namespace coterie::contract_test {
namespace {

class PartitionContract : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Partition> partition_ = Registry<Partition>::instance().make(GetParam());
};

TEST_P(PartitionContract, DealsEveryRowOnceAndLeavesNobodyOut) {
  const TestPool pool(403, 4, 12);
  const Hands hands = deal(*partition_, pool.for_clients(12));
  ASSERT_EQ(hands.size(), 12u);
  EXPECT_EQ(expect_disjoint(hands, 403), 403u);
  for (const auto& hand : hands) EXPECT_FALSE(hand.empty());
}

TEST_P(PartitionContract, SameStreamSameDeal) {
  const TestPool pool(400, 4, 12);
  EXPECT_EQ(deal(*partition_, pool.for_clients(12), 5), deal(*partition_, pool.for_clients(12), 5));
}

TEST_P(PartitionContract, DocumentsItsOptions) {
  OptionLister lister;
  partition_->options(lister);
  for (const OptionDoc& doc : lister.docs) EXPECT_NE(doc.sentence, "") << doc.name;
}

// Hostile requests are met or refused with an Error, and soon.
TEST_P(PartitionContract, EndsSoonWhateverIsAsked) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t rows : {0, 1, 7, 1000}) {
    for (std::size_t classes : {1, 2, 100}) {
      for (std::size_t clients : {1, 7, 1000, 5000}) {
        for (std::optional<std::size_t> samples :
             {std::optional<std::size_t>(), std::optional<std::size_t>(1)}) {
          const TestPool pool(rows, classes, 7);
          Hands hands;
          const std::string error =
              error_of([&] { hands = deal(*partition_, pool.for_clients(clients, samples)); });
          if (!error.empty()) continue;
          EXPECT_EQ(hands.size(), clients);
          expect_disjoint(hands, rows);
          for (const auto& hand : hands) EXPECT_FALSE(hand.empty());
        }
      }
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_P(PartitionContract, SizesForAGeneratorAreGivenOrRefused) {
  Stream stream(1, {.purpose = Purpose::deal});
  std::vector<std::size_t> sizes;
  const std::string error = error_of([&] { sizes = partition_->sizes(9, 20, stream); });
  if (error.empty()) {
    EXPECT_EQ(sizes.size(), 9u);
    for (std::size_t size : sizes) EXPECT_GE(size, 1u);
  } else {
    EXPECT_NE(error.find("finite pool"), std::string::npos) << error;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PartitionContract, testing::ValuesIn(Registry<Partition>::instance().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace coterie::contract_test
