// Folds: how the replies of an ask become a result without the order of arrival mattering.
//
//   IntoSlots  adds a vector of each reply to a slot (methods/slots.h): exact sums, or an aggregator's mean
//   Collect    keeps chosen parts of every reply, by client; memory: cohort x part
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

#include "coterie/detail/job.h"
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
    items = joined();
    std::vector<Bytes> all = peers.gather(encode_kept(items));
    parts_.assign(1, {});
    parts_[0].reserve(items.size() * all.size());
    std::exchange(items, {});  // = {} would keep the memory, here and below
    for (Bytes& one : all) {
      auto theirs = decode_kept<std::vector<std::pair<ClientId, Item>>>(one);
      std::exchange(one, {});
      std::move(theirs.begin(), theirs.end(), std::back_inserter(parts_[0]));
    }
  }
  void close() override {
    items = joined();
    std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    parts_.clear();
  }

 private:
  // The parts, one after the other; none is copied where there is one.
  std::vector<std::pair<ClientId, Item>> joined() {
    if (parts_.empty()) return {};
    std::vector<std::pair<ClientId, Item>> all = std::move(parts_[0]);
    std::size_t count = all.size();
    for (std::size_t p = 1; p < parts_.size(); ++p) count += parts_[p].size();
    all.reserve(count);
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      std::move(parts_[p].begin(), parts_[p].end(), std::back_inserter(all));
      std::exchange(parts_[p], {});
    }
    return all;
  }

  std::function<Item(Reply&)> pick_;
  std::function<std::string(ClientId, const Reply&)> refuse_;
  std::uint64_t heap_each_;
  std::vector<std::vector<std::pair<ClientId, Item>>> parts_;
};

}  // namespace coterie
