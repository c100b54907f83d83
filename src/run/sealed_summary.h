// summary.json vouches for the run's other figures and for itself, so that tables and pages are not made from
// files that were damaged after the run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coterie {

// Eight hexadecimal digits.
std::string checksum_text(std::string_view content);

// As it is written.
std::string summary_text(const nlohmann::ordered_json& summary);
// Adds the checksum of all that is in it, as its last entry.
void seal_summary(nlohmann::ordered_json& summary);
// Throws Error when it, or a file that it vouches for, is not as the run left it. Summaries of older versions
// vouch for nothing.
void check_summary(const std::string& folder, nlohmann::ordered_json summary);

}  // namespace coterie
