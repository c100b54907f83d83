#include "fit/kept.h"

#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "base/md5.h"

namespace coterie {

using Json = nlohmann::ordered_json;

std::string KeptWork::key_of(const std::string& about) const { return md5_of(key_ + "\n" + about); }

std::optional<Json> KeptWork::find(const std::string& name, const std::string& about) const {
  if (!is_file(file(name))) return std::nullopt;
  const Json kept = Json::parse(read_file(file(name)), nullptr, false);
  if (!kept.is_object() || !kept.contains("result") || kept.value("key", "") != key_of(about))
    return std::nullopt;
  if (kept.value("checksum", "") != md5_of(kept["result"].dump())) return std::nullopt;
  return kept["result"];
}

void KeptWork::keep(const std::string& name, const std::string& about, const Json& result) const {
  make_folders(folder_);
  const Json kept = {{"key", key_of(about)}, {"checksum", md5_of(result.dump())}, {"result", result}};
  write_atomically(file(name), kept.dump() + "\n");
}

void KeptWork::clear() const {
  for (const std::string& name : names_in(folder_)) {
    if (name.ends_with(".json")) remove_file(folder_ + "/" + name);
  }
  remove_if_empty(folder_);
}

}  // namespace coterie
