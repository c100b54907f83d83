// A pool's rows: which train, which test, and who holds them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "data/federation/federation.h"
#include "data/federation/groups.h"
#include "data/federation/parts.h"

namespace coterie {

// The rows that are dealt, and the rows that test: the pool's own test part, or some held out of its train
// part.
struct PoolRows {
  std::vector<std::uint32_t> train;   // rows of pool.train
  std::vector<double> labels;         // of these; empty for regression
  std::vector<std::uint32_t> owners;  // of these; may be empty
  const Samples* test_samples = nullptr;
  std::vector<std::uint32_t> test;                 // rows of *test_samples
  std::vector<std::vector<std::uint32_t>> unseen;  // rows of pool.train of owners that never train

  // A deal of all training rows, for a number of clients yet to be set.
  DealRequest request(const Pool& pool, const ClientsOptions& clients) const;
  // The test rows of some classes, in order; all when the list is empty.
  std::vector<std::uint32_t> test_of_classes(const std::vector<std::uint32_t>& classes) const;
};
// `by_owner`: the share of each owner's rows, rounded down, rather than of all rows. Owners in `unseen` are
// left out whole.
PoolRows split_pool(const Pool& pool, double test_share, bool by_owner, std::uint64_t seed,
                    const std::vector<std::uint32_t>& unseen = {});
// Owners that never train, ascending: those that are named, or as many as wanted, chosen by the seed.
std::vector<std::uint32_t> choose_unseen_owners(const UnseenOptions& options, const Pool& pool,
                                                std::uint64_t seed);
// The owner that each client will stand for.
std::vector<std::uint32_t> owners_of_clients(const FederationSpec& spec, const Pool& pool,
                                             const PoolRows& rows, std::size_t clients, std::uint64_t seed);

// The rows of each training client, as flat arrays: the first deal, and that of the latest epoch asked for.
// Borrows the pool and its rows.
class Deal {
 public:
  Deal(const FederationSpec& spec, const Pool& pool, const PoolRows& rows, const ClientProfiles& groups,
       std::uint64_t seed);

  std::size_t size(std::size_t client) const { return starts_[client + 1] - starts_[client]; }
  // Whose rows they are, in order of their numbers; nothing when the partition does not go by owner.
  std::vector<std::uint32_t> owners(std::size_t client) const;
  // How a client's rows are cut: by what the data says of each row, or by [clients] parts.
  Cut cut(std::size_t client) const {
    return cuts_.empty() ? cut_parts(size(client), options_) : cuts_[client];
  }
  // Rows of pool.train in one part of a client. In epochs after the first (asked for training parts only)
  // these are other rows in the same number, and of the same classes where the partition is about classes:
  // any that the scope did not deal into validation and test parts.
  std::vector<std::uint32_t> rows(std::size_t client, Part part, std::uint32_t epoch) const;

 private:
  using Flat = std::vector<std::uint32_t>;
  Cut mark_parts(std::size_t client, Flat& hand) const;
  void deal_scope(std::size_t scope, const FederationSpec& spec, std::vector<Flat>& hands) const;
  void redeal_scope(std::size_t scope, std::uint32_t epoch, Flat& flat) const;
  void redeal_as_pytorch(std::uint32_t epoch, Flat& flat) const;
  std::shared_ptr<const Flat> epoch_rows(std::uint32_t epoch) const;

  const Pool& pool_;
  const PoolRows& rows_;
  ClientsOptions options_;
  Exchange exchange_;
  bool by_owner_;
  bool mixes_owners_;
  std::uint64_t seed_;
  bool pytorch_ = false;   // redeal = "pytorch" or "pytorch-shuffled"
  bool shuffled_ = false;  // the latter
  std::vector<Flat>
      scopes_;  // clients among which all training rows are dealt: everyone, or each true cluster
  std::vector<std::size_t> starts_;
  std::vector<Cut> cuts_;  // where the data says which part a row is in
  Flat first_;

  mutable std::mutex mutex_;
  mutable std::uint32_t latest_epoch_ = 0;
  mutable std::shared_ptr<const Flat> latest_;
};

}  // namespace coterie
