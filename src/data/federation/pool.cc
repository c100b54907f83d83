// Holdings from a pool. Training clients have what the partition dealt them. Every true cluster tests on all
// test rows (of its own classes, when the partition gives it such): the shared test set as a whole, unseen
// clients in consecutive chunks, as in the IFCA authors' experiments.
#include <fmt/format.h>

#include "data/apportion.h"
#include "data/federation/holdings.h"

namespace coterie {
namespace {

class PoolHoldings : public Holdings {
 public:
  PoolHoldings(const FederationSpec& spec, const Pool& pool, PoolRows rows, const ClientProfiles& groups,
               std::uint64_t seed)
      : pool_(pool), rows_(std::move(rows)), seed_(seed), deal_(spec, pool, rows_, groups, seed) {
    if (spec.unseen.samples) unseen_samples_ = static_cast<std::size_t>(*spec.unseen.samples);
    if (groups.class_sets.empty()) test_rows_.push_back(rows_.test);
    for (const std::vector<std::uint32_t>& classes : groups.class_sets) {
      test_rows_.push_back(rows_.test_of_classes(classes));
    }
    for (const std::vector<std::uint32_t>& profiles : groups.of_truth) {
      class_set_.push_back(groups.profiles[profiles.front()].class_set);
    }
    check_unseen(spec.unseen);
  }

  std::size_t size(std::size_t client) const override { return deal_.size(client); }
  std::optional<std::uint32_t> owner(std::size_t client) const override { return deal_.owner(client); }
  Samples samples(std::size_t client, Part part, std::uint32_t epoch) const override {
    return pool_.train.rows(deal_.rows(client, part, epoch));
  }

  std::size_t size(const Judge& judge) const override {
    if (judge.role == Role::test) return test_rows(judge).size();
    return begin(judge, judge.index + 1) - begin(judge, judge.index);
  }
  Samples samples(const Judge& judge, std::size_t from, std::size_t count) const override {
    const std::vector<std::uint32_t>& all = test_rows(judge);
    const auto start =
        all.begin() + static_cast<std::ptrdiff_t>(judge.role == Role::test ? 0 : begin(judge, judge.index));
    std::vector<std::uint32_t> own(start, start + static_cast<std::ptrdiff_t>(size(judge)));
    // Test data may be sorted by class; both parts of a judge should look alike.
    Stream stream(seed_, {.purpose = Purpose::parts, .client = judge.id});
    stream.shuffle(std::span(own));
    return rows_.test_samples->rows(std::span(own).subspan(from, count));
  }

 private:
  const std::vector<std::uint32_t>& test_rows(const Judge& judge) const {
    return test_rows_[class_set_[judge.cluster]];
  }
  std::size_t begin(const Judge& judge, std::size_t index) const {
    return unseen_samples_ > 0 ? unseen_samples_ * index
                               : even_start(test_rows(judge).size(), judge.peers, index);
  }

  void check_unseen(const UnseenOptions& unseen) const {
    const std::size_t least = unseen_samples_ > 0 ? unseen_samples_ : unseen.settle == "apart" ? 2 : 1;
    const auto count = static_cast<std::size_t>(unseen.count);
    for (std::size_t i = 0; i < std::min(count, class_set_.size()); ++i) {
      const Judge judge = unseen_judge(i, count, class_set_.size());
      const std::size_t rows = test_rows(judge).size();
      if (judge.peers * least <= rows) continue;
      throw Error(fmt::format(
          "{} unseen clients x {} samples in each true cluster need {} test rows, there are {}; lower "
          "unseen.count or unseen.samples, or raise data.test_share",
          judge.peers, least, judge.peers * least, rows));
    }
  }

  const Pool& pool_;
  const PoolRows rows_;
  std::uint64_t seed_;
  Deal deal_;
  std::size_t unseen_samples_ = 0;                     // 0: the test rows are shared out
  std::vector<std::vector<std::uint32_t>> test_rows_;  // of each set of classes
  std::vector<std::uint32_t> class_set_;               // of each true cluster
};

}  // namespace

std::unique_ptr<Holdings> deal_pool(const FederationSpec& spec, const Pool& pool, PoolRows rows,
                                    const ClientProfiles& groups, std::uint64_t seed) {
  return std::make_unique<PoolHoldings>(spec, pool, std::move(rows), groups, seed);
}

}  // namespace coterie
