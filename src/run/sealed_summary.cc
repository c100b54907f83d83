#include "run/sealed_summary.h"

#include <fmt/format.h>

#include "base/checksum.h"
#include "base/disk.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& path) {
  throw Error(path + " was changed or damaged after the run; restore it, or run again with --force");
}

}  // namespace

std::string checksum_text(std::string_view content) {
  return fmt::format("{:08x}", checksum(std::as_bytes(std::span(content.data(), content.size()))));
}

std::string summary_text(const Json& summary) {
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void seal_summary(Json& summary) { summary["checksum"] = checksum_text(summary_text(summary)); }

void check_summary(const std::string& folder, Json summary) {
  const std::string path = folder + "/summary.json";
  if (!summary.contains("checksum")) return;
  const Json sum = summary["checksum"];
  summary.erase("checksum");
  if (sum != checksum_text(summary_text(summary)) || !summary["checksums"].is_object()) refuse(path);
  for (const auto& [name, expected] : summary["checksums"].items()) {
    const std::string file = folder + "/" + name;
    if (is_file(file) && expected != checksum_text(read_file(file))) refuse(file);
  }
}

}  // namespace coterie
