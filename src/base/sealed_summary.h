// summary.json vouches for the other files of a finished run and for itself, so that nothing is shown, said
// to be finished or started from that was damaged after the run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace coterie {

// As it is written.
std::string summary_text(const nlohmann::ordered_json& summary);
// Adds the checksums of these files of the folder, and as its last entry that of all that is in it.
void seal_summary(const std::string& folder, const std::vector<std::string>& files,
                  nlohmann::ordered_json& summary);

// The summary of this folder; an Error when its text is no JSON object.
nlohmann::ordered_json read_summary(const std::string& folder);

// What is looked at: models may be large, and not everybody needs them.
enum class Vouched { models, others, all };
// Throws Error when the summary, or a file that it vouches for, is missing or not as the run left it.
// Summaries of older versions vouch for less, or for nothing.
void check_summary(const std::string& folder, nlohmann::ordered_json summary, Vouched files);

// The models that it vouches for: "models/cluster-0.safetensors" ... None where it is damaged or not there.
std::vector<std::string> vouched_models(const std::string& folder);

}  // namespace coterie
