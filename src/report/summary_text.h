// What `coterie run` prints at its end: the run's key figures, and who was put where.
#pragma once

#include <string>
#include <vector>

#include "report/run_folder.h"
#include "report/table.h"

namespace coterie {

std::string summary_text(const RunRecord& run, const std::vector<ClientRow>& clients,
                         const std::vector<EventLine>& events, Marks marks = Marks::star);

// Of the run in a folder.
std::string summary_text(const std::string& folder, Marks marks = Marks::star);

// What happened to a run that diverged, and what to try; empty for others.
std::string verdict_text(const RunRecord& run, const std::vector<EventLine>& events);

// "rotated digits: ifca on digits, mlp, 60 rounds, seed 1"
std::string headline(const RunRecord& run);

}  // namespace coterie
