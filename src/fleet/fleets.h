// The kinds of fleet, and what a config says about them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// [fleet]
struct FleetOptions {
  std::string kind = "threads";
  std::int64_t block = 8;
  double quorum = 0.5;
  double memory = 4;  // GB
  double gram = 0.5;  // GB

  void options(Options& o);
};

// Name and one sentence of each kind.
std::vector<std::pair<std::string, std::string>> fleet_kinds();

// `algorithm` is asked for its jobs and to bring client states up to date; `folder` is where those states
// live ("": in memory). What it borrows must outlive it.
std::unique_ptr<Fleet> make_fleet(const Engine& engine, const Algorithm& algorithm,
                                  const FleetOptions& options, unsigned threads, const std::string& folder);

// The makers that make_fleet chooses from.
std::unique_ptr<Fleet> make_threads_fleet(const Engine& engine, const Algorithm& algorithm,
                                          const FleetOptions& options, unsigned threads,
                                          const std::string& folder);
std::unique_ptr<Fleet> make_scramble_fleet(const Engine& engine, const Algorithm& algorithm,
                                           const FleetOptions& options, const std::string& folder);

}  // namespace coterie
