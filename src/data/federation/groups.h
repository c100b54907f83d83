// Who is in which group: variants of shifts dealt to clients, and the true clusters that follow.
#pragma once

#include <cstdint>
#include <vector>

#include "data/federation/federation.h"

namespace coterie {

// What makes a client's data different from another's; clients with the same profile are alike.
struct Profile {
  std::uint32_t group = 0;              // of the population
  std::uint32_t class_set = 0;          // of the partition
  std::vector<std::uint32_t> variants;  // of each shift
  std::uint32_t truth = 0;              // true cluster
  std::size_t clients = 0;              // clients that have it
};

struct ClientProfiles {
  std::vector<Profile> profiles;                       // those that occur
  std::vector<std::uint32_t> profile_of;               // of each training client, then of unseen owners
  std::size_t training = 0;                            // how many of these train
  std::vector<std::vector<std::uint32_t>> of_truth;    // profiles of each true cluster
  std::vector<std::vector<std::uint32_t>> class_sets;  // of the partition; may be empty
  Truth truth;
  std::vector<std::string> notes;  // remarks for the user, one sentence each
};

// True clusters are the product of the population's groups, the partition's sets of classes and the variants
// of shifts that count as truth; those that occur are numbered in that order. `groups`: the population's
// group of each client where the data says it; empty: dealt in the population's shares.
ClientProfiles group_clients(const FederationSpec& spec, const Population& population, std::size_t clients,
                             std::uint64_t seed, const std::vector<std::uint32_t>& groups = {});

}  // namespace coterie
