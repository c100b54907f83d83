#include "run/sweep_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run/folder.h"
#include "run/folder_lock.h"

namespace coterie {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kList = "sweep.json";

// What a sweep writes beside its runs. A kill may leave a file under its temporary name.
bool is_own(const std::string& name) {
  return name == "compare.html" || name == "compare.html.new" || name == std::string(kList) + ".new";
}

// Whether everything in a folder may have come from runs: their folders, and the page that compares them.
bool holds_runs_only(const std::string& folder) {
  for (const std::string& name : names_in(folder)) {
    if (is_own(name)) continue;
    if (!RunFolder(folder + "/" + name).holds_run()) return false;
  }
  return true;
}

}  // namespace

bool SweepFolder::holds_sweep() const { return is_file(path_ + "/" + kList); }

std::vector<std::string> SweepFolder::listed() const {
  std::vector<std::string> labels;
  if (!holds_sweep()) return labels;
  const Json json = Json::parse(read_file(path_ + "/" + kList), nullptr, false);
  if (!json.is_object() || !json.contains("runs") || !json["runs"].is_array()) {
    throw Error(
        path_ + "/" + kList +
        " does not list the runs of a sweep; was it changed or cut? Remove it to go on: the runs in the "
        "folder stay");
  }
  for (const Json& one : json["runs"]) {
    std::string label = one.is_string() ? one.get<std::string>() : "";
    bool one_folder = !label.empty() && label.front() != '.' && label.find('/') == std::string::npos;
    if (one_folder) labels.push_back(label);
  }
  return labels;
}

std::string SweepFolder::refusal(bool resume, bool force) const {
  if (RunFolder(path_).holds_run())
    return "holds a single run: a sweep needs a folder of its own; choose another --out";
  std::vector<std::string> labels = listed();
  auto begun = [&](const std::string& label) { return RunFolder(path_ + "/" + label).holds_run(); };
  if (std::any_of(labels.begin(), labels.end(), begun) && !resume && !force) {
    return "already holds a sweep: go on with --resume, replace it with --force, or choose another --out";
  }
  if (!holds_sweep() && !holds_runs_only(path_)) {
    return "is not empty and holds no coterie sweep: choose another --out";
  }
  return "";
}

void SweepFolder::open(const std::vector<std::string>& labels, bool replace) const {
  std::vector<std::string> all;
  for (const std::string& label : listed()) {
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
    RunFolder old(path_ + "/" + label);
    if (!old.holds_run()) continue;
    if (replace) {
      FolderLock lock;
      lock.take(old.path());
      old.remove();
    } else {
      all.push_back(label);
    }
  }
  all.insert(all.end(), labels.begin(), labels.end());
  make_folders(path_);
  if (replace) remove_file(path_ + "/compare.html");
  write_atomically(path_ + "/" + kList,
                   Json{{"runs", all}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace coterie
