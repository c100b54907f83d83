// Pools to deal and what to ask of a deal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "coterie/partition.h"

namespace coterie {

using Hands = std::vector<std::vector<std::uint32_t>>;

// Rows whose labels go round, and whose owners are runs of equal length.
struct TestPool {
  TestPool(std::size_t rows, std::size_t classes, std::size_t owners = 1) {
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(static_cast<double>(i % classes));
      owner.push_back(static_cast<std::uint32_t>(i * owners / rows));
    }
    request.rows = rows;
    request.labels = labels;
    request.classes = classes;
    request.owners = owner;
    request.owner_count = owners;
  }
  DealRequest for_clients(std::size_t clients, std::optional<std::size_t> samples = std::nullopt) const {
    DealRequest own = request;
    own.clients = clients;
    own.samples = samples;
    return own;
  }

  std::vector<double> labels;
  std::vector<std::uint32_t> owner;
  DealRequest request;
};

inline Hands deal(const Partition& partition, const DealRequest& request, std::uint64_t seed = 1) {
  Stream stream(seed, {.purpose = Purpose::deal});
  return partition.deal(request, stream);
}

// Every row number is below `rows` and has one client at most; returns how many have one.
inline std::size_t expect_disjoint(const Hands& hands, std::size_t rows) {
  std::vector<int> holders(rows, 0);
  std::size_t dealt = 0;
  for (const std::vector<std::uint32_t>& hand : hands) {
    for (std::uint32_t row : hand) {
      EXPECT_LT(row, rows);
      if (row < rows) ++holders[row];
      ++dealt;
    }
  }
  for (std::size_t row = 0; row < rows; ++row) EXPECT_LE(holders[row], 1) << "row " << row;
  return dealt;
}

inline std::vector<std::size_t> sizes_of(const Hands& hands) {
  std::vector<std::size_t> sizes;
  for (const std::vector<std::uint32_t>& hand : hands) sizes.push_back(hand.size());
  return sizes;
}

inline std::set<std::uint32_t> classes_of(const std::vector<std::uint32_t>& hand,
                                          const DealRequest& request) {
  std::set<std::uint32_t> classes;
  for (std::uint32_t row : hand) classes.insert(static_cast<std::uint32_t>(request.labels[row]));
  return classes;
}

// The text of the Error that an action throws; "" when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace coterie
