// What is done stays done: one file for each finished piece of work, so that a fit that was killed goes on.
// A file counts when its key is the same (program, config, data, folds) and its checksum is right; any other
// is made again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace coterie {

class KeptWork {
 public:
  // `key`: what all pieces depend on.
  KeptWork(std::string folder, std::string key) : folder_(std::move(folder)), key_(std::move(key)) {}

  // `about`: what this piece depends on besides.
  std::optional<nlohmann::ordered_json> find(const std::string& name, const std::string& about) const;
  void keep(const std::string& name, const std::string& about, const nlohmann::ordered_json& result) const;
  // Removes the files of all pieces, and the folder when nothing else is in it.
  void clear() const;

 private:
  std::string file(const std::string& name) const { return folder_ + "/" + name + ".json"; }
  std::string key_of(const std::string& about) const;

  std::string folder_;
  std::string key_;
};

}  // namespace coterie
