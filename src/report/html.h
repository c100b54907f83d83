// HTML pages about runs, each one self-contained file.
#pragma once

#include <string>
#include <vector>

namespace coterie {

// Writes report.html into a run's folder: key figures, the clusters, curves, events and the config. Returns
// its path.
std::string write_report(const std::string& folder);

// Writes the pages of these runs of a sweep again where they say more now that all have ended: what clients
// gain over fedavg and local.
void renew_reports(const std::vector<std::string>& folders);

// Writes a page that compares runs: the table of `coterie compare`, their curves, and links to their own
// pages where they have some. `folders` are runs; `unfinished`, where others are that did not get to their
// end.
void write_comparison(const std::vector<std::string>& folders, const std::string& out,
                      const std::vector<std::string>& unfinished = {});

}  // namespace coterie
