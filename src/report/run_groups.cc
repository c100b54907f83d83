#include "report/run_groups.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "base/value.h"

namespace coterie {
namespace {

constexpr std::size_t kMostKeys = 5;

Table config_of(const RunRecord& run) { return parse_toml(run.config, run.folder + "/config.toml"); }

// A config as dotted path -> value on one line.
using Flat = std::map<std::string, std::string>;

void flatten(const Value& value, const std::string& path, Flat& out) {
  if (const Table* table = std::get_if<Table>(&value.data)) {
    for (const auto& [key, inner] : table->entries)
      flatten(inner, path.empty() ? key : path + "." + key, out);
    return;
  }
  const Array* array = std::get_if<Array>(&value.data);
  if (array != nullptr && !array->empty() && array->front().is_table()) {
    for (std::size_t i = 0; i < array->size(); ++i) flatten((*array)[i], path + "." + std::to_string(i), out);
    return;
  }
  const std::string* text = std::get_if<std::string>(&value.data);
  out[path] = text != nullptr ? *text : value.text();  // strings without their quotes
}

// What makes an experiment: all but its name, its seeds, and what has columns of its own.
Flat experiment(const RunRecord& run) {
  Flat flat;
  flatten(Value{config_of(run), {}}, "", flat);
  for (const char* key : {"name", "seed", "data.seed", "algorithm.kind"}) flat.erase(key);
  for (auto it = flat.begin(); it != flat.end();)
    it = it->first.rfind("sweep.", 0) == 0 ? flat.erase(it) : ++it;
  return flat;
}

std::string value_in(const Flat& flat, const std::string& key) {
  auto it = flat.find(key);
  return it == flat.end() ? "" : it->second;
}

// Keys that vary among experiments of one algorithm, or that all have and that vary. Methods have options of
// their own, so a key that only some have says no more than the method's name.
std::vector<std::string> varying_keys(const std::vector<Flat>& flats,
                                      const std::vector<std::string>& algorithms) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;  // key -> algorithm -> values
  std::map<std::string, std::size_t> holders;
  for (const Flat& flat : flats) {
    for (const auto& [key, value] : flat) ++holders[key];
  }
  for (const auto& [key, count] : holders) {
    for (std::size_t i = 0; i < flats.size(); ++i) values[key][algorithms[i]].insert(value_in(flats[i], key));
  }
  std::vector<std::string> varying;
  for (const auto& [key, by_algorithm] : values) {
    std::set<std::string> all;
    bool within_one = false;
    for (const auto& [algorithm, some] : by_algorithm) {
      within_one = within_one || some.size() > 1;
      all.insert(some.begin(), some.end());
    }
    if (within_one || (holders[key] == flats.size() && all.size() > 1)) varying.push_back(key);
  }
  return varying;
}

std::string last_part(const std::string& key) { return split(key, '.').back(); }

// The shortest headers that are still different.
std::vector<std::string> headers(const std::vector<std::string>& keys) {
  std::vector<std::string> out;
  for (const std::string& key : keys) {
    auto same = std::count_if(keys.begin(), keys.end(),
                              [&](const std::string& other) { return last_part(other) == last_part(key); });
    out.push_back(same > 1 ? key : last_part(key));
  }
  return out;
}

// "ifca, rate 0.1": values of the columns that differ between groups.
std::string label_of(const RunGroups& all, const RunGroup& group) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < all.keys.size(); ++k) {
    bool differs = std::any_of(all.groups.begin(), all.groups.end(),
                               [&](const RunGroup& g) { return g.values[k] != group.values[k]; });
    bool own_name = all.keys[k] == "name" || all.keys[k] == "algorithm" || all.keys[k] == "run";
    if (!differs || group.values[k].empty()) continue;
    parts.push_back(own_name ? group.values[k] : all.keys[k] + " " + group.values[k]);
  }
  return join(parts, ", ");
}

// What the folders of a group's runs have in common, in the words of a sweep: "seed=1,random" and
// "seed=2,random" are "random". Empty when nothing is left.
std::string common_words(const std::vector<std::string>& folders) {
  std::vector<std::string> common = split(folders.front(), ',');
  std::erase_if(common, [](const std::string& word) {
    return word.starts_with("seed=") || word.starts_with("data.seed=");
  });
  for (const std::string& folder : folders) {
    const std::vector<std::string> words = split(folder, ',');
    std::erase_if(common, [&](const std::string& word) {
      return std::find(words.begin(), words.end(), word) == words.end();
    });
  }
  return join(common, ",");
}

// A short name for the runs of a group, from their folders.
std::string folder_name_of(const std::vector<RunRecord>& runs, const RunGroup& group) {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const std::size_t i : group.runs) {
    fs::path path = fs::path(runs[i].folder).lexically_normal();
    paths.push_back(path.has_filename() ? path : path.parent_path());
  }
  const std::string first = paths.front().filename().string();
  for (int level = 0; level < 3; ++level) {
    std::vector<std::string> folders;
    for (const fs::path& path : paths) folders.push_back(path.filename().string());
    if (std::string words = common_words(folders); !words.empty()) return words;
    for (fs::path& path : paths) path = path.parent_path();
    if (std::any_of(paths.begin(), paths.end(), [](const fs::path& path) { return !path.has_filename(); }))
      break;
    const fs::path& around = paths.front();
    bool shared =
        std::any_of(paths.begin(), paths.end(), [&](const fs::path& path) { return path != around; });
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const fs::path below = fs::path(runs[i].folder).lexically_normal().lexically_relative(around);
      const bool inside = !below.empty() && *below.begin() != "..";
      shared = shared || (inside && std::find(group.runs.begin(), group.runs.end(), i) == group.runs.end());
    }
    if (shared) break;  // its name would not be theirs alone
  }
  return group.runs.size() == 1 ? first : first + " and " + std::to_string(group.runs.size() - 1) + " more";
}

// Names that tell all groups apart: short ones, or the folder of the first run where two are alike.
void name_by_folder(const std::vector<RunRecord>& runs, RunGroups& all) {
  std::map<std::string, std::size_t> times;
  for (RunGroup& group : all.groups) ++times[group.values.back() = folder_name_of(runs, group)];
  for (RunGroup& group : all.groups) {
    if (times[group.values.back()] < 2) continue;
    group.values.back() = std::filesystem::path(runs[group.runs.front()].folder).lexically_normal().string();
    if (group.runs.size() > 1)
      group.values.back() += " and " + std::to_string(group.runs.size() - 1) + " more";
  }
}

}  // namespace

RunGroups group_runs(const std::vector<RunRecord>& runs) {
  std::vector<Flat> flats;
  std::vector<std::string> algorithms;
  std::set<std::string> names;
  for (const RunRecord& run : runs) {
    flats.push_back(experiment(run));
    algorithms.push_back(run.summary.algorithm);
    names.insert(run.title());
  }
  std::vector<std::string> varying = varying_keys(flats, algorithms);
  bool too_many = varying.size() > kMostKeys;

  RunGroups all;
  bool named = names.size() > 1;
  if (named) all.keys.push_back("name");
  all.keys.push_back("algorithm");
  if (too_many) {
    all.keys.push_back("run");
  } else {
    for (std::string& header : headers(varying)) all.keys.push_back(std::move(header));
  }

  std::map<std::vector<std::string>, std::size_t> known;  // what tells groups apart -> group
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> values;
    if (named) values.push_back(runs[i].title());
    values.push_back(algorithms[i]);
    std::vector<std::string> identity = values;
    for (const std::string& key : varying) identity.push_back(value_in(flats[i], key));
    if (too_many) {
      values.emplace_back();
    } else {
      values = identity;
    }
    // Without a config nothing is known to be a repeat but what the summary says.
    if (flats[i].empty()) identity.insert(identity.end(), {runs[i].summary.dataset, runs[i].summary.model});
    auto [it, is_new] = known.emplace(identity, all.groups.size());
    if (is_new) all.groups.push_back({{}, values, ""});
    all.groups[it->second].runs.push_back(i);
  }
  if (too_many) name_by_folder(runs, all);
  for (RunGroup& group : all.groups) {
    group.label = label_of(all, group);
    if (group.label.empty()) group.label = runs[group.runs.front()].summary.algorithm;
  }
  return all;
}

}  // namespace coterie
