// What a finished run leaves behind for people and programs: summary.json and clients.csv.
#pragma once

#include "run/folder.h"
#include "run/session.h"

namespace coterie {

// Figures of the machine rather than of the method.
struct RunCost {
  double seconds = 0;
  double seconds_per_round = 0;  // without evaluation, over the rounds that were run
  unsigned threads = 1;
  std::uint64_t peak_rss_bytes = 0;
};
std::uint64_t peak_rss_bytes();

// `last`: what rounds.jsonl has of the last evaluation.
void write_summary(const RunFolder& folder, Session& session, const Evaluation& evaluation,
                   const Record& last, std::uint32_t rounds, const RunCost& cost, const std::string& verdict);
void write_clients(const RunFolder& folder, Session& session, const Evaluation& evaluation);

}  // namespace coterie
