// Holdings from a pool. Training clients have what the partition dealt them. Every true cluster tests on all
// test rows (of its own classes, when the partition gives it such): the shared test set as a whole, unseen
// clients in consecutive chunks, as in the IFCA authors' experiments.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/apportion.h"
#include "data/federation/holdings.h"

namespace coterie {
namespace {

// Some rows of a set of samples, copied, by the numbers that they have there.
class KeptRows {
 public:
  KeptRows(const Samples& all, std::vector<std::uint32_t> rows) : numbers_(std::move(rows)) {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    samples_ = all.rows(numbers_);
  }
  Samples rows(std::span<const std::uint32_t> numbers) const {
    std::vector<std::uint32_t> places;
    for (const std::uint32_t number : numbers) {
      const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), number);
      check(at != numbers_.end() && *at == number, "these samples live in another process");
      places.push_back(static_cast<std::uint32_t>(at - numbers_.begin()));
    }
    return samples_.rows(places);
  }

 private:
  std::vector<std::uint32_t> numbers_;  // ascending
  Samples samples_;
};

class PoolHoldings : public Holdings {
 public:
  PoolHoldings(const FederationSpec& spec, const Pool& pool, PoolRows rows, const ClientProfiles& groups,
               std::uint64_t seed)
      : pool_(pool), rows_(std::move(rows)), seed_(seed), deal_(spec, pool, rows_, groups, seed) {
    if (spec.unseen.samples) unseen_samples_ = static_cast<std::size_t>(*spec.unseen.samples);
    for (const std::vector<std::uint32_t>& profiles : groups.of_truth) {
      const Profile& first = groups.profiles[profiles.front()];
      test_rows_of_.push_back(test_place(groups, pool.owner_truth.empty() ? first.class_set : first.group));
    }
    if (rows_.unseen.empty()) check_unseen(spec.unseen);
    if (!rows_.unseen.empty() && spec.unseen.samples) {
      throw Error(
          "unseen.samples: unseen clients are whole clients of the data, with all of their samples; leave it "
          "out");
    }
  }

  std::size_t size(std::size_t client) const override { return deal_.size(client); }
  std::optional<Cut> marked(std::size_t client) const override { return deal_.cut(client); }
  std::vector<std::uint32_t> owners(std::size_t client) const override { return deal_.owners(client); }
  Samples samples(std::size_t client, Part part, std::uint32_t epoch) const override {
    return train_rows(deal_.rows(client, part, epoch));
  }
  std::vector<std::uint32_t> rows(std::size_t client, Part part) const override {
    return deal_.rows(client, part, 0);
  }

  std::size_t size(const Judge& judge) const override {
    if (judge.role == Role::test) return test_rows(judge).size();
    if (!rows_.unseen.empty()) return rows_.unseen[judge.index].size();
    return begin(judge, judge.index + 1) - begin(judge, judge.index);
  }
  // An unseen owner chooses by its training and validation rows and is scored on its test rows, if it has
  // both.
  std::optional<Cut> marked(const Judge& judge) const override {
    if (!owned(judge) || pool_.parts.empty()) return std::nullopt;
    Cut cut;
    for (std::uint32_t row : rows_.unseen[judge.index])
      ++(pool_.parts[row] == Part::test ? cut.test : cut.train);
    if (cut.train == 0 || cut.test == 0) return std::nullopt;
    return cut;
  }
  Samples samples(const Judge& judge, std::size_t from, std::size_t count) const override {
    const std::vector<std::uint32_t> own = in_order(judge);
    const std::span<const std::uint32_t> some = std::span(own).subspan(from, count);
    if (owned(judge) || rows_.test_samples == &pool_.train) return train_rows(some);
    return kept_test_ ? kept_test_->rows(some) : rows_.test_samples->rows(some);
  }
  void keep_only(std::span<const std::size_t> clients, std::span<const Judge> judges) override {
    std::vector<std::uint32_t> train, test;
    const auto add = [](const std::vector<std::uint32_t>& more, std::vector<std::uint32_t>& rows) {
      rows.insert(rows.end(), more.begin(), more.end());
    };
    for (const std::size_t client : clients) {
      for (const Part part : {Part::train, Part::validation, Part::test}) {
        add(deal_.rows(client, part, 0), train);
      }
    }
    for (const Judge& judge : judges) {
      const bool of_train = owned(judge) || rows_.test_samples == &pool_.train;
      add(in_order(judge), of_train ? train : test);
    }
    kept_train_.emplace(pool_.train, std::move(train));
    kept_test_.emplace(*rows_.test_samples, std::move(test));
  }
  std::vector<std::uint32_t> rows(const Judge& judge) const override {
    return owned(judge) || rows_.test_samples == &pool_.train ? in_order(judge)
                                                              : std::vector<std::uint32_t>();
  }

 private:
  Samples train_rows(std::span<const std::uint32_t> rows) const {
    return kept_train_ ? kept_train_->rows(rows) : pool_.train.rows(rows);
  }
  bool owned(const Judge& judge) const { return judge.role == Role::unseen && !rows_.unseen.empty(); }
  std::vector<std::uint32_t> in_order(const Judge& judge) const {
    std::vector<std::uint32_t> own;
    if (owned(judge)) {
      own = rows_.unseen[judge.index];
    } else {
      const auto start =
          test_rows(judge).begin() +
          static_cast<std::ptrdiff_t>(judge.role == Role::test ? 0 : begin(judge, judge.index));
      own.assign(start, start + static_cast<std::ptrdiff_t>(size(judge)));
    }
    // Test data may be sorted by class; both parts of a judge should look alike.
    Stream stream(seed_, {.purpose = Purpose::parts, .client = judge.id});
    stream.shuffle(std::span(own));
    if (marked(judge)) {
      std::stable_partition(own.begin(), own.end(),
                            [&](std::uint32_t row) { return pool_.parts[row] != Part::test; });
    }
    return own;
  }

  // The place of the test rows of a set of classes, or of the owners of a true cluster, among those known so
  // far.
  std::size_t test_place(const ClientProfiles& groups, std::uint32_t set) {
    const auto [at, fresh] = places_.emplace(set, test_rows_.size());
    if (!fresh) return at->second;
    if (!pool_.owner_truth.empty()) {
      test_rows_.emplace_back();
      for (std::uint32_t row : rows_.test) {
        if (pool_.owner_truth[pool_.owners[row]] == set) test_rows_.back().push_back(row);
      }
    } else {
      test_rows_.push_back(groups.class_sets.empty() ? rows_.test
                                                     : rows_.test_of_classes(groups.class_sets[set]));
    }
    return at->second;
  }
  const std::vector<std::uint32_t>& test_rows(const Judge& judge) const {
    return test_rows_[test_rows_of_[judge.cluster]];
  }
  std::size_t begin(const Judge& judge, std::size_t index) const {
    return unseen_samples_ > 0 ? unseen_samples_ * index
                               : even_start(test_rows(judge).size(), judge.peers, index);
  }

  void check_unseen(const UnseenOptions& unseen) const {
    const std::size_t least = unseen_samples_ > 0 ? unseen_samples_ : unseen.settle == "apart" ? 2 : 1;
    const auto count = static_cast<std::size_t>(unseen.count);
    for (std::size_t i = 0; i < std::min(count, test_rows_of_.size()); ++i) {
      const Judge judge = unseen_judge(i, count, test_rows_of_.size());
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
  std::size_t unseen_samples_ = 0;  // 0: the test rows are shared out
  std::map<std::uint32_t, std::size_t> places_;
  std::vector<std::vector<std::uint32_t>> test_rows_;
  std::vector<std::size_t> test_rows_of_;  // place among these of each true cluster
  std::optional<KeptRows> kept_train_;     // where other rows are let go of
  std::optional<KeptRows> kept_test_;
};

}  // namespace

std::unique_ptr<Holdings> deal_pool(const FederationSpec& spec, const Pool& pool, PoolRows rows,
                                    const ClientProfiles& groups, std::uint64_t seed) {
  return std::make_unique<PoolHoldings>(spec, pool, std::move(rows), groups, seed);
}

}  // namespace coterie
