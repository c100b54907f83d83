// Federation specs in a line or two.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "data/federation/federation.h"
#include "support/fake_sources.h"
#include "support/plugins.h"

namespace coterie {

// numbered_images: rows 0 .. rows-1 to train on, and test rows numbered from 1000.
inline Pool numbered_pool(std::size_t rows, std::size_t classes, std::size_t test = 0) {
  Pool pool;
  pool.train = numbered_images(rows, classes);
  pool.test = numbered_images(test, classes, 1000);
  return pool;
}

inline FederationSpec pool_spec(Pool pool, std::size_t clients, const std::string& partition = "iid",
                                const std::string& options = "") {
  FederationSpec spec;
  spec.source = std::make_unique<FakePool>(std::move(pool));
  spec.source_name = "fake";
  spec.partition = make_plugin<Partition>(partition, options);
  spec.clients.count = static_cast<std::int64_t>(clients);
  return spec;
}

inline FederationSpec generator_spec(std::vector<double> slopes, std::size_t clients, std::size_t samples) {
  FederationSpec spec;
  spec.source = std::make_unique<FakeGenerator>(std::move(slopes));
  spec.source_name = "fake";
  spec.partition = make_plugin<Partition>("iid");
  spec.clients.count = static_cast<std::int64_t>(clients);
  spec.clients.samples = static_cast<std::int64_t>(samples);
  return spec;
}

inline void add_shift(FederationSpec& spec, const std::string& name, const std::string& options = "",
                      std::vector<double> shares = {}, std::optional<bool> truth = std::nullopt) {
  ShiftUse& use = spec.shifts.emplace_back();
  use.shift = make_plugin<Shift>(name, options);
  use.shares = std::move(shares);
  use.truth = truth;
}

inline std::unique_ptr<Federation> build(const FederationSpec& spec, std::uint64_t seed = 1) {
  return build_federation(spec, {}, seed);
}

inline std::vector<std::size_t> rows_of(const Federation& federation, ClientId client, Part part,
                                        std::uint32_t round = 0) {
  return row_numbers(*federation.samples(client, part, round));
}

// Row numbers of all parts of some clients, sorted.
inline std::vector<std::size_t> all_rows(const Federation& federation, const std::vector<ClientId>& clients) {
  std::vector<std::size_t> rows;
  for (ClientId client : clients) {
    for (Part part : {Part::train, Part::validation, Part::test}) {
      for (std::size_t row : rows_of(federation, client, part)) rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Training clients of one true cluster.
inline std::vector<ClientId> members(const Federation& federation, std::uint32_t cluster) {
  std::vector<ClientId> ids;
  for (ClientId i = 0; i < federation.training(); ++i) {
    if (federation.info(i).truth == cluster) ids.push_back(i);
  }
  return ids;
}

inline std::vector<std::size_t> first_numbers(std::size_t count, std::size_t from = 0) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(from + i);
  return numbers;
}

}  // namespace coterie
