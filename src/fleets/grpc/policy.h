// What a client lets a run do with its data: the policy file of its owner, who has the last word.
#pragma once

#include <string>
#include <vector>

#include "coterie/options.h"
#include "fleet/client_program.h"
#include "fleet/message.h"

namespace coterie::net {

struct Policy {
  std::vector<std::string> jobs;     // that may be worked on; empty: all
  std::vector<std::string> methods;  // algorithms; empty: all
  std::vector<std::string> columns;  // that may be features; empty: all
  std::vector<std::string> solvers;  // how it trains; empty: all
  bool labels = true;
  bool losses = true;
  bool means = true;
  bool files = false;
  std::int64_t rounds = 0;
  std::int64_t samples = 0;

  void options(Options& o);
  // Throws BadConfig with all mistakes. "" is a policy that allows everything.
  static Policy read(const std::string& file);

  // Why the data may not be used in this run at all; "" when it may.
  std::string refuse_run(const std::string& program, const Agreement& agreement, std::size_t training) const;
  // Why nothing may be told of this data: too few samples, or columns that it may not be used with.
  std::string refuse_data(const TableSchema* table, std::size_t training) const;
  // Why an order is not worked on.
  std::string refuse_order(const MessageHeader& header) const;
};

}  // namespace coterie::net
