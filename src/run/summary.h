// What a finished run leaves behind for people and programs: summary.json, clients.csv, models.
#pragma once

#include "data/formats/safetensors.h"
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

void write_summary(const RunFolder& folder, Session& session, const Record& last, std::uint32_t rounds,
                   const RunCost& cost, const std::string& verdict);
void write_clients(const RunFolder& folder, Session& session, const Evaluation& evaluation);
void write_models(const RunFolder& folder, Session& session);

}  // namespace coterie
