#include "library/library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "coterie/error.h"

namespace coterie {

namespace fs = std::filesystem;

const KnownSet& known_set(const std::string& name) {
  std::vector<std::string> names;
  for (const KnownSet& set : known_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  throw BadConfig("error: " + unknown_name(name, names));
}

std::string data_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* from_environment = std::getenv("COTERIE_DATA");
  return from_environment == nullptr ? "" : from_environment;
}

std::string find_set(const KnownSet& set, const std::string& folder) {
  std::error_code ignored;
  for (const std::string& path : {folder.empty() ? "" : folder + "/" + set.name, set.name}) {
    if (!path.empty() && fs::is_directory(path, ignored)) return path;
  }
  return "";
}

std::string find_file(const KnownFile& file, const std::string& folder) {
  std::error_code ignored;
  for (const std::string& path : {folder + "/" + file.name, folder + "/" + file.name + ".gz"}) {
    if (fs::exists(path, ignored)) return path;
  }
  return "";
}

std::string missing_data(const std::vector<std::string>& names, const std::string& given_folder) {
  std::string folder = data_folder(given_folder);
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const KnownSet& set = known_set(name);
    if (set.embedded) continue;
    std::string place = find_set(set, folder);
    bool whole = !place.empty() && std::all_of(set.files.begin(), set.files.end(), [&](const KnownFile& f) {
      return !find_file(f, place).empty();
    });
    if (!whole) missing.push_back(name);
  }
  if (missing.empty()) return "";
  std::string where = folder.empty()
                          ? "there is no data folder; say where with --data or the variable COTERIE_DATA"
                          : "not, or not whole, in " + folder;
  return "needs the data set " + join(missing, ", ") + " (" + where + "); get it with: coterie data get " +
         join(missing, " ");
}

}  // namespace coterie
