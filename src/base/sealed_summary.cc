#include "base/sealed_summary.h"

#include <fmt/format.h>

#include "base/checksum.h"
#include "base/disk.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

std::string path_of(const std::string& folder) { return folder + "/summary.json"; }

// Eight hexadecimal digits.
std::string checksum_text(std::string_view content) {
  return fmt::format("{:08x}", checksum(std::as_bytes(std::span(content.data(), content.size()))));
}

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw Error(fmt::format("{} {}; restore it, or run again with --force", path, what));
}

bool is_model(const std::string& name) { return name.starts_with("models/"); }

}  // namespace

std::string summary_text(const Json& summary) {
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void seal_summary(const std::string& folder, const std::vector<std::string>& files, Json& summary) {
  for (const std::string& name : files)
    summary["checksums"][name] = checksum_text(read_file(folder + "/" + name));
  summary["checksum"] = checksum_text(summary_text(summary));
}

Json read_summary(const std::string& folder) {
  Json summary = Json::parse(read_file(path_of(folder)), nullptr, false);
  if (!summary.is_object())
    throw Error(path_of(folder) + ": is not a JSON object; was the file changed or cut?");
  return summary;
}

void check_summary(const std::string& folder, Json summary, Vouched files) {
  constexpr const char* kChanged = "was changed or damaged after the run";
  if (!summary.contains("checksum")) return;
  const Json sum = summary["checksum"];
  summary.erase("checksum");
  if (sum != checksum_text(summary_text(summary)) || !summary["checksums"].is_object())
    refuse(path_of(folder), kChanged);
  for (const auto& [name, expected] : summary["checksums"].items()) {
    if (files != Vouched::all && is_model(name) != (files == Vouched::models)) continue;
    const std::string path = folder + "/" + name;
    if (!is_file(path)) refuse(path, "is missing");
    if (expected != checksum_text(read_file(path))) refuse(path, kChanged);
  }
}

std::vector<std::string> vouched_models(const std::string& folder) {
  std::vector<std::string> models;
  if (!is_file(path_of(folder))) return models;
  const Json summary = Json::parse(read_file(path_of(folder)), nullptr, false);
  if (!summary.is_object() || !summary.contains("checksums")) return models;
  for (const auto& [name, sum] : summary["checksums"].items()) {
    if (is_model(name)) models.push_back(name);
  }
  return models;
}

}  // namespace coterie
