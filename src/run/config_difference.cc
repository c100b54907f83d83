#include "run/config_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"

namespace coterie {
namespace {

void flatten(const Table& table, const std::string& prefix, std::map<std::string, std::string>& out) {
  for (const auto& [key, value] : table.entries) {
    std::string path = prefix.empty() ? key : prefix + "." + key;
    if (value.is_table()) {
      flatten(std::get<Table>(value.data), path, out);
    } else {
      out[path] = value.text();
    }
  }
}

// As text, by path, where the two differ; "unset" for what one of them does not have.
struct Difference {
  std::string key;
  std::string there;
  std::string here;
};

bool changes_no_bit(const std::string& key) {
  return key.starts_with("checkpoint.") || key == "fleet.quorum" || key == "fleet.memory" ||
         key == "fleet.block" || key == "fleet.gram";
}

std::vector<Difference> differences(const Table& there, const Table& here) {
  std::map<std::string, std::string> then;
  std::map<std::string, std::string> now;
  flatten(there, "", then);
  flatten(here, "", now);
  std::set<std::string> keys;
  for (const auto& [key, value] : then) keys.insert(key);
  for (const auto& [key, value] : now) keys.insert(key);
  auto text = [](const std::map<std::string, std::string>& all, const std::string& key) {
    auto it = all.find(key);
    return it == all.end() ? std::string("unset") : it->second;
  };
  std::vector<Difference> found;
  for (const std::string& key : keys) {
    Difference one{key, text(then, key), text(now, key)};
    // A run may go on with the other of these.
    const auto simulated = [](const std::string& kind) { return kind == "\"mpi\"" || kind == "\"threads\""; };
    const bool alike = key == "fleet.kind" && simulated(one.there) && simulated(one.here);
    if (one.there != one.here && !alike && !changes_no_bit(key)) found.push_back(std::move(one));
  }
  return found;
}

std::int64_t rounds_of(const Table& table) {
  const Value* value = find_path(table, "rounds.count");
  const auto* count = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return count == nullptr ? 0 : *count;
}

}  // namespace

std::string config_difference(const Table& there, const Table& here) {
  constexpr std::size_t kNamed = 3;
  std::vector<Difference> all = differences(there, here);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    parts.push_back(fmt::format("{} = {} there, {} here", all[i].key, all[i].there, all[i].here));
  }
  std::size_t more = all.size() - parts.size();
  return join(parts, "; ") + (more > 0 ? fmt::format("; and {} more", more) : "");
}

bool wants_more_rounds(const Table& there, const Table& here) {
  std::vector<Difference> all = differences(there, here);
  return all.size() == 1 && all[0].key == "rounds.count" && rounds_of(here) > rounds_of(there);
}

}  // namespace coterie
