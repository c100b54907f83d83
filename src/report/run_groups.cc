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
    bool own_name = all.keys[k] == "name" || all.keys[k] == "algorithm" || all.keys[k] == "folder";
    if (!differs || group.values[k].empty()) continue;
    parts.push_back(own_name ? group.values[k] : all.keys[k] + " " + group.values[k]);
  }
  return join(parts, ", ");
}

// The folder that holds the runs of a group and of no other, or else the first of them and how many more.
std::string common_folder(const std::vector<RunRecord>& runs, const RunGroup& group, const RunGroups& all) {
  namespace fs = std::filesystem;
  auto path_of = [&](std::size_t i) { return fs::path(runs[i].folder).lexically_normal(); };
  fs::path common = path_of(group.runs.front()).parent_path();
  auto holds = [&](std::size_t i) {
    fs::path below = path_of(i).lexically_relative(common);
    return !below.empty() && *below.begin() != "..";
  };
  while (!common.empty() && common.has_relative_path() &&
         !std::all_of(group.runs.begin(), group.runs.end(), holds))
    common = common.parent_path();
  bool alone = !common.empty();
  for (const RunGroup& other : all.groups) {
    if (&other != &group) alone = alone && std::none_of(other.runs.begin(), other.runs.end(), holds);
  }
  if (alone) return common.string();
  return path_of(group.runs.front()).string() + " and " + std::to_string(group.runs.size() - 1) + " more";
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
    all.keys.push_back("folder");
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
      values.push_back(std::filesystem::path(runs[i].folder).lexically_normal().string());
    } else {
      values = identity;
    }
    // Without a config nothing is known to be a repeat but what the summary says.
    if (flats[i].empty()) identity.insert(identity.end(), {runs[i].summary.dataset, runs[i].summary.model});
    auto [it, is_new] = known.emplace(identity, all.groups.size());
    if (is_new) all.groups.push_back({{}, values, ""});
    all.groups[it->second].runs.push_back(i);
  }
  if (too_many) {
    for (RunGroup& group : all.groups) {
      if (group.runs.size() > 1) group.values.back() = common_folder(runs, group, all);
    }
  }
  for (RunGroup& group : all.groups) {
    group.label = label_of(all, group);
    if (group.label.empty()) group.label = runs[group.runs.front()].summary.algorithm;
  }
  return all;
}

}  // namespace coterie
