// What a finished run leaves behind for people and programs: summary.json and clients.csv.
#pragma once

#include "run/folder.h"
#include "run/session.h"

namespace coterie {

// Figures of the machine rather than of the method.
struct RunCost {
  double seconds = 0;
  double seconds_per_round = 0;  // without evaluation, over the rounds that were run
  unsigned ranks = 1;
  double waited = 0;                 // seconds, of the rank that waited longest for others
  std::uint64_t bytes_merged = 0;    // that a rank gave to merges
  unsigned threads = 1;              // of each
  std::uint64_t peak_rss_bytes = 0;  // of the largest
};
std::uint64_t peak_rss_bytes();

// `last`: what rounds.jsonl has of the last evaluation.
void write_summary(const RunFolder& folder, Session& session, const Evaluation& evaluation,
                   const Record& last, std::uint32_t rounds, const RunCost& cost, const std::string& verdict);
void write_clients(const RunFolder& folder, Session& session, const Evaluation& evaluation);

}  // namespace coterie
