// Weighted vectors by slot: sums of clients' vectors, one for each cluster, say, and the fold that adds a
// vector of each reply to the slot that the server chooses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/fold.h"

namespace coterie {

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

// A slot and a weight in it.
struct SlotWeight {
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
  IntoSlots(Slots& slots, Numbers Reply::*vector, std::function<SlotWeight(ClientId, const Reply&)> place)
      : slots_(slots), vector_(vector), place_(std::move(place)) {}

  std::uint64_t bytes_each() const override { return slots_.bytes_each(); }
  void open(unsigned workers) override { slots_.open(workers); }
  std::string refuse(ClientId client, const Reply& reply) const override {
    SlotWeight place = place_(client, reply);
    return slots_.refuse(place.slot, place.weight, reply.*vector_);
  }
  void add(unsigned worker, ClientId client, Reply& reply) override {
    SlotWeight place = place_(client, reply);
    slots_.add(worker, client, place.slot, place.weight, reply.*vector_);
  }
  void add_block(unsigned worker, std::span<const std::pair<ClientId, Reply*>> replies) override {
    std::vector<Slots::Piece> pieces;
    for (const auto& [client, reply] : replies) {
      SlotWeight place = place_(client, *reply);
      pieces.push_back({client, place.slot, place.weight, &(reply->*vector_)});
    }
    slots_.add_block(worker, pieces);
  }
  void merge(Peers& peers) override { slots_.merge(peers); }
  void close() override { slots_.close(); }

 private:
  Slots& slots_;
  Numbers Reply::*vector_;
  std::function<SlotWeight(ClientId, const Reply&)> place_;
};

}  // namespace coterie
