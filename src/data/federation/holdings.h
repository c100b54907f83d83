// What clients hold before shifts: rows dealt from a pool, or drawn from a generator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "data/federation/deal.h"
#include "data/federation/federation.h"
#include "data/federation/groups.h"

namespace coterie {

// An unseen client, or a shared test set.
struct Judge {
  ClientId id = 0;
  Role role = Role::unseen;
  std::uint32_t cluster = 0;
  std::size_t index = 0;  // among the unseen clients of its true cluster; of an owner: among all unseen ones
  std::size_t peers = 0;  // unseen clients of that cluster
};

// Unseen clients take the true clusters in turn.
inline Judge unseen_judge(std::size_t index, std::size_t unseen, std::size_t clusters) {
  const std::size_t cluster = index % clusters;
  return {.cluster = static_cast<std::uint32_t>(cluster),
          .index = index / clusters,
          .peers = unseen / clusters + (cluster < unseen % clusters ? 1 : 0)};
}

// Const and thread-safe.
class Holdings {
 public:
  virtual ~Holdings() = default;
  virtual std::size_t size(std::size_t client) const = 0;
  // How the data itself cuts a client's samples into parts; nothing where it does not say.
  virtual std::optional<Cut> marked(std::size_t client) const {
    (void)client;
    return std::nullopt;
  }
  virtual std::optional<Cut> marked(const Judge& judge) const {
    (void)judge;
    return std::nullopt;
  }
  // The owners that a training client stands for.
  virtual std::vector<std::uint32_t> owners(std::size_t client) const {
    (void)client;
    return {};
  }
  // A part of a training client's samples in an epoch; parts other than training are asked for in epoch 0
  // only.
  virtual Samples samples(std::size_t client, Part part, std::uint32_t epoch) const = 0;
  // 0 for a shared test set: there is no test data.
  virtual std::size_t size(const Judge& judge) const = 0;
  virtual Samples samples(const Judge& judge, std::size_t begin, std::size_t count) const = 0;
  // Copies the rows of a pool that these clients and judges have; from then on only those can be asked for.
  virtual void keep_only(std::span<const std::size_t> clients, std::span<const Judge> judges) {
    (void)clients, (void)judges;
  }
  // The rows of the pool's training samples in a part of a training client, as they were dealt first, and
  // those of a judge; none for a generator, and for judges that have rows from elsewhere.
  virtual std::vector<std::uint32_t> rows(std::size_t client, Part part) const {
    (void)client, (void)part;
    return {};
  }
  virtual std::vector<std::uint32_t> rows(const Judge& judge) const {
    (void)judge;
    return {};
  }
};

// They borrow the population or pool and the groups; both throw Error with the numbers when the spec asks for
// too much.
std::unique_ptr<Holdings> deal_pool(const FederationSpec& spec, const Pool& pool, PoolRows rows,
                                    const ClientProfiles& groups, std::uint64_t seed);
std::unique_ptr<Holdings> draw_from(const FederationSpec& spec, const Population& population,
                                    const ClientProfiles& groups, std::uint64_t seed);

}  // namespace coterie
