// The folder of a fit: decision.json, fit.txt and fit.html; fit.toml, what was asked for; steps/, what a
// killed fit goes on from; run/, the chosen run.
#pragma once

#include <string>

#include "base/value.h"
#include "run/folder_lock.h"

namespace coterie {

class FitFolder {
 public:
  // `config`: what is asked for, with [fit] in it.
  FitFolder(std::string path, const Table& config);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string steps() const { return file("steps"); }
  // Of a fit over a network: who takes part.
  std::string clients() const { return steps() + "/clients"; }
  std::string run() const { return file("run"); }
  // Why it cannot be used; "" when it can.
  std::string refusal(bool resume, bool force) const;
  // Takes the lock, removes with `force` what another fit left, and writes fit.toml.
  void open(bool force);
  // Removes the chosen run that another fit left.
  void remove_run() const;

 private:
  std::string path_;
  std::string text_;  // of fit.toml; how long it may take is no part of it
  FolderLock lock_;
};

}  // namespace coterie
