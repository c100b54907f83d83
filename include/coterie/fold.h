// Folds: how the replies of an ask become a result without the order of arrival mattering.
//
//   Sums     weighted sums into slots (cluster models, counts, matrices); memory: slots x workers
//   Robust   keeps the vectors by slot, then lets an aggregator combine them; memory: cohort x vector
//   Collect  keeps chosen parts of every reply, by client; memory: cohort x part
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/archive.h"
#include "coterie/job.h"
#include "coterie/options.h"
#include "coterie/registry.h"

namespace coterie {

// One client's vector in a slot.
struct Contribution {
  ClientId client = 0;
  double weight = 1;
  Vec values;
  void fields(Archive& a) { a(client, weight, values); }
};

// Combines one slot's vectors, which come in order of client and are never empty.
class Aggregator {
 public:
  virtual ~Aggregator() = default;
  virtual void options(Options& o) = 0;
  virtual Vec combine(std::span<const Contribution> contributions) const = 0;
  // How many copies of a slot's vectors it makes while it combines them, for the memory budget.
  virtual std::size_t copies() const { return 1; }
};

// The other processes that work on the same run (MPI ranks). Every process gets the result.
class Peers {
 public:
  virtual ~Peers() = default;
  // Each number becomes the sum over all processes.
  virtual void sum(std::span<std::int64_t> numbers) = 0;
  // What each process gave, in the order of the processes.
  virtual std::vector<Bytes> gather(const Bytes& own) = 0;
};

// Where weighted vectors are gathered by slot. Opened before an ask, closed after it; then it can be read.
class Slots {
 public:
  explicit Slots(std::vector<std::size_t> widths, double limit) : widths_(std::move(widths)), limit_(limit) {}
  virtual ~Slots() = default;

  std::size_t count() const { return widths_.size(); }
  std::size_t width(std::size_t slot) const { return widths_[slot]; }
  // Why such a contribution cannot be taken ("" when it can): no such slot, wrong size, values that are not
  // finite or larger than the limit, a weight that is negative or not finite.
  std::string refuse(std::size_t slot, double weight, const Numbers& values) const;

  // Memory that one reply takes until close(); 0 when replies are summed on arrival.
  virtual std::uint64_t bytes_each() const { return 0; }
  virtual void open(unsigned workers) = 0;
  // Takes what refuse() let pass. One call at a time for each worker.
  virtual void add(unsigned worker, ClientId client, std::size_t slot, double weight,
                   const Numbers& values) = 0;
  // The same for several clients; what they hold is read piece by piece, so that sums stay in cache.
  struct Piece {
    ClientId client;
    std::size_t slot;
    double weight;
    const Numbers* values;
  };
  virtual void add_block(unsigned worker, std::span<const Piece> pieces) {
    for (const Piece& one : pieces) add(worker, one.client, one.slot, one.weight, *one.values);
  }
  // Before close(): adds what other processes were given.
  virtual void merge(Peers& peers) = 0;
  virtual void close() = 0;

  // After close(). The combined vector of a slot, or nothing when its total weight is 0.
  virtual std::optional<Vec> mean(std::size_t slot) const = 0;
  Vec mean_or(std::size_t slot, const Vec& otherwise) const { return mean(slot).value_or(otherwise); }
  virtual double weight(std::size_t slot) const = 0;
  virtual std::size_t members(std::size_t slot) const = 0;

 protected:
  std::vector<std::size_t> widths_;
  double limit_;
};

// Exact sums. Each w * x is rounded to a multiple of 2^-s and added as a 64-bit integer: addition of integers
// is associative, so arrival, threads, blocks and ranks cannot matter. s = 62 - ceil(log2(limit *
// total_weight)): sums cannot overflow as long as the weights add up to at most total_weight, which close()
// checks.
class Sums : public Slots {
 public:
  Sums(std::vector<std::size_t> widths, double total_weight, double limit = 1024);
  Sums(std::size_t slots, std::size_t width, double total_weight, double limit = 1024)
      : Sums(std::vector<std::size_t>(slots, width), total_weight, limit) {}

  void open(unsigned workers) override;
  void add(unsigned worker, ClientId client, std::size_t slot, double weight, const Numbers& values) override;
  void add_block(unsigned worker, std::span<const Piece> pieces) override;
  void merge(Peers& peers) override;
  void close() override;
  std::optional<Vec> mean(std::size_t slot) const override;
  double weight(std::size_t slot) const override;
  std::size_t members(std::size_t slot) const override;
  // sum of w * x, zeros for a slot that nobody used.
  Vec sum(std::size_t slot) const;

 private:
  struct Cell {
    std::vector<std::int64_t> values;
    std::int64_t weight = 0;
    std::uint64_t members = 0;
  };
  // One more member of a slot, without its values.
  void enter(unsigned worker, std::size_t slot, double weight);

  double total_weight_;
  int shift_;                             // s
  int weight_shift_;                      // the same for weights
  std::vector<std::vector<Cell>> cells_;  // worker x slot; closed: one worker
};

class Robust : public Slots {
 public:
  Robust(std::vector<std::size_t> widths, const Aggregator& aggregator, double limit = 1024);

  std::uint64_t bytes_each() const override;
  void open(unsigned workers) override;
  void add(unsigned worker, ClientId client, std::size_t slot, double weight, const Numbers& values) override;
  void merge(Peers& peers) override;
  void close() override;
  std::optional<Vec> mean(std::size_t slot) const override;
  double weight(std::size_t slot) const override;
  std::size_t members(std::size_t slot) const override;

 private:
  const Aggregator& aggregator_;
  std::vector<std::vector<std::vector<Contribution>>> cells_;  // worker x slot
};

// [aggregate]: how a method combines the vectors of a cluster.
struct AggregateOptions {
  std::string kind = "mean";
  std::string weights = "samples";         // or "uniform"
  double limit = 1024;                     // largest coordinate a reply may have
  std::unique_ptr<Aggregator> aggregator;  // made from kind

  // `kind` and the aggregator's own options are read elsewhere.
  void options(Options& o);
  // Exact sums for "mean", else a Robust over the aggregator.
  std::unique_ptr<Slots> slots(std::size_t count, std::size_t width, double total_weight) const;
};

// What an ask does with the replies, their type erased. refuse() is asked of every fold before any add().
class AnyFold {
 public:
  virtual ~AnyFold() = default;
  // Memory that one reply takes until the ask is over, checked against the budget before it starts.
  virtual std::uint64_t bytes_each() const = 0;
  virtual void open(unsigned workers) = 0;
  virtual std::string refuse(ClientId client, Message& reply) const = 0;
  virtual void add(unsigned worker, ClientId client, Message& reply) = 0;
  virtual void add_block(unsigned worker, std::span<const std::pair<ClientId, Message*>> replies) = 0;
  // Between the last reply and close(): brings in what other processes folded.
  virtual void merge(Peers& peers) = 0;
  virtual void close() = 0;
};

// The same for replies of one type.
template <class Reply>
class Fold : public AnyFold {
 public:
  virtual std::string refuse(ClientId client, const Reply& reply) const = 0;
  virtual void add(unsigned worker, ClientId client, Reply& reply) = 0;
  // Several clients' replies at once.
  virtual void add_block(unsigned worker, std::span<const std::pair<ClientId, Reply*>> replies) {
    for (const auto& [client, reply] : replies) add(worker, client, *reply);
  }

  std::string refuse(ClientId client, Message& reply) const final {
    return refuse(client, static_cast<const Reply&>(content_of<Reply>(reply)));
  }
  void add(unsigned worker, ClientId client, Message& reply) final {
    add(worker, client, content_of<Reply>(reply));
  }
  void add_block(unsigned worker, std::span<const std::pair<ClientId, Message*>> replies) final {
    std::vector<std::pair<ClientId, Reply*>> typed;
    for (const auto& [client, reply] : replies) typed.emplace_back(client, &content_of<Reply>(*reply));
    add_block(worker, std::span<const std::pair<ClientId, Reply*>>(typed));
  }
};

// A slot and a weight in it.
struct Share {
  std::size_t slot = 0;
  double weight = 1;
};

// Adds one vector of each reply to the slot that the server chooses for it.
template <class Reply>
class IntoSlots : public Fold<Reply> {
 public:
  using Fold<Reply>::refuse;
  using Fold<Reply>::add;
  using Fold<Reply>::add_block;
  IntoSlots(Slots& slots, Numbers Reply::*vector, std::function<Share(ClientId, const Reply&)> share)
      : slots_(slots), vector_(vector), share_(std::move(share)) {}

  std::uint64_t bytes_each() const override { return slots_.bytes_each(); }
  void open(unsigned workers) override { slots_.open(workers); }
  std::string refuse(ClientId client, const Reply& reply) const override {
    Share share = share_(client, reply);
    return slots_.refuse(share.slot, share.weight, reply.*vector_);
  }
  void add(unsigned worker, ClientId client, Reply& reply) override {
    Share share = share_(client, reply);
    slots_.add(worker, client, share.slot, share.weight, reply.*vector_);
  }
  void add_block(unsigned worker, std::span<const std::pair<ClientId, Reply*>> replies) override {
    std::vector<Slots::Piece> pieces;
    for (const auto& [client, reply] : replies) {
      Share share = share_(client, *reply);
      pieces.push_back({client, share.slot, share.weight, &(reply->*vector_)});
    }
    slots_.add_block(worker, pieces);
  }
  void merge(Peers& peers) override { slots_.merge(peers); }
  void close() override { slots_.close(); }

 private:
  Slots& slots_;
  Numbers Reply::*vector_;
  std::function<Share(ClientId, const Reply&)> share_;
};

// Keeps what `pick` takes from each reply; after the ask, `items` is in order of client.
template <class Reply, class Item>
class Collect : public Fold<Reply> {
 public:
  using Fold<Reply>::refuse;
  using Fold<Reply>::add;
  // `refuse` may reject a reply whose picked part makes no sense; `heap_each` is what an item owns beyond
  // itself.
  explicit Collect(std::function<Item(Reply&)> pick,
                   std::function<std::string(ClientId, const Reply&)> refuse = nullptr,
                   std::uint64_t heap_each = 0)
      : pick_(std::move(pick)), refuse_(std::move(refuse)), heap_each_(heap_each) {}

  std::vector<std::pair<ClientId, Item>> items;

  std::uint64_t bytes_each() const override { return sizeof(std::pair<ClientId, Item>) + heap_each_; }
  void open(unsigned workers) override { parts_.assign(workers, {}); }
  std::string refuse(ClientId client, const Reply& reply) const override {
    return refuse_ ? refuse_(client, reply) : std::string();
  }
  void add(unsigned worker, ClientId client, Reply& reply) override {
    parts_[worker].emplace_back(client, pick_(reply));
  }
  void merge(Peers& peers) override {
    std::vector<std::pair<ClientId, Item>> mine;
    for (auto& part : parts_) std::move(part.begin(), part.end(), std::back_inserter(mine));
    parts_.assign(1, {});
    for (const Bytes& one : peers.gather(encode(mine, Precision::f64))) {
      auto theirs = decode<std::vector<std::pair<ClientId, Item>>>(one, Precision::f64);
      std::move(theirs.begin(), theirs.end(), std::back_inserter(parts_[0]));
    }
  }
  void close() override {
    items.clear();
    for (auto& part : parts_) std::move(part.begin(), part.end(), std::back_inserter(items));
    std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    parts_.clear();
  }

 private:
  std::function<Item(Reply&)> pick_;
  std::function<std::string(ClientId, const Reply&)> refuse_;
  std::uint64_t heap_each_;
  std::vector<std::vector<std::pair<ClientId, Item>>> parts_;
};

}  // namespace coterie
