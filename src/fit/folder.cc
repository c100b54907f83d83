#include "fit/folder.h"

#include "base/disk.h"
#include "fit/kept.h"
#include "run/folder.h"

namespace coterie {
namespace {

std::string without_minutes(Table config) {
  if (Value* fit = config.find("fit"); fit != nullptr && fit->is_table())
    std::get<Table>(fit->data).erase("minutes");
  return write_toml(config);
}

}  // namespace

FitFolder::FitFolder(std::string path, const Table& config)
    : path_(std::move(path)), text_(without_minutes(config)) {}

std::string FitFolder::refusal(bool resume, bool force) const {
  if (is_there(path_) && !is_folder(path_)) return "is not a folder: choose another --out";
  if (!is_file(file("fit.toml"))) {
    return names_in(path_).empty() ? "" : "is not empty and holds no fit: choose another --out";
  }
  if (force) return "";
  if (!resume)
    return "already holds a fit: go on with --resume, replace it with --force, or choose another --out";
  if (read_file(file("fit.toml")) == text_) return "";
  return "holds a fit of another table or with other options (see its fit.toml): resume with those, start "
         "again with --force, or "
         "choose another --out";
}

void FitFolder::open(bool force) {
  make_folders(steps());
  lock_.take(steps());
  if (force) {
    remove_file(clients());
    KeptWork(steps(), "").clear();
    for (const char* name : {"decision.json", "fit.txt", "fit.html"}) remove_file(file(name));
    remove_run();
  }
  write_atomically(file("fit.toml"), text_);
}

void FitFolder::remove_run() const {
  RunFolder chosen(run());
  if (chosen.holds_run()) chosen.remove();
}

}  // namespace coterie
